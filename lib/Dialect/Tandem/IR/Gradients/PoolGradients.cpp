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
  template <typename Pool>
  PoolTaps(GradientBuilder &b, Pool pool)
      : b(b), window(pool.getWindow()), strides(pool.getStrides()),
        padLow(pool.getPadLow()), dilations(pool.getDilations()),
        input(shapeOf(pool.getInput())), output(shapeOf(pool.getResult())) {
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
  /// The number of elements of the input in each window, in a shape that
  /// broadcasts to that of the result.
  Value counts(FloatType type);

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

Value PoolTaps::counts(FloatType type) {
  Value result;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    SmallVector<double> counts;
    for (int64_t at = 0; at < output[dim]; ++at) {
      int64_t count = 0;
      for (int64_t tap = 0; tap < window[i]; ++tap) {
        const int64_t place = at * strides[i] + tap * dilations[i] - padLow[i];
        count += place >= 0 && place < input[dim];
      }
      counts.push_back(static_cast<double>(count));
    }
    SmallVector<Attribute> elements;
    for (double count : counts)
      elements.push_back(b.getBuilder().getFloatAttr(type, count));
    Value along =
        b.alongAxis(b.create<ConstantOp>(DenseElementsAttr::get(
                        RankedTensorType::get({output[dim]}, type), elements)),
                    dim, static_cast<int64_t>(input.size()));
    result = result ? b.mul(result, along) : along;
  }
  return result;
}

} // namespace

/// The first largest element of a window has the gradient, and the first NaN if
/// there is one (G1).
LogicalResult MaxPoolOp::buildGradients(GradientBuilder &b) {
  if (!b.isWanted(0))
    return success();
  PoolTaps taps(b, *this);
  Value g = b.gradient(), zero = b.scalar(0, g), y = getResult();
  Value padded =
      taps.padded(getInput(), -std::numeric_limits<double>::infinity());
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
  b.add(0, taps.inner(sum));
  return success();
}

LogicalResult AvgPoolOp::buildGradients(GradientBuilder &b) {
  if (!b.isWanted(0))
    return success();
  PoolTaps taps(b, *this);
  Value g = b.gradient();
  Value divisor =
      getCountIncludePad()
          ? b.scalar(static_cast<double>(taps.numTaps()), g)
          : taps.counts(cast<FloatType>(typeOf(g).getElementType()));
  Value share = b.div(g, divisor), sum;
  for (int64_t tap = 0; tap < taps.numTaps(); ++tap) {
    Value placed = taps.putUnder(share, tap);
    sum = sum ? b.add(sum, placed) : placed;
  }
  b.add(0, taps.inner(sum));
  return success();
}

} // namespace tandem::ir
