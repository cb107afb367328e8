//===- RowSpace.cpp - Whole and reduced shapes of one reduction -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/RowSpace.h"

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

using namespace mlir;

namespace tandem {

RowSpace::RowSpace(ir::ReduceOp reduce)
    : sizes(shapeOf(reduce.getInput())), reduced(sizes.size(), false) {
  for (int64_t dim : reduce.getDims())
    reduced[dim] = true;
}

int64_t RowSpace::rows() const {
  int64_t rows = 1;
  for (auto [size, isReduced] : llvm::zip_equal(sizes, reduced))
    if (!isReduced)
      rows *= size;
  return rows;
}

/// Size-1 dims of the space do not matter: all have index 0 there.
static bool covers(const RowSpace::Dims &dims, ArrayRef<int64_t> sizes,
                   llvm::function_ref<bool(int64_t)> isWanted) {
  llvm::SmallVector<bool, 4> covered(sizes.size(), false);
  for (int64_t dim : dims)
    if (dim >= 0)
      covered[dim] = true;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size != 1 && covered[dim] != isWanted(dim))
      return false;
  return true;
}

bool RowSpace::isFull(const Dims &dims) const {
  return covers(dims, sizes, [](int64_t) { return true; });
}

bool RowSpace::isRow(const Dims &dims) const {
  return covers(dims, sizes, [&](int64_t dim) { return !reduced[dim]; });
}

RowSpace::Dims RowSpace::full() const {
  Dims dims;
  for (auto [dim, size] : llvm::enumerate(sizes))
    dims.push_back(size == 1 ? -1 : static_cast<int64_t>(dim));
  return dims;
}

bool RowSpace::reducesSame(ir::ReduceOp reduce) const {
  if (shapeOf(reduce.getInput()) != ArrayRef(sizes))
    return false;
  llvm::SmallVector<bool, 4> dims(sizes.size(), false);
  for (int64_t dim : reduce.getDims())
    dims[dim] = true;
  return dims == reduced;
}

RowSpace::Dims RowSpace::ofReduce(ir::ReduceOp reduce) const {
  Dims dims;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!reduced[dim])
      dims.push_back(size == 1 ? -1 : static_cast<int64_t>(dim));
    else if (reduce.getKeepDims())
      dims.push_back(-1);
  return dims;
}

/// The dims of another shape of the same elements, where only dims of size 1
/// come and go; nothing for other reshapes.
static std::optional<RowSpace::Dims> ofReshape(const RowSpace::Dims &from,
                                               ArrayRef<int64_t> fromShape,
                                               ArrayRef<int64_t> toShape) {
  auto isLarge = [](int64_t size) { return size != 1; };
  if (!llvm::equal(llvm::make_filter_range(fromShape, isLarge),
                   llvm::make_filter_range(toShape, isLarge)))
    return std::nullopt;
  RowSpace::Dims dims;
  size_t next = 0;
  for (int64_t size : toShape) {
    while (size != 1 && fromShape[next] == 1)
      ++next;
    dims.push_back(size == 1 ? -1 : from[next++]);
  }
  return dims;
}

/// The usual case, for which no map need be made.
static RowSpace::Dims ofSameShape(RowSpace::Dims dims,
                                  ArrayRef<int64_t> shape) {
  for (auto [dim, size] : llvm::zip_equal(dims, shape))
    if (size == 1)
      dim = -1;
  return dims;
}

std::optional<RowSpace::Dims> RowSpace::ofOperand(Operation *op, unsigned index,
                                                  const Dims &result) const {
  Value operand = op->getOperand(index);
  if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
    if (!reducesSame(reduce) || result != ofReduce(reduce))
      return std::nullopt;
    return full();
  }
  if (isa<ir::ReshapeOp>(op))
    return ofReshape(result, shapeOf(op->getResult(0)), shapeOf(operand));
  if (!isa<ir::ElementwiseOpInterface, ir::BroadcastOp>(op))
    return std::nullopt;
  if (!isa<ir::BroadcastOp>(op) &&
      shapeOf(operand) == shapeOf(op->getResult(0)))
    return ofSameShape(result, shapeOf(operand));
  AffineMap map = cast<ir::IndexingOpInterface>(op).getOperandIndexing(index);
  if (!map)
    return std::nullopt;
  Dims dims;
  for (auto [expr, size] :
       llvm::zip_equal(map.getResults(), shapeOf(operand))) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    dims.push_back(dim && size != 1 ? result[dim.getPosition()] : -1);
  }
  return dims;
}

std::optional<RowSpace::Dims> RowSpace::ofResult(Operation *op, unsigned index,
                                                 const Dims &operand) const {
  if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
    if (!reducesSame(reduce) || operand != full())
      return std::nullopt;
    return ofReduce(reduce);
  }
  if (op->getNumResults() != 1)
    return std::nullopt;
  ArrayRef<int64_t> from = shapeOf(op->getOperand(index));
  ArrayRef<int64_t> to = shapeOf(op->getResult(0));
  if (isa<ir::ReshapeOp>(op))
    return ofReshape(operand, from, to);
  // Otherwise the result is full or of the operand's own shape.
  for (const Dims &dims : {full(), operand})
    if (to == (dims == operand ? from : ArrayRef<int64_t>(sizes)))
      if (ofOperand(op, index, dims) == operand)
        return dims;
  return std::nullopt;
}

} // namespace tandem
