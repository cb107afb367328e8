//===- GraphSource.cpp - A graph apart from any context -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphSource.h"

#include "Diagnostics.h"
#include "KernelSource.h"
#include "ParallelFor.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Runtime/StoredProgram.h"
#include "tandem/Target/Program/ProgramEmitter.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tandem {

DialectRegistry graphDialects() {
  DialectRegistry registry;
  registry.insert<ir::TandemDialect, func::FuncDialect, arith::ArithDialect,
                  math::MathDialect>();
  return registry;
}

/// Has a resource written at a multiple of the alignment that programs need, so
/// that they can share it.
static void align(AsmResourceBlob &blob) {
  if (blob.getDataAlignment() >= Allocator::kAlignment)
    return;
  auto given = std::make_shared<AsmResourceBlob>(std::move(blob));
  blob = AsmResourceBlob(
      given->getData(), Allocator::kAlignment,
      [given](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
}

static void alignResources(ModuleOp module) {
  module.walk([](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto resource =
              dyn_cast<DenseResourceElementsAttr>(attribute.getValue()))
        if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
          align(*blob);
  });
}

/// A module as bytecode that any number of contexts may read at a time; null
/// where it cannot be written.
static std::shared_ptr<llvm::SourceMgr> writeSharedBytecode(ModuleOp module) {
  // Bytecode is aligned as the resources in it are: to a page at most.
  constexpr uint64_t alignment = 4096;
  alignResources(module);
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (failed(writeBytecodeToFile(module, stream)))
    return nullptr;
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      bytes.size(), "<bytecode>", llvm::Align(alignment));
  if (!buffer)
    return nullptr;
  llvm::copy(bytes, buffer->getBufferStart());
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return sources;
}

ir::SharedConstants sharedConstants(const GraphSource &source) {
  StringRef bytes =
      source.bytecode->getMemoryBuffer(source.bytecode->getMainFileID())
          ->getBuffer();
  return {{bytes.begin(), bytes.end()},
          source.bytecode,
          source.rearranged,
          parallelFor};
}

/// The graph as written, whose constants stay in the bytecode.
static FailureOr<Program> emitEager(const GraphSource &source,
                                    MLIRContext *context) {
  context->loadAllAvailableDialects();
  ir::share(context, sharedConstants(source));
  auto module =
      parseSourceFile<ModuleOp>(source.bytecode, ParserConfig(context));
  if (!module)
    return failure();
  return emitProgram(module->lookupSymbol<func::FuncOp>(source.function));
}

const std::vector<std::string> &GraphSource::constantDigests() const {
  std::call_once(once, [&] { digests = digestConstants(*eager); });
  return digests;
}

Expected<std::shared_ptr<const GraphSource>>
makeGraphSource(ModuleOp module, const std::string &function) {
  auto source = std::make_shared<GraphSource>();
  source->function = function;
  source->bytecode = writeSharedBytecode(module);
  if (!source->bytecode)
    return fail("parse", "the graph cannot be written");
  FailureOr<std::string> structure = writeStructure(module);
  if (failed(structure))
    return fail("parse", "the graph cannot be written");
  source->structure = digestOf(*structure);
  MLIRContext context(graphDialects(), MLIRContext::Threading::DISABLED);
  DiagnosticCollector diagnostics(&context);
  FailureOr<Program> program = emitEager(*source, &context);
  if (failed(program))
    return tl::unexpected(
        diagnostics.takeError("parse", "the graph cannot be executed"));
  source->eager = std::make_shared<const Program>(std::move(*program));
  return source;
}

} // namespace tandem
