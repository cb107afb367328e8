//===- LineGradients.cpp - Gradients of scans and Fourier transforms ------===//
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

/// The gradient of the operand of a scan. `x` is the operand, `y` the result
/// and `g` the gradient of the result. Elements are numbered in the order in
/// which the scan reads them.
class ScanGradient {
public:
  ScanGradient(GradientBuilder &b, ScanOp op)
      : b(b), op(op), axis(static_cast<int64_t>(op.getAxis())),
        x(op.getInput()), y(op.getResult()), g(b.gradient()) {}

  Value build();

private:
  /// A scan in the direction of the op.
  Value forward(Value values, ScanKind kind, bool isExclusive) {
    return b.create<ScanOp>(values, kind, op.getAxis(), isExclusive,
                            op.getReverse());
  }
  /// A scan from the other end, over the elements that element i adds to.
  Value backward(Value values, ScanKind kind) {
    return b.create<ScanOp>(values, kind, op.getAxis(), op.getExclusive(),
                            !op.getReverse());
  }
  Value ofProduct();
  Value ofLogSumExp();
  Value ofExtremum();
  /// Whether each element is what the results are from there on, until the
  /// next such element.
  Value isRecord();

  GradientBuilder &b;
  ScanOp op;
  int64_t axis;
  Value x, y, g;
};

/// With S(v) the sum of v from element i on, the gradient is S(g * y) / x. For
/// the first zero of a line it is S(g * y'), where y' are the products with
/// this zero replaced by 1; for later zeros it is 0.
Value ScanGradient::ofProduct() {
  Value zero = b.scalar(0, x), one = b.scalar(1, x);
  Value isZero = b.compare(ComparePredicate::eq, x, zero);
  Value zeros =
      forward(b.select(isZero, b.splat(1, typeOf(x)), zero), ScanKind::sum,
              /*isExclusive=*/true);
  Value isFirst = b.create<LogicalAndOp>(
      isZero, b.compare(ComparePredicate::eq, zeros, zero));
  Value others =
      forward(b.select(isFirst, one, x), ScanKind::prod, op.getExclusive());
  Value ofOthers = backward(b.mul(g, y), ScanKind::sum);
  Value ofFirst = backward(b.mul(g, others), ScanKind::sum);
  Value quotient = b.div(ofOthers, b.select(isZero, one, x));
  return b.select(isFirst, ofFirst, b.select(isZero, zero, quotient));
}

/// exp(x) * S(g * exp(-y)), where S is a sum as above. The positive and the
/// negative part of g are summed as logarithms, which do not overflow.
Value ScanGradient::ofLogSumExp() {
  Value zero = b.scalar(0, g);
  const auto ofPart = [&](Value part) {
    Value isPositive = b.compare(ComparePredicate::gt, part, zero);
    Value logarithm =
        b.create<LogOp>(b.select(isPositive, part, b.scalar(1, part)));
    Value exponent =
        b.select(isPositive, b.sub(logarithm, y),
                 b.scalar(-std::numeric_limits<double>::infinity(), part));
    return b.create<ExpOp>(b.add(backward(exponent, ScanKind::log_sum_exp), x));
  };
  return b.sub(ofPart(g), ofPart(b.neg(g)));
}

/// An element is a record if none of those before it exceeds it, or if it is a
/// NaN.
Value ScanGradient::isRecord() {
  Value before = forward(x, op.getKind(), /*isExclusive=*/true);
  const bool isMax = op.getKind() == ScanKind::max;
  Value isLargest =
      b.compare(isMax ? ComparePredicate::ge : ComparePredicate::le, x, before);
  Value isNaN = b.compare(ComparePredicate::ne, x, x);
  return b.create<LogicalOrOp>(isLargest, isNaN);
}

/// Each result is the last record before it, so its gradient is added to that
/// of the record.
Value ScanGradient::ofExtremum() {
  RankedTensorType type = typeOf(x);
  const int64_t size = type.getDimSize(axis);
  auto places =
      RankedTensorType::get(type.getShape(), b.getBuilder().getI64Type());
  Value place = b.create<IotaOp>(places, axis);
  const bool isReverse = op.getReverse();
  // The place of the last record, in the order of the scan; out of the line
  // where there is none.
  const double none = isReverse ? double(size) : -1;
  Value source =
      forward(b.select(isRecord(), place, b.scalar(none, place)),
              isReverse ? ScanKind::min : ScanKind::max, op.getExclusive());
  Value isInside = b.create<LogicalAndOp>(
      b.compare(ComparePredicate::ge, source, b.scalar(0, place)),
      b.compare(ComparePredicate::lt, source, b.scalar(double(size), place)));
  Value last = b.scalar(double(size - 1), place);
  source = b.create<ClampOp>(source, b.scalar(0, place), last);
  return b.addAlongLines(b.select(isInside, g, b.scalar(0, g)), source, axis,
                         type);
}

Value ScanGradient::build() {
  switch (op.getKind()) {
  case ScanKind::sum:
    return backward(g, ScanKind::sum);
  case ScanKind::prod:
    return ofProduct();
  case ScanKind::log_sum_exp:
    return ofLogSumExp();
  case ScanKind::max:
  case ScanKind::min:
    return ofExtremum();
  }
  return {};
}

} // namespace

LogicalResult ScanOp::buildGradients(GradientBuilder &b) {
  if (typeOf(getInput()).getNumElements() > 0)
    b.add(0, ScanGradient(b, *this).build());
  return success();
}

namespace {

/// Fourier transforms of the gradient along the op's axis.
class FourierGradient {
public:
  FourierGradient(GradientBuilder &b, FFTOp op) : b(b), op(op) {}

  /// The gradient of the operand. Transforms are linear, so it is the adjoint
  /// transform of the gradient of the result.
  Value build();

private:
  Value transform(Value x, FFTKind kind) {
    return b.create<FFTOp>(x, kind, op.getAxis(), /*length=*/uint64_t(0));
  }
  /// The real numbers that a spectrum's gradient belongs to: the real part of
  /// an unscaled inverse transform of the numbers that are there.
  Value ofReal(Value g);
  /// All numbers but the first and, for an even length, the last stand for
  /// their conjugates as well.
  Value ofSpectrum(Value g);

  GradientBuilder &b;
  FFTOp op;
};

Value FourierGradient::ofReal(Value g) {
  const auto axis = static_cast<int64_t>(op.getAxis());
  const int64_t length = shapeOf(op.getInput())[axis];
  SmallVector<int64_t> none(shapeOf(g).size(), 0), behind = none;
  behind[axis] = length - shapeOf(g)[axis];
  g = transform(b.pad(g, none, behind, none), FFTKind::ifft);
  SmallVector<int64_t> limits(shapeOf(g)), ones(limits.size(), 1);
  limits.back() = 1;
  return b.mul(
      b.reshape(b.slice(g, none, limits, ones), shapeOf(op.getInput())),
      static_cast<double>(length));
}

Value FourierGradient::ofSpectrum(Value g) {
  const auto axis = static_cast<int64_t>(op.getAxis());
  const auto length = static_cast<int64_t>(op.getLength());
  RankedTensorType type = typeOf(op.getInput());
  Type element = type.getElementType();
  SmallVector<Attribute> weights;
  for (int64_t k = 0; k < type.getDimSize(axis); ++k)
    weights.push_back(b.getBuilder().getFloatAttr(
        element,
        (k == 0 || 2 * k == length ? 1.0 : 2.0) / static_cast<double>(length)));
  Value ofNumber = b.create<ConstantOp>(DenseElementsAttr::get(
      RankedTensorType::get({type.getDimSize(axis)}, element), weights));
  return b.mul(transform(g, FFTKind::rfft),
               b.alongAxis(ofNumber, axis, type.getRank()));
}

Value FourierGradient::build() {
  Value g = b.gradient();
  const auto length = static_cast<double>(
      shapeOf(op.getInput())[static_cast<int64_t>(op.getAxis())]);
  switch (op.getKind()) {
  case FFTKind::fft:
    return b.mul(transform(g, FFTKind::ifft), length);
  case FFTKind::ifft:
    return b.mul(transform(g, FFTKind::fft), 1 / length);
  case FFTKind::rfft:
    return ofReal(g);
  case FFTKind::irfft:
    return ofSpectrum(g);
  }
  return {};
}

} // namespace

LogicalResult FFTOp::buildGradients(GradientBuilder &b) {
  if (b.isWanted(0))
    b.add(0, FourierGradient(b, *this).build());
  return success();
}

} // namespace tandem::ir
