//===- LineGradients.cpp - Gradients of scans and Fourier transforms ------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

using namespace mlir;

namespace tandem::ir {

/// Element i of a line adds to all sums from i on, so its gradient is the sum
/// of theirs: a scan from the other end.
LogicalResult ScanOp::buildGradients(GradientBuilder &b) {
  if (getKind() != ScanKind::sum)
    return b.fail("has no gradient for this kind", "kind 'sum' has one");
  b.add(0, b.create<ScanOp>(b.gradient(), ScanKind::sum, getAxis(),
                            getExclusive(), !getReverse()));
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
