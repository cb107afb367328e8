//===- TandemToLinalg.cpp - Kernels of tandem ops to linalg ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"

#include "LoopSpace.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

#include <memory>

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CONVERTTANDEMTOLINALG
#include "tandem/Conversion/TandemToLinalg/Passes.h.inc"

namespace {

/// Emits the results of a kernel that have one shape as one linalg.generic.
class GenericBuilder {
public:
  GenericBuilder(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape)
      : builder(builder), loc(loc), shape(shape) {}

  /// The values to return for `roots`; a failure when one cannot be emitted.
  LogicalResult build(ArrayRef<Value> roots, SmallVectorImpl<Value> &results);

private:
  void finishReads(ElementalEmitter &emitter, const LoopSpace &space);
  bool canBeInput(const LoopSpace &space,
                  const LoopSpace::Access &access) const;
  Value collapse(Value source, const LoopSpace::Access &access);
  void finishExtract(ElementalEmitter &emitter, const LoopSpace &space,
                     const ElementRead &read, const LoopSpace::Access &access);
  void renumberLoops(ElementalEmitter &emitter, const LoopSpace &space);
  Value createResult(Value result);
  void createYield(ArrayRef<Value> roots, MutableArrayRef<Value> elements);
  linalg::GenericOp createGeneric(ArrayRef<Value> roots,
                                  const LoopSpace &space);

  OpBuilder &builder;
  Location loc;
  ArrayRef<int64_t> shape;
  std::unique_ptr<Block> body = std::make_unique<Block>();
  SmallVector<Value> inputs;
  SmallVector<tensor::CollapseShapeOp> collapsedSources;
  SmallVector<AffineMap> maps;
  /// linalg.index of the final loops.
  SmallVector<Value> finalIndices;
  SmallVector<ReassociationIndices> resultGroups;
};

} // namespace

/// linalg wants a bare loop in a map to cover its dim, and no other kind of
/// expression but sums; a division, modulo or symbol is read by an extract.
bool GenericBuilder::canBeInput(const LoopSpace &space,
                                const LoopSpace::Access &access) const {
  for (auto [expr, size] : llvm::zip(access.index, access.shape)) {
    if (!toLinearForm(expr, space.getSizes().size()).isLinear())
      return false;
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      if (space.getSizes()[dim.getPosition()] != size)
        return false;
  }
  return true;
}

Value GenericBuilder::collapse(Value source, const LoopSpace::Access &access) {
  auto type = cast<RankedTensorType>(source.getType());
  if (static_cast<int64_t>(access.groups.size()) == type.getRank())
    return source;
  auto collapsed = RankedTensorType::get(access.shape, type.getElementType());
  for (auto op : collapsedSources)
    if (op.getSrc() == source && op.getType() == collapsed &&
        llvm::equal(op.getReassociationIndices(), access.groups))
      return op;
  collapsedSources.push_back(tensor::CollapseShapeOp::create(
      builder, loc, collapsed, source, access.groups));
  return collapsedSources.back();
}

void GenericBuilder::finishExtract(ElementalEmitter &emitter,
                                   const LoopSpace &space,
                                   const ElementRead &read,
                                   const LoopSpace::Access &access) {
  Operation *extract = read.read.getDefiningOp();
  OpBuilder at(builder.getContext());
  at.setInsertionPoint(extract);
  SmallVector<Value> operands;
  for (unsigned i = 0; i < space.getSizes().size(); ++i) {
    if (!finalIndices[i]) {
      OpBuilder atStart(builder.getContext());
      atStart.setInsertionPointToStart(body.get());
      finalIndices[i] = linalg::IndexOp::create(atStart, loc, i);
    }
    operands.push_back(finalIndices[i]);
  }
  SmallVector<Value> indices;
  for (AffineExpr expr : access.index) {
    SmallVector<Value> used(operands);
    used.append(emitter.symbols);
    AffineMap map =
        AffineMap::get(operands.size(), emitter.symbols.size(), expr);
    // Drops what the expression does not use, and what is constant.
    affine::canonicalizeMapAndOperands(&map, &used);
    AffineExpr simple = map.getResult(0);
    if (auto constant = dyn_cast<AffineConstantExpr>(simple))
      indices.push_back(arith::ConstantIndexOp::create(at, read.read.getLoc(),
                                                       constant.getValue()));
    else if (isa<AffineDimExpr, AffineSymbolExpr>(simple))
      indices.push_back(used.front());
    else
      indices.push_back(
          affine::AffineApplyOp::create(at, read.read.getLoc(), map, used));
  }
  extract->insertOperands(1, indices);
}

void GenericBuilder::finishReads(ElementalEmitter &emitter,
                                 const LoopSpace &space) {
  unsigned numLoops = space.getSizes().size();
  for (ElementRead &read : emitter.reads) {
    LoopSpace::Access access = space.getAccess(
        read.index, cast<RankedTensorType>(read.source.getType()).getShape());
    Value source = collapse(read.source, access);
    if (read.isInput() && canBeInput(space, access)) {
      inputs.push_back(source);
      maps.push_back(
          AffineMap::get(numLoops, 0, access.index, builder.getContext()));
      continue;
    }
    if (read.isInput()) {
      auto argument = cast<BlockArgument>(read.read);
      // Behind the loop indices, which its own index may need.
      OpBuilder atStart(builder.getContext());
      auto isIndex = [](Operation &op) { return isa<linalg::IndexOp>(op); };
      atStart.setInsertionPoint(body.get(), llvm::find_if_not(*body, isIndex));
      OperationState state(argument.getLoc(),
                           tensor::ExtractOp::getOperationName());
      state.addOperands(source);
      state.addTypes(argument.getType());
      read.read = atStart.create(state)->getResult(0);
      argument.replaceAllUsesWith(read.read);
      body->eraseArgument(argument.getArgNumber());
    }
    read.read.getDefiningOp()->setOperand(0, source);
    finishExtract(emitter, space, read, access);
  }
}

void GenericBuilder::renumberLoops(ElementalEmitter &emitter,
                                   const LoopSpace &space) {
  finalIndices.assign(space.getSizes().size(), {});
  for (auto [loop, index] : llvm::enumerate(emitter.loopIndices)) {
    if (!index)
      continue;
    unsigned newLoop = space.getNewLoop(loop);
    index.getDefiningOp<linalg::IndexOp>().setDim(newLoop);
    finalIndices[newLoop] = index;
  }
}

void GenericBuilder::createYield(ArrayRef<Value> roots,
                                 MutableArrayRef<Value> elements) {
  OpBuilder atEnd(builder.getContext());
  atEnd.setInsertionPointToEnd(body.get());
  for (auto [root, element] : llvm::zip(roots, elements))
    element =
        toElementType(atEnd, loc, element,
                      cast<RankedTensorType>(root.getType()).getElementType());
  linalg::YieldOp::create(atEnd, loc, elements);
}

linalg::GenericOp GenericBuilder::createGeneric(ArrayRef<Value> roots,
                                                const LoopSpace &space) {
  SmallVector<Type> types;
  SmallVector<Value> outputs;
  unsigned numLoops = space.getSizes().size();
  for (Value root : roots) {
    Type elementType = cast<RankedTensorType>(root.getType()).getElementType();
    types.push_back(RankedTensorType::get(space.getSizes(), elementType));
    outputs.push_back(
        tensor::EmptyOp::create(builder, loc, space.getSizes(), elementType));
    maps.push_back(builder.getMultiDimIdentityMap(numLoops));
    body->addArgument(elementType, loc);
  }
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(builder, loc, types, inputs, outputs,
                                           maps, iterators);
  generic.getRegion().push_back(body.release());
  return generic;
}

Value GenericBuilder::createResult(Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  if (type.getShape() == shape)
    return result;
  auto expanded = RankedTensorType::get(shape, type.getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, expanded, result,
                                       resultGroups);
}

LogicalResult GenericBuilder::build(ArrayRef<Value> roots,
                                    SmallVectorImpl<Value> &results) {
  // Loops over the dims that are not of size 1.
  SmallVector<int64_t> loops;
  ElementIndex index;
  for (int64_t size : shape) {
    index.push_back(size == 1 ? builder.getAffineConstantExpr(0)
                              : builder.getAffineDimExpr(loops.size()));
    if (size != 1)
      loops.push_back(size);
  }
  ElementalEmitter emitter(*body, loops, builder.getContext());
  SmallVector<Value> elements;
  for (Value root : roots) {
    elements.push_back(emitter.emit(root, index));
    if (!elements.back())
      return failure();
  }
  LoopSpace space(loops, emitter);
  LoopSpace::Access output = space.getAccess(index, shape);
  for (auto &group : output.groups)
    resultGroups.emplace_back(group.begin(), group.end());
  renumberLoops(emitter, space);
  createYield(roots, elements);
  finishReads(emitter, space);
  linalg::GenericOp generic = createGeneric(roots, space);
  for (Value result : generic.getResults())
    results.push_back(createResult(result));
  return success();
}

/// Constants that are not one value repeated stay tensors, to be read.
static void convertConstants(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  for (auto op : llvm::make_early_inc_range(
           kernel.getBody().front().getOps<ir::ConstantOp>())) {
    if (op.getValue().isSplat())
      continue;
    builder.setInsertionPoint(op);
    auto constant = arith::ConstantOp::create(builder, op.getLoc(),
                                              cast<TypedAttr>(op.getValue()));
    op.getResult().replaceAllUsesWith(constant.getResult());
    op.erase();
  }
}

static LogicalResult verifyStatic(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return !tensor || tensor.hasStaticShape();
    };
    if (llvm::all_of(op->getOperandTypes(), isStatic) &&
        llvm::all_of(op->getResultTypes(), isStatic))
      return WalkResult::advance();
    op->emitOpError("has a type that is not static");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult convertKernelToLinalg(func::FuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("is not one block");
  if (failed(verifyStatic(kernel)))
    return failure();
  convertConstants(kernel);
  Operation *terminator = kernel.getBody().front().getTerminator();
  // Results of one shape share their loops.
  llvm::MapVector<ArrayRef<int64_t>, SmallVector<unsigned>> groups;
  for (OpOperand &operand : terminator->getOpOperands())
    groups[cast<RankedTensorType>(operand.get().getType()).getShape()]
        .push_back(operand.getOperandNumber());
  OpBuilder builder(terminator);
  for (auto &[shape, numbers] : groups) {
    SmallVector<Value> roots, results;
    for (unsigned number : numbers)
      roots.push_back(terminator->getOperand(number));
    GenericBuilder generic(builder, kernel.getLoc(), shape);
    if (failed(generic.build(roots, results)))
      return failure();
    for (auto [number, result] : llvm::zip(numbers, results))
      terminator->setOperand(number, result);
  }
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
  return success();
}

namespace {
struct ConvertTandemToLinalgPass
    : impl::ConvertTandemToLinalgBase<ConvertTandemToLinalgPass> {
  void runOnOperation() override {
    if (failed(convertKernelToLinalg(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace tandem
