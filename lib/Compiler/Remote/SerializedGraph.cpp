//===- SerializedGraph.cpp - A graph apart from any context ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remote/SerializedGraph.h"

#include "Kernels/CanonicalKernel.h"
#include "Session/Diagnostics.h"
#include "Session/ParallelFor.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/ProgramTransforms/MemoryPlan.h"
#include "tandem/Runtime/Program/StoredProgram.h"
#include "tandem/Target/Program/ProgramEmitter.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;

namespace tandem {

DialectRegistry graphDialects() {
  DialectRegistry registry;
  registry.insert<ir::TandemDialect, func::FuncDialect, arith::ArithDialect,
                  math::MathDialect>();
  func::registerInlinerExtension(registry);
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

/// Calls `visit` with every resource of a module that has bytes.
static void
forEachResource(ModuleOp module,
                function_ref<void(StringRef, AsmResourceBlob &)> visit) {
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto resource =
              dyn_cast<DenseResourceElementsAttr>(attribute.getValue()))
        if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
          visit(resource.getRawHandle().getKey(), *blob);
  });
}

namespace {
/// The offset of each resource in the bytecode of a module, by the address of
/// the resource's bytes in the module; kNotWritten for a resource that is not
/// in the bytecode.
using ResourceOffsets = llvm::DenseMap<const char *, size_t>;
constexpr size_t kNotWritten = ~size_t(0);

/// Bytes at the address where they were written.
class AlignedBuffer final : public llvm::MemoryBuffer {
public:
  AlignedBuffer(std::unique_ptr<llvm::WritableMemoryBuffer> given, size_t size)
      : memory(std::move(given)) {
    memory->getBufferStart()[size] = '\0';
    init(memory->getBufferStart(), memory->getBufferStart() + size,
         /*RequiresNullTerminator=*/true);
  }
  BufferKind getBufferKind() const override { return MemoryBuffer_Malloc; }
  StringRef getBufferIdentifier() const override { return "<bytecode>"; }

private:
  std::unique_ptr<llvm::WritableMemoryBuffer> memory;
};

/// Writes to aligned memory, which grows if the initial guess of its size was
/// too small. A final copy of hundreds of megabytes to aligned memory would
/// take longer than all else. Records where resources are written.
class AlignedStream final : public llvm::raw_ostream {
public:
  AlignedStream(size_t guess, ResourceOffsets &offsets)
      : raw_ostream(/*unbuffered=*/true), offsets(offsets) {
    grow(guess);
  }
  /// Null where there was too little memory.
  std::unique_ptr<llvm::MemoryBuffer> take() {
    if (!memory)
      return nullptr;
    return std::make_unique<AlignedBuffer>(std::move(memory), size);
  }

private:
  void write_impl(const char *data, size_t bytes) override {
    if (memory && bytes > memory->getBufferSize() - size)
      grow(2 * (size + bytes));
    if (memory)
      std::memcpy(memory->getBufferStart() + size, data, bytes);
    // MLIR writes each resource at once, from where it is.
    if (auto resource = offsets.find(data); resource != offsets.end())
      resource->second = size;
    size += bytes;
  }
  uint64_t current_pos() const override { return size; }

  void grow(size_t capacity) {
    // Bytecode is aligned as the resources in it are: to a page at most.
    constexpr uint64_t alignment = 4096;
    auto larger = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
        capacity, "<bytecode>", llvm::Align(alignment));
    if (larger && memory)
      std::memcpy(larger->getBufferStart(), memory->getBufferStart(), size);
    memory = std::move(larger);
  }

  ResourceOffsets &offsets;
  std::unique_ptr<llvm::WritableMemoryBuffer> memory;
  size_t size = 0;
};
} // namespace

/// A module as bytecode that any number of contexts may read at a time; null
/// where it cannot be written. `guess` is about the number of its bytes. Sets
/// the offsets of the resources that `offsets` contains.
static std::shared_ptr<llvm::SourceMgr>
writeSharedBytecode(ModuleOp module, size_t guess, ResourceOffsets &offsets) {
  AlignedStream stream(guess, offsets);
  BytecodeWriterConfig config;
  config.setElideResourceDataFlag(offsets.empty());
  if (failed(writeBytecodeToFile(module, stream, config)))
    return nullptr;
  auto buffer = stream.take();
  if (!buffer)
    return nullptr;
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return sources;
}

StringRef bytecodeOf(const SerializedGraph &source) {
  return source.bytecode->getMemoryBuffer(source.bytecode->getMainFileID())
      ->getBuffer();
}

ir::SharedConstants sharedConstants(const SerializedGraph &source) {
  StringRef bytes = bytecodeOf(source);
  ir::SharedConstants shared{{{{bytes.begin(), bytes.end()}, source.bytecode}},
                             source.rearranged,
                             parallelFor};
  for (const SerializedGraph::Resource &resource : source.resources)
    shared.memory.push_back(resource.memory);
  return shared;
}

OwningOpRef<ModuleOp> readModule(const SerializedGraph &source,
                                 MLIRContext *context) {
  auto module =
      parseSourceFile<ModuleOp>(source.bytecode, ParserConfig(context));
  if (!module)
    return {};
  auto &blobs = DenseResourceElementsHandle::getManagerInterface(context)
                    .getBlobManager();
  for (const auto &[key, memory] : source.resources) {
    // Its deleter is what holds the bytes.
    auto release = [owner = memory.owner](void *, size_t, size_t) {};
    blobs.update(key, AsmResourceBlob(memory.bytes, Allocator::kAlignment,
                                      std::move(release),
                                      /*dataIsMutable=*/false));
  }
  return module;
}

/// Emits the eager program of `module`. Constants that the bytecode contains
/// share the memory of the bytecode; the module may be destroyed.
static Status emitEager(SerializedGraph &source, ModuleOp module,
                        const ResourceOffsets &offsets) {
  DiagnosticCollector diagnostics(module.getContext());
  FailureOr<Program> program =
      emitProgram(module.lookupSymbol<func::FuncOp>(source.function));
  if (failed(program))
    return tl::unexpected(
        diagnostics.takeError("parse", "the graph cannot be executed"));
  char *bytecode = const_cast<char *>(bytecodeOf(source).data());
  for (Constant &constant : program->constants) {
    auto found = offsets.find(constant.data.as<char>());
    if (found != offsets.end() && found->second != kNotWritten)
      constant.data = Tensor::share(
          constant.data.type(), {source.bytecode, bytecode + found->second});
  }
  orderUpdatesLast(*program);
  TANDEM_RETURN_IF_ERROR(placeParts(*program));
  program->input_names = source.inputNames;
  program->output_names = source.outputNames;
  source.eager = std::make_shared<const Program>(std::move(*program));
  return {};
}

const std::vector<std::string> &SerializedGraph::constantDigests() const {
  std::call_once(once, [&] { digests = digestConstants(*eager); });
  return digests;
}

/// Adds the bytecode, its digest and the eager program to a source that has all
/// else. `offsets` contains the resources that go into the bytecode, which take
/// about `resourceBytes`.
static Expected<std::shared_ptr<const SerializedGraph>>
finish(std::shared_ptr<SerializedGraph> source, ModuleOp module,
       ResourceOffsets offsets = ResourceOffsets(), size_t resourceBytes = 0) {
  FailureOr<std::string> structure = writeStructure(module);
  if (succeeded(structure))
    source->bytecode = writeSharedBytecode(
        module, resourceBytes + 2 * structure->size(), offsets);
  if (!source->bytecode)
    return fail("parse", "the graph cannot be written");
  source->structure = digestOf(*structure);
  TANDEM_RETURN_IF_ERROR(emitEager(*source, module, offsets));
  return source;
}

/// Aligns the resources of `module`, and lets the program emitter refer to them
/// instead of copying them, for as long as the module lives. Adds the resources
/// to `offsets`. Returns the number of bytes that they take in the bytecode at
/// most.
static size_t lendResources(ModuleOp module, ResourceOffsets &offsets) {
  // An upper bound of the padding between two resources plus the name of one.
  constexpr size_t slack = 4096;
  MLIRContext *context = module.getContext();
  context->getOrLoadDialect<ir::TandemDialect>();
  auto lent = std::make_shared<char>();
  ir::SharedConstants shared;
  size_t bytes = 0;
  forEachResource(module, [&](StringRef, AsmResourceBlob &blob) {
    align(blob);
    bytes += blob.getData().size() + slack;
    offsets[blob.getData().data()] = kNotWritten;
    if (!ir::findOwner(context, blob.getData()))
      shared.memory.push_back({blob.getData(), lent});
  });
  if (!shared.memory.empty())
    ir::share(context, std::move(shared));
  return bytes;
}

Expected<std::shared_ptr<const SerializedGraph>>
makeSerializedGraph(ModuleOp module, const std::string &function,
                    std::vector<std::string> inputNames,
                    std::vector<std::string> outputNames) {
  auto source = std::make_shared<SerializedGraph>();
  source->function = function;
  source->inputNames = std::move(inputNames);
  source->outputNames = std::move(outputNames);
  ResourceOffsets offsets;
  const size_t bytes = lendResources(module, offsets);
  return finish(std::move(source), module, std::move(offsets), bytes);
}

Expected<std::shared_ptr<const SerializedGraph>>
makeSerializedGraph(ImportedModel model, const std::string &function) {
  auto source = std::make_shared<SerializedGraph>();
  source->function = function;
  source->inputNames = std::move(model.inputs);
  source->outputNames = std::move(model.outputs);
  source->nodes = std::move(model.nodes);
  source->files = std::move(model.files);
  MLIRContext *context = (*model.module).getContext();
  ir::share(context,
            {std::move(model.memory), source->rearranged, parallelFor});
  llvm::StringSet<> keys;
  bool areOwned = true;
  forEachResource(*model.module, [&](StringRef key, AsmResourceBlob &blob) {
    // What a fold has rearranged has an owner, too.
    std::shared_ptr<const void> owner = ir::findOwner(context, blob.getData());
    areOwned &= bool(owner);
    if (keys.insert(key).second)
      source->resources.push_back({key.str(), {blob.getData(), owner}});
  });
  if (!areOwned)
    return fail("import", "a weight is in memory that is not shared");
  return finish(std::move(source), *model.module);
}

} // namespace tandem
