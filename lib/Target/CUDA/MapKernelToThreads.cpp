//===- MapKernelToThreads.cpp - Kernels over blocks and threads -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion/KernelToEmitC/Patterns.h"
#include "KernelSchedule.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Target/CUDA/KernelPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

namespace tandem {
#define GEN_PASS_DEF_MAPKERNELTOTHREADS
#include "tandem/Target/CUDA/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem;
using namespace tandem::codegen;
using namespace tandem::conversion;

namespace {

/// Rewrites one kernel.
class KernelMapper {
public:
  KernelMapper(func::FuncOp kernel, const MappingOptions &options)
      : source(kernel), builder(kernel), options(options) {}

  LogicalResult run();

private:
  FailureOr<func::FuncOp> createTarget();
  LogicalResult bindResults();
  LogicalResult collectOp(Operation &op);
  LogicalResult emitOps(func::FuncOp target);

  func::FuncOp source;
  OpBuilder builder;
  MappingOptions options;
  KernelMemory memory;
  SmallVector<linalg::GenericOp> ops;
  Operation *contraction = nullptr;
};

FailureOr<MemRefType> flatMemory(func::FuncOp kernel, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return kernel.emitOpError("of a kernel module must be on static tensors; "
                              "got ")
           << type;
  return MemRefType::get(tensor.getNumElements(), tensor.getElementType());
}

} // namespace

FailureOr<func::FuncOp> KernelMapper::createTarget() {
  SmallVector<Type> types;
  FunctionType type = source.getFunctionType();
  for (Type tensor :
       llvm::concat<const Type>(type.getInputs(), type.getResults())) {
    FailureOr<MemRefType> flat = flatMemory(source, tensor);
    if (failed(flat))
      return failure();
    types.push_back(*flat);
  }
  auto target = func::FuncOp::create(builder, source.getLoc(), source.getName(),
                                     builder.getFunctionType(types, {}));
  Block *entry = target.addEntryBlock();
  unsigned numInputs = type.getNumInputs();
  for (BlockArgument argument : entry->getArguments()) {
    unsigned number = argument.getArgNumber();
    std::string name = "out";
    if (number < numInputs)
      name = ("in" + Twine(number)).str();
    else if (type.getNumResults() > 1)
      name += std::to_string(number - numInputs);
    argument.setLoc(NameLoc::get(builder.getStringAttr(name), source.getLoc()));
    if (number < numInputs)
      memory.operands[source.getArgument(number)] = argument;
  }
  return target;
}

/// Remembers where each op's result goes, following reshapes back.
LogicalResult KernelMapper::bindResults() {
  auto target = cast<func::FuncOp>(source->getPrevNode());
  Operation *terminator = source.getBody().front().getTerminator();
  unsigned numInputs = source.getNumArguments();
  for (auto [number, value] : llvm::enumerate(terminator->getOperands())) {
    Value root = skipReshapes(value);
    if (!isa_and_nonnull<linalg::GenericOp, ir::ContractionOpInterface>(
            root.getDefiningOp()))
      return terminator->emitOpError("of a kernel must return what linalg ops "
                                     "compute; operand #")
             << number << " is not";
    memory.results[root].push_back(target.getArgument(numInputs + number));
  }
  return success();
}

LogicalResult KernelMapper::collectOp(Operation &op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    ops.push_back(generic);
    return success();
  }
  if (isa<ir::ContractionOpInterface>(op) && !contraction) {
    contraction = &op;
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      memory.splats[constant.getResult()] = splat.getSplatValue<TypedAttr>();
    return success();
  }
  if (isa<tensor::EmptyOp, linalg::FillOp, func::ReturnOp>(op))
    return success();
  if (op.getNumResults() == 1) {
    Value root = skipReshapes(op.getResult(0));
    if (Value buffer = memory.operands.lookup(root)) {
      memory.operands[op.getResult(0)] = buffer;
      return success();
    }
    if (root != op.getResult(0))
      return success();
  }
  return op.emitOpError("is not expected in a kernel in linalg form");
}

LogicalResult KernelMapper::emitOps(func::FuncOp target) {
  builder.setInsertionPointToStart(&target.getBody().front());
  MappedKernel kernel{builder, memory, options};
  if (failed(emitKernel(kernel, contraction, ops)))
    return failure();
  func::ReturnOp::create(builder, source.getLoc());
  if (kernel.blocks > std::numeric_limits<int32_t>::max())
    return source.emitOpError("needs a grid of ")
           << kernel.blocks << " blocks, more than CUDA allows";
  if (kernel.wideIndex)
    target->setAttr("wide_index", builder.getUnitAttr());
  target->setAttr("blocks", builder.getI64IntegerAttr(kernel.blocks));
  target->setAttr("threads", builder.getI64IntegerAttr(kernel.threads));
  if (kernel.residentBlocks != 0)
    target->setAttr(kResidentBlocksAttrName,
                    builder.getI64IntegerAttr(kernel.residentBlocks));
  return success();
}

LogicalResult KernelMapper::run() {
  if (!source.getBody().hasOneBlock())
    return source.emitOpError("of a kernel module must have one block");
  FailureOr<func::FuncOp> target = createTarget();
  if (failed(target) || failed(bindResults()))
    return failure();
  for (Operation &op : source.getBody().front())
    if (failed(collectOp(op)))
      return failure();
  if (failed(emitOps(*target)))
    return failure();
  IRRewriter rewriter(builder);
  DominanceInfo dominance(*target);
  eliminateCommonSubExpressions(rewriter, dominance, *target);
  // Dims that no access needs, and what they were made of.
  (void)runRegionDCE(rewriter, target->getBody());
  source.erase();
  return success();
}

namespace {

struct MapKernelToThreads
    : tandem::impl::MapKernelToThreadsBase<MapKernelToThreads> {
  using MapKernelToThreadsBase::MapKernelToThreadsBase;

  void runOnOperation() override {
    if (threads < 1 || threads > 1024) {
      getOperation().emitError("threads of a block must be 1 to 1024; got ")
          << threads;
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> kernels;
    getOperation().walk([&](func::FuncOp kernel) {
      if (!kernel.isExternal())
        kernels.push_back(kernel);
    });
    for (func::FuncOp kernel : kernels)
      if (failed(KernelMapper(kernel, {threads, vectorize}).run()))
        return signalPassFailure();
  }
};

} // namespace
