//===- ShapeGradients.cpp - Gradients of ops that move elements -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

using namespace mlir;

namespace tandem::ir {

LogicalResult ReshapeOp::buildGradients(GradientBuilder &b) {
  b.add(0, b.reshape(b.gradient(), shapeOf(getInput())));
  return success();
}

LogicalResult TransposeOp::buildGradients(GradientBuilder &b) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [to, from] : llvm::enumerate(getPermutation()))
    inverse[from] = static_cast<int64_t>(to);
  b.add(0, b.transpose(b.gradient(), inverse));
  return success();
}

/// Sums along the dims that are new or that were repeated, then puts the rest
/// in the order of the operand.
LogicalResult BroadcastOp::buildGradients(GradientBuilder &b) {
  ArrayRef<int64_t> from = shapeOf(getInput()), to = shapeOf(getResult());
  SmallVector<int64_t> summed, left;
  for (int64_t dim = 0; dim < static_cast<int64_t>(to.size()); ++dim) {
    const auto *place = llvm::find(getDims(), dim);
    const bool isKept =
        place != getDims().end() && from[place - getDims().begin()] == to[dim];
    (isKept ? left : summed).push_back(dim);
  }
  Value g = b.gradient();
  if (!summed.empty())
    g = b.reduce(g, ReduceKind::sum, summed, /*keepDims=*/false);
  SmallVector<int64_t> order;
  for (int64_t dim : getDims())
    if (const auto *place = llvm::find(left, dim); place != left.end())
      order.push_back(place - left.begin());
  if (!llvm::is_sorted(order))
    g = b.transpose(g, order);
  b.add(0, b.reshape(g, from));
  return success();
}

/// The places of the elements that a slice takes from a dim.
static void findElements(SliceOp op, unsigned dim, int64_t &first,
                         int64_t &stride) {
  const int64_t size = shapeOf(op.getInput())[dim], start = op.getStarts()[dim];
  first = std::clamp<int64_t>(start < 0 ? start + size : start, 0, size);
  stride = op.getStrides()[dim];
}

LogicalResult SliceOp::buildGradients(GradientBuilder &b) {
  SmallVector<int64_t> low, high, interior;
  for (unsigned dim = 0; dim < shapeOf(getInput()).size(); ++dim) {
    const int64_t count = shapeOf(getResult())[dim];
    int64_t first, stride;
    findElements(*this, dim, first, stride);
    const int64_t covered = count == 0 ? 0 : (count - 1) * stride + 1;
    low.push_back(first);
    high.push_back(shapeOf(getInput())[dim] - first - covered);
    interior.push_back(stride - 1);
  }
  b.add(0, b.pad(b.gradient(), low, high, interior));
  return success();
}

LogicalResult PadOp::buildGradients(GradientBuilder &b) {
  SmallVector<int64_t> starts, limits, strides;
  for (auto [dim, size] : llvm::enumerate(shapeOf(getInput()))) {
    const int64_t stride = getInterior()[dim] + 1;
    const int64_t covered = size == 0 ? 0 : (size - 1) * stride + 1;
    starts.push_back(getLow()[dim]);
    limits.push_back(getLow()[dim] + covered);
    strides.push_back(stride);
  }
  b.add(0, b.slice(b.gradient(), starts, limits, strides));
  return success();
}

LogicalResult ConcatOp::buildGradients(GradientBuilder &b) {
  const auto axis = static_cast<size_t>(getAxis());
  ArrayRef<int64_t> shape = shapeOf(getResult());
  SmallVector<int64_t> starts(shape.size(), 0), limits(shape),
      strides(shape.size(), 1);
  limits[axis] = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    starts[axis] = limits[axis];
    limits[axis] += shapeOf(input)[axis];
    if (b.isWanted(i))
      b.add(i, b.slice(b.gradient(), starts, limits, strides));
  }
  return success();
}

} // namespace tandem::ir
