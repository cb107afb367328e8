//===- PoolGradients.cpp - Gradients of pools -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

#include <limits>

using namespace mlir;

namespace tandem::ir {
namespace {

/// The windows of a pool, tap by tap: the elements of the padded input that are
/// under one tap of all windows are a strided slice.
class PoolTaps {
public:
  /// The pool reads values of the shape of `from` and has a result of the shape
  /// of `to`.
  template <typename Pool>
  PoolTaps(GradientBuilder &b, Pool pool, Value from, Value to)
      : b(b), window(pool.getWindow()), strides(pool.getStrides()),
        padLow(pool.getPadLow()), dilations(pool.getDilations()),
        input(shapeOf(from)), output(shapeOf(to)) {
    StringRef spatial = StringRef("DHW").take_back(window.size());
    for (char letter : spatial)
      dims.push_back(static_cast<int64_t>(pool.getLayout().find(letter)));
  }

  int64_t numTaps() const {
    int64_t count = 1;
    for (int64_t size : window)
      count *= size;
    return count;
  }
  /// `x`, padded so that all windows lie within it.
  Value padded(Value x, double value);
  /// The elements of the padded input under tap `tap` of each window.
  Value under(Value padded, int64_t tap);
  /// Puts one element per window under its tap `tap`, among zeros.
  Value putUnder(Value x, int64_t tap);
  /// Cuts the padding off.
  Value inner(Value padded);

private:
  /// The first element of the padded input under the tap, by dim.
  SmallVector<int64_t> firstUnder(int64_t tap) const;
  int64_t sizeOf(unsigned spatial) const {
    return (output[dims[spatial]] - 1) * strides[spatial] +
           (window[spatial] - 1) * dilations[spatial] + 1;
  }

  GradientBuilder &b;
  ArrayRef<int64_t> window, strides, padLow, dilations, input, output;
  /// The dims of the input that are spatial, in the order of the lists.
  SmallVector<int64_t> dims;
};

SmallVector<int64_t> PoolTaps::firstUnder(int64_t tap) const {
  SmallVector<int64_t> first(input.size(), 0);
  for (size_t i = dims.size(); i-- > 0; tap /= window[i])
    first[dims[i]] = tap % window[i] * dilations[i];
  return first;
}

/// Elements behind the last window are cut off.
Value PoolTaps::padded(Value x, double value) {
  SmallVector<int64_t> low(input.size(), 0), high = low, limits(input),
                                             ones(input.size(), 1);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    low[dim] = padLow[i];
    limits[dim] = std::min(input[dim], sizeOf(i) - padLow[i]);
    high[dim] = sizeOf(i) - padLow[i] - limits[dim];
  }
  if (ArrayRef(limits) != input)
    x = b.slice(x, SmallVector<int64_t>(input.size(), 0), limits, ones);
  OpBuilder &builder = b.getBuilder();
  SmallVector<int64_t> none(input.size(), 0);
  return b.create<PadOp>(
      x, builder.getDenseI64ArrayAttr(low), builder.getDenseI64ArrayAttr(high),
      builder.getDenseI64ArrayAttr(none), builder.getF64FloatAttr(value));
}

Value PoolTaps::under(Value padded, int64_t tap) {
  SmallVector<int64_t> starts = firstUnder(tap), limits(shapeOf(padded)),
                       steps(input.size(), 1);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    steps[dim] = strides[i];
    limits[dim] = starts[dim] + (output[dim] - 1) * strides[i] + 1;
  }
  return b.slice(padded, starts, limits, steps);
}

Value PoolTaps::putUnder(Value x, int64_t tap) {
  SmallVector<int64_t> low = firstUnder(tap), high(input.size(), 0),
                       interior = high;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    interior[dim] = strides[i] - 1;
    high[dim] = sizeOf(i) - low[dim] - (output[dim] - 1) * strides[i] - 1;
  }
  return b.pad(x, low, high, interior);
}

Value PoolTaps::inner(Value padded) {
  SmallVector<int64_t> starts(input.size(), 0), limits(shapeOf(padded)),
      none = starts, behind = starts, ones(input.size(), 1);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    starts[dim] = padLow[i];
    limits[dim] = std::min(padLow[i] + input[dim], sizeOf(i));
    behind[dim] = padLow[i] + input[dim] - limits[dim];
  }
  Value x = b.slice(padded, starts, limits, ones);
  return ArrayRef(behind) == ArrayRef(none) ? x : b.pad(x, none, behind, none);
}

} // namespace

/// The gradient of a max_pool whose windows have too many elements for an
/// index: each element is compared with the result.
static Value gradientByTaps(GradientBuilder &b, MaxPoolOp pool) {
  PoolTaps taps(b, pool, pool.getInput(), pool.getResult());
  Value g = b.gradient(), zero = b.scalar(0, g), y = pool.getResult();
  Value padded =
      taps.padded(pool.getInput(), -std::numeric_limits<double>::infinity());
  Value taken, sum;
  for (int64_t tap = 0; tap < taps.numTaps(); ++tap) {
    Value x = taps.under(padded, tap);
    Value isNaN = b.compare(ComparePredicate::ne, x, x);
    Value isLargest =
        b.create<LogicalOrOp>(b.compare(ComparePredicate::eq, x, y), isNaN);
    Value isFirst =
        taken ? b.create<LogicalAndOp>(isLargest, b.create<LogicalNotOp>(taken))
              : isLargest;
    taken = taken ? b.create<LogicalOrOp>(taken, isLargest) : isLargest;
    Value share = taps.putUnder(b.select(isFirst, g, zero), tap);
    sum = sum ? b.add(sum, share) : share;
  }
  return taps.inner(sum);
}

/// The spatial sizes of the input of a pool, in D, H, W order.
static SmallVector<int64_t> spatialSizes(Value input, StringRef layout) {
  SmallVector<int64_t> sizes;
  for (char letter : StringRef("DHW").take_back(layout.size() - 2))
    sizes.push_back(shapeOf(input)[layout.find(letter)]);
  return sizes;
}

template <typename Pool>
static Value gradientByIndex(GradientBuilder &b, Pool pool, Value index) {
  return b.create<MaxPoolBackwardOp>(
      b.gradient(), index, spatialSizes(pool.getInput(), pool.getLayout()),
      pool.getWindow(), pool.getStrides(), pool.getPadLow(), pool.getPadHigh(),
      pool.getDilations(), pool.getLayout());
}

/// The first largest element of a window has the gradient, and the first NaN if
/// there is one (G1). The pool is replaced by one which tells the index of that
/// element, so that the input is read once.
LogicalResult MaxPoolOp::buildGradients(GradientBuilder &b) {
  if (!b.isWanted(0))
    return success();
  if (llvm::product_of(getWindow()) > kMaxIndexedTaps) {
    b.add(0, gradientByTaps(b, *this));
    return success();
  }
  OpBuilder forward(*this);
  auto pool = MaxPoolWithIndexOp::create(
      forward, (*this)->getLoc(), getInput(), getWindow(), getStrides(),
      getPadLow(), getPadHigh(), getDilations(), getLayout());
  getResult().replaceAllUsesWith(pool.getValues());
  b.add(0, gradientByIndex(b, pool, pool.getIndex()));
  return success();
}

LogicalResult MaxPoolWithIndexOp::buildGradients(GradientBuilder &b) {
  if (b.isWanted(0) && b.gradient(0))
    b.add(0, gradientByIndex(b, *this, getIndex()));
  return success();
}

/// The op is linear: the gradient of a window is that of the element which the
/// index names.
LogicalResult MaxPoolBackwardOp::buildGradients(GradientBuilder &b) {
  if (!b.isWanted(0))
    return success();
  Value g = b.gradient(), zero = b.scalar(0, g), result;
  PoolTaps taps(b, *this, getResult(), getGradient());
  Value padded = taps.padded(g, 0);
  auto type = RankedTensorType::get({}, typeOf(getIndex()).getElementType());
  for (int64_t tap = 0; tap < taps.numTaps(); ++tap) {
    Value number =
        b.create<ConstantOp>(SplatElementsAttr::get(type, APInt(8, tap)));
    Value share = b.select(b.compare(ComparePredicate::eq, getIndex(), number),
                           taps.under(padded, tap), zero);
    result = result ? b.add(result, share) : share;
  }
  b.add(0, result);
  return success();
}

LogicalResult AvgPoolOp::buildGradients(GradientBuilder &b) {
  if (b.isWanted(0))
    b.add(0, b.create<AvgPoolBackwardOp>(
                 b.gradient(), spatialSizes(getInput(), getLayout()),
                 getWindow(), getStrides(), getPadLow(), getPadHigh(),
                 getDilations(), getLayout(), getCountIncludePad()));
  return success();
}

/// The op is linear, and its transpose is the pool.
LogicalResult AvgPoolBackwardOp::buildGradients(GradientBuilder &b) {
  if (b.isWanted(0))
    b.add(0, b.create<AvgPoolOp>(b.gradient(), getWindow(), getStrides(),
                                 getPadLow(), getPadHigh(), getDilations(),
                                 getLayout(), getCountIncludePad()));
  return success();
}

} // namespace tandem::ir
