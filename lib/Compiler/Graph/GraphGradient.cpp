//===- GraphGradient.cpp - Graphs with their gradients --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImpl.h"

#include "Session/Diagnostics.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Dialect/Tandem/Transforms/Differentiate.h"
#include "tandem/Dialect/Tandem/Transforms/Specialize.h"
#include "tandem/Runtime/CustomCall.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tandem {

/// Names the targets that were registered for the gradients of custom calls.
static void nameGradients(func::FuncOp function) {
  const StringRef name = ir::TandemDialect::kGradientAttrName;
  function.walk([&](ir::CustomCallOp call) {
    for (const DeviceInfo &device : devices()) {
      Expected<Device *> found = findDevice(device.name);
      auto registered =
          found ? findCustomCall(call.getTarget(), **found) : nullptr;
      if (registered && !registered->gradient.empty() && !call->hasAttr(name))
        call->setAttr(name,
                      StringAttr::get(call.getContext(), registered->gradient));
    }
  });
}

Expected<std::unique_ptr<Graph>>
Graph::withGradient(std::span<const TensorType> inputs,
                    const GradientOptions &options) const {
  const SerializedGraph &source = *impl->source;
  MLIRContext context(graphDialects(), MLIRContext::Threading::DISABLED);
  DiagnosticCollector diagnostics(&context);
  const auto failWith = [&](const char *what) {
    return tl::unexpected(diagnostics.takeError("differentiate", what));
  };
  OwningOpRef<ModuleOp> module = readModule(source, &context);
  if (!module)
    return failWith("the graph");
  auto function = module->lookupSymbol<func::FuncOp>(source.function);
  if (inputs.size() != function.getNumArguments())
    return fail("differentiate",
                "the graph has " + std::to_string(function.getNumArguments()) +
                    " inputs, not " + std::to_string(inputs.size()));
  SmallVector<RankedTensorType> types;
  for (const TensorType &type : inputs)
    types.push_back(ir::toMlirType(&context, type));
  if (failed(specialize(function, types)))
    return failWith("the types of the inputs");
  DifferentiateOptions pass;
  pass.wrt.assign(options.wrt.begin(), options.wrt.end());
  pass.loss = options.loss;
  pass.hasSeed = options.hasSeed;
  FailureOr<SmallVector<int64_t>> wrt = findArguments(function, pass);
  nameGradients(function);
  if (failed(wrt) || failed(differentiate(function, pass)))
    return failWith("an op");
  std::vector<std::string> inputNames = source.inputNames,
                           outputNames = source.outputNames;
  if (options.hasSeed && !inputNames.empty())
    inputNames.push_back("seed");
  if (!inputNames.empty() && !outputNames.empty())
    for (int64_t number : *wrt)
      outputNames.push_back("gradient of " + inputNames[size_t(number)]);
  else
    outputNames.clear();
  return make(makeSerializedGraph(
      *module, source.function, std::move(inputNames), std::move(outputNames)));
}

} // namespace tandem
