//===- ReductionGradients.cpp - Gradients of reductions and norms ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

using namespace mlir;

namespace tandem::ir {

/// For each element, the product of all others along `dim`.
static Value productOfOthers(GradientBuilder &b, Value x, int64_t dim) {
  auto before = [&](bool isReversed) {
    return b.create<ScanOp>(x, ScanKind::prod, static_cast<uint64_t>(dim),
                            /*exclusive=*/true, isReversed);
  };
  return b.mul(before(false), before(true));
}

/// The gradient of an element of a product is the product of all others.
/// Dividing the whole product by the element would fail if an element is 0 or
/// infinite, or if the whole product overflows or underflows.
static Value gradientOfProduct(GradientBuilder &b, Value x, Value g,
                               ArrayRef<int64_t> dims) {
  for (size_t i = dims.size(); i-- > 0;) {
    g = b.mul(g, productOfOthers(b, x, dims[i]));
    if (i > 0)
      x = b.reduce(x, ReduceKind::prod, dims[i], /*keepDims=*/true);
  }
  return g;
}

/// Equal largest elements have equal shares. If `y` is NaN, no element equals
/// it, and all have the gradient NaN (G1).
static Value gradientOfExtremum(GradientBuilder &b, Value x, Value y, Value g,
                                ArrayRef<int64_t> dims) {
  Value zero = b.scalar(0, x), one = b.scalar(1, x);
  Value isEqual = b.compare(ComparePredicate::eq, x, y);
  Value count = b.reduce(b.select(isEqual, one, zero), ReduceKind::sum, dims,
                         /*keepDims=*/true);
  Value ofOthers = b.select(b.compare(ComparePredicate::eq, y, y), zero, y);
  return b.select(isEqual, b.div(g, count), ofOthers);
}

LogicalResult ReduceOp::buildGradients(GradientBuilder &b) {
  if (getKind() == ReduceKind::argmax || !b.isWanted(0))
    return success();
  Value x = getInput();
  RankedTensorType type = typeOf(x);
  Value g = b.restoreDims(b.gradient(), getDims(), type.getRank());
  Value y = b.restoreDims(getResult(), getDims(), type.getRank());
  switch (getKind()) {
  case ReduceKind::mean: {
    int64_t count = 1;
    for (int64_t dim : getDims())
      count *= type.getDimSize(dim);
    g = b.div(g, b.scalar(static_cast<double>(count), g));
    break;
  }
  case ReduceKind::prod:
    b.add(0, gradientOfProduct(b, x, g, getDims()));
    return success();
  case ReduceKind::max:
  case ReduceKind::min:
    b.add(0, gradientOfExtremum(b, x, y, g, getDims()));
    return success();
  case ReduceKind::sum:
  case ReduceKind::argmax:
    break;
  }
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  b.add(0, b.create<BroadcastOp>(
               g, b.getBuilder().getDenseI64ArrayAttr(type.getShape()),
               b.getBuilder().getDenseI64ArrayAttr(all)));
  return success();
}

/// (x - mean) * scale + offset, where mean, scale and offset have one element
/// for each position of the dims that are not in `reduced`. A batch_norm
/// computes it in one step. If there are several such dims, they must be next
/// to each other, and are reshaped to one; null if they are not.
static Value scaleCentered(GradientBuilder &b, Value x, Value mean, Value scale,
                           Value offset, ArrayRef<int64_t> reduced) {
  RankedTensorType type = typeOf(x);
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(reduced, dim))
      kept.push_back(dim);
  if (kept.empty() ||
      kept.back() - kept.front() + 1 != static_cast<int64_t>(kept.size()))
    return {};
  const int64_t axis = kept.front();
  SmallVector<int64_t> shape(type.getShape());
  int64_t count = 1;
  for (int64_t dim : kept)
    count *= shape[dim];
  shape.erase(shape.begin() + axis, shape.begin() + kept.back() + 1);
  shape.insert(shape.begin() + axis, count);
  auto vector = [&](Value value) { return b.reshape(value, {count}); };
  Value one = b.splat(1, RankedTensorType::get({count}, type.getElementType()));
  Value result = b.create<BatchNormOp>(b.reshape(x, shape), vector(scale),
                                       vector(offset), vector(mean), one,
                                       b.getBuilder().getF64FloatAttr(0),
                                       b.getBuilder().getI64IntegerAttr(axis));
  return b.reshape(result, type.getShape());
}

/// With n elements, the mean has the gradient 1 / n, and the variance the
/// gradient 2 (x - mean) / n: the gradient of the mean in it is 0.
LogicalResult MomentsOp::buildGradients(GradientBuilder &b) {
  if (!b.isWanted(0))
    return success();
  RankedTensorType type = typeOf(getInput());
  double count = 1;
  for (int64_t dim : getDims())
    count *= static_cast<double>(type.getDimSize(dim));
  auto restored = [&](Value x) {
    return getKeepDims() ? x : b.restoreDims(x, getDims(), type.getRank());
  };
  Value ofMean, ofVariance;
  if (Value g = b.gradient(0))
    ofMean = b.div(g, b.scalar(count, g));
  if (Value g = b.gradient(1))
    ofVariance = b.mul(g, 2 / count);
  if (ofMean && ofVariance)
    if (Value sum = scaleCentered(b, getInput(), getMean(), ofVariance, ofMean,
                                  getDims())) {
      b.add(0, sum);
      return success();
    }
  if (ofVariance) {
    Value centered = b.sub(getInput(), restored(getMean()));
    b.add(0, b.mul(centered, restored(ofVariance)));
  }
  if (ofMean) {
    SmallVector<int64_t> all =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    b.add(0, b.create<BroadcastOp>(
                 restored(ofMean),
                 b.getBuilder().getDenseI64ArrayAttr(type.getShape()),
                 b.getBuilder().getDenseI64ArrayAttr(all)));
  }
  return success();
}

LogicalResult SoftmaxOp::buildGradients(GradientBuilder &b) {
  b.add(0,
        b.create<SoftmaxBackwardOp>(getResult(), b.gradient(), getAxisAttr()));
  return success();
}

/// The result is y (h - sum(h y)), linear in h by a symmetric matrix. With u as
/// the gradient of the result, that of y is u (h - sum(h y)) - h sum(u y).
LogicalResult SoftmaxBackwardOp::buildGradients(GradientBuilder &b) {
  Value y = getSoftmax(), h = getGradient(), u = b.gradient();
  auto sumWith = [&](Value x) {
    return b.reduce(b.mul(x, y), ReduceKind::sum,
                    {static_cast<int64_t>(getAxis())}, /*keepDims=*/true);
  };
  if (b.isWanted(0))
    b.add(0, b.sub(b.mul(u, b.sub(h, sumWith(h))), b.mul(h, sumWith(u))));
  if (b.isWanted(1))
    b.add(1, b.create<SoftmaxBackwardOp>(y, u, getAxisAttr()));
  return success();
}

/// y = (x - mean) * s * scale + offset, where s = 1 / sqrt(variance + epsilon).
LogicalResult BatchNormOp::buildGradients(GradientBuilder &b) {
  const int64_t rank = typeOf(getInput()).getRank();
  const auto axis = static_cast<int64_t>(getAxis());
  SmallVector<int64_t> others;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      others.push_back(dim);
  Value g = b.gradient();
  Value s = b.create<RsqrtOp>(b.add(
      getVariance(), b.scalar(getEpsilon().convertToDouble(), getVariance())));
  Value factor = b.mul(getScale(), s);
  auto perChannel = [&](Value x) {
    return b.reduce(x, ReduceKind::sum, others, /*keepDims=*/false);
  };
  if (b.isWanted(0))
    b.add(0, b.mul(g, b.alongAxis(factor, axis, rank)));
  if (b.isWanted(1) || b.isWanted(4)) {
    Value centered = b.sub(getInput(), b.alongAxis(getMean(), axis, rank));
    Value sum = perChannel(b.mul(g, centered));
    if (b.isWanted(1))
      b.add(1, b.mul(sum, s));
    if (b.isWanted(4))
      b.add(4, b.mul(b.mul(sum, b.mul(factor, b.mul(s, s))), -0.5));
  }
  if (b.isWanted(2) || b.isWanted(3)) {
    Value sum = perChannel(g);
    b.add(2, sum);
    if (b.isWanted(3))
      b.add(3, b.neg(b.mul(sum, factor)));
  }
  return success();
}

} // namespace tandem::ir
