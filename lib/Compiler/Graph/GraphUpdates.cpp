//===- GraphUpdates.cpp - Graphs that update their inputs -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImpl.h"

#include "Session/Diagnostics.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tandem {

/// "output 1 ('w')"; without a name, "output 1".
static std::string describe(const char *kind, int64_t number,
                            const std::vector<std::string> &names) {
  std::string text = kind + (' ' + std::to_string(number));
  return size_t(number) < names.size()
             ? text + " ('" + names[size_t(number)] + "')"
             : text;
}

/// Marks the result that updates an argument.
static Status mark(func::FuncOp function, const InputUpdate &update,
                   const SerializedGraph &source) {
  const auto failWith = [&](const std::string &what) {
    return fail("build",
                describe("output", update.output, source.outputNames) +
                    " cannot update " +
                    describe("input", update.input, source.inputNames) + ": " +
                    what);
  };
  if (update.input < 0 || update.input >= function.getNumArguments())
    return failWith("the graph has " +
                    std::to_string(function.getNumArguments()) + " inputs");
  if (update.output < 0 || update.output >= function.getNumResults())
    return failWith("the graph has " +
                    std::to_string(function.getNumResults()) + " outputs");
  const StringRef name = ir::TandemDialect::kUpdatesAttrName;
  if (function.getResultAttr(unsigned(update.output), name))
    return failWith("the output updates another input");
  function.setResultAttr(
      unsigned(update.output), name,
      Builder(function.getContext()).getI64IntegerAttr(update.input));
  return {};
}

Expected<std::unique_ptr<Graph>>
Graph::withUpdates(std::span<const InputUpdate> updates) const {
  const SerializedGraph &source = *impl->source;
  MLIRContext context(graphDialects(), MLIRContext::Threading::DISABLED);
  DiagnosticCollector diagnostics(&context);
  OwningOpRef<ModuleOp> module = readModule(source, &context);
  if (!module)
    return tl::unexpected(diagnostics.takeError("build", "the graph"));
  auto function = module->lookupSymbol<func::FuncOp>(source.function);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.removeResultAttr(
        i, StringAttr::get(&context, ir::TandemDialect::kUpdatesAttrName));
  for (const InputUpdate &update : updates)
    TANDEM_RETURN_IF_ERROR(mark(function, update, source));
  if (failed(verify(*module)))
    return tl::unexpected(diagnostics.takeError("build", "the updates"));
  return make(makeSerializedGraph(*module, source.function, source.inputNames,
                                  source.outputNames));
}

} // namespace tandem
