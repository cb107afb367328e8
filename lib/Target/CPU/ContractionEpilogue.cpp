//===- ContractionEpilogue.cpp - What follows the sums of a tile ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tandem {

/// The operand that is the hero's result, less dims of size 1.
static OpOperand *findHeroOperand(linalg::GenericOp op, Operation *hero) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value source = input->get();
    while (auto collapse = source.getDefiningOp<tensor::CollapseShapeOp>())
      source = collapse.getSrc();
    if (source.getDefiningOp() == hero)
      return input;
  }
  return nullptr;
}

LogicalResult
ContractionEpilogue::verify(const DenseMap<Value, Value> &pointers) {
  if (!op)
    return success();
  OpOperand *operand = findHeroOperand(op, hero);
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      (operand && !op.getMatchingIndexingMap(operand).isIdentity()))
    return op.emitOpError("is no epilogue of a contraction");
  for (OpOperand *input : op.getDpsInputOperands())
    if (input != operand && !pointers.contains(input->get()))
      return op.emitOpError("reads a tensor that is not an argument");
  for (Value result : op.getResults())
    if (isReturned && !pointers.contains(result))
      return op.emitOpError("has a result that the kernel does not return");
  return success();
}

bool ContractionEpilogue::canFlatten() {
  if (!op)
    return true;
  unsigned last = op->getNumResults() ? op.getNumLoops() - 1 : 0;
  // Dims of size 1 have no loop.
  bool outputsAreLast =
      contraction.outputDim == contraction.result.getRank() - 1 &&
      contraction.result.getShape().back() != 1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.isIdentity())
      continue;
    // Outputs are the last dim; else any dim but them is a position.
    for (AffineExpr expr : map.getResults())
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (expr.isFunctionOfDim(loop) && !(outputsAreLast && loop == last))
          return false;
  }
  return !op.getBody()
              ->walk([](Operation *inner) {
                return isa<linalg::IndexOp, tensor::ExtractOp>(inner)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Of vector `vector` of row `row`, for each dim of the result that is not of
/// size 1.
SmallVector<Value> ContractionEpilogue::getIndices(
    OpBuilder &builder, Location loc, const ContractionStrategy &strategy,
    const ContractionTile &tile, int64_t row, int64_t vector) const {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b,
                                 arith::IntegerOverflowFlags::nsw);
  };
  bool isPositions = strategy.lanes == ContractionLanes::Positions;
  bool isGroups = strategy.lanes == ContractionLanes::Groups;
  int64_t lane = vector * strategy.width;
  // Dims that became part of the innermost stay at 0.
  SmallVector<Value> indices(contraction.result.getRank());
  for (auto [dim, at] : llvm::zip(contraction.batch, tile.batch))
    indices[dim.resultDim] = at;
  for (auto [dim, at] : llvm::zip(contraction.spatial, tile.outer))
    indices[dim.resultDim] = at;
  indices[contraction.spatial.back().resultDim] =
      add(tile.position, index(isPositions ? lane : row));
  Value output = isGroups ? tile.group : tile.output;
  if (!isGroups && contraction.groups > 1)
    output =
        add(output, arith::MulIOp::create(builder, loc, tile.group,
                                          index(contraction.outputs),
                                          arith::IntegerOverflowFlags::nsw));
  indices[contraction.outputDim] = add(output, index(isPositions ? row : lane));
  SmallVector<Value> used;
  for (auto [size, at] : llvm::zip(contraction.result.getShape(), indices))
    if (size != 1)
      used.push_back(at ? at : index(0));
  return used;
}

void ContractionEpilogue::emit(OpBuilder &builder, Location loc,
                               const ContractionStrategy &strategy,
                               const ContractionTile &tile,
                               ArrayRef<Value> sums,
                               function_ref<Buffer(Value)> getBuffer) {
  // The hero's result as it is indexed: without dims of size 1.
  Buffer heroBuffer = getBuffer(hero->getResult(0));
  SmallVector<int64_t> shape = llvm::to_vector(llvm::make_filter_range(
      contraction.result.getShape(), [](int64_t size) { return size != 1; }));
  if (heroBuffer.type == contraction.result)
    heroBuffer.type =
        RankedTensorType::get(shape, contraction.result.getElementType());
  OpOperand *operand = op ? findHeroOperand(op, hero) : nullptr;
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t v = 0; v < tile.vectors; ++v) {
      Value sum = sums[row * tile.vectors + v];
      if (contraction.isBF16())
        sum = arith::TruncFOp::create(
            builder, loc,
            VectorType::get({strategy.width}, builder.getBF16Type()), sum);
      LaneEmitter lanes(builder, loc, strategy.width,
                        getIndices(builder, loc, strategy, tile, row, v),
                        v + 1 == tile.vectors ? tile.mask : Value(), getBuffer);
      if (heroBuffer.pointer)
        lanes.store(heroBuffer, sum);
      if (operand)
        lanes.bindValue(op.getMatchingBlockArgument(operand), sum);
      if (op)
        lanes.emitBody(op);
    }
}

} // namespace tandem
