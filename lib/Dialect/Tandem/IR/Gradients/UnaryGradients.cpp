//===- UnaryGradients.cpp - Gradients of functions of one operand ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule uses the result of an op where that is cheaper, so that the operand
// need not be kept. Gradients at kinks are those of PyTorch and JAX, and have
// labels (G1, ...) in the descriptions of the ops.
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

#include <cmath>

using namespace mlir;

namespace tandem::ir {

namespace {
constexpr double kPi = 3.14159265358979323846;
} // namespace

/// Defines the gradient of an op with operand x, result y and the result's
/// gradient g.
#define TANDEM_UNARY_GRADIENT(OP, gradientOfX)                                 \
  LogicalResult OP::buildGradients(GradientBuilder &b) {                       \
    [[maybe_unused]] Value x = getInput(), y = getResult(), g = b.gradient();  \
    b.add(0, gradientOfX);                                                     \
    return success();                                                          \
  }

TANDEM_UNARY_GRADIENT(NegOp, b.neg(g))
TANDEM_UNARY_GRADIENT(AbsOp, b.mul(g, b.create<SignOp>(x)))
TANDEM_UNARY_GRADIENT(ExpOp, b.mul(g, y))
TANDEM_UNARY_GRADIENT(Expm1Op, b.mul(g, b.add(y, b.scalar(1, y))))
TANDEM_UNARY_GRADIENT(LogOp, b.div(g, x))
TANDEM_UNARY_GRADIENT(Log1pOp, b.div(g, b.add(x, b.scalar(1, x))))
TANDEM_UNARY_GRADIENT(SqrtOp, b.div(b.mul(g, 0.5), y))
TANDEM_UNARY_GRADIENT(RsqrtOp, b.mul(b.mul(g, b.mul(b.mul(y, y), y)), -0.5))
TANDEM_UNARY_GRADIENT(TanhOp, b.mul(g, b.sub(b.scalar(1, y), b.mul(y, y))))
TANDEM_UNARY_GRADIENT(SigmoidOp, b.create<SigmoidBackwardOp>(y, g))
TANDEM_UNARY_GRADIENT(SoftplusOp, b.mul(g, b.create<SigmoidOp>(x)))
TANDEM_UNARY_GRADIENT(SinOp, b.mul(g, b.create<CosOp>(x)))
TANDEM_UNARY_GRADIENT(CosOp, b.neg(b.mul(g, b.create<SinOp>(x))))
TANDEM_UNARY_GRADIENT(AtanOp, b.div(g, b.add(b.scalar(1, x), b.mul(x, x))))
TANDEM_UNARY_GRADIENT(ReluOp, b.select(b.compare(ComparePredicate::gt, y,
                                                 b.scalar(0, y)),
                                       g, b.scalar(0, g)))

/// 1 / sqrt(1 - x^2), as (1 - x)(1 + x), which does not cancel near 1.
static Value slopeOfArcsine(GradientBuilder &b, Value x) {
  Value one = b.scalar(1, x);
  return b.create<RsqrtOp>(b.mul(b.sub(one, x), b.add(one, x)));
}
TANDEM_UNARY_GRADIENT(AsinOp, b.mul(g, slopeOfArcsine(b, x)))
TANDEM_UNARY_GRADIENT(AcosOp, b.neg(b.mul(g, slopeOfArcsine(b, x))))

/// exp(x^2 * factor) * scale.
static Value gaussian(GradientBuilder &b, Value x, double factor,
                      double scale) {
  return b.mul(b.create<ExpOp>(b.mul(b.mul(x, x), factor)), scale);
}
TANDEM_UNARY_GRADIENT(ErfOp, b.mul(g, gaussian(b, x, -1, 2 / std::sqrt(kPi))))
TANDEM_UNARY_GRADIENT(ErfinvOp, b.mul(g, gaussian(b, y, 1, std::sqrt(kPi) / 2)))

TANDEM_UNARY_GRADIENT(
    GeluOp, b.mul(g, b.create<GeluDerivativeOp>(x, getApproximateTanh())))

/// `x`, cut off where the density of gelu is 0 in all types, so that it is not
/// multiplied by an infinite x.
static Value cutOff(GradientBuilder &b, Value x) {
  return b.create<ClampOp>(x, b.scalar(-40, x), b.scalar(40, x));
}

/// The second derivative of x * P(x), where P is the normal distribution with
/// density p: (2 - x^2) p. Or that of its approximation P(x) = (1 + t) / 2,
/// t = tanh(u), u = c (x + d x^3): (1 - t^2) (u' + x (u'' / 2 - t u'^2)).
static Value curvatureOfGelu(GradientBuilder &b, Value x, bool approximate) {
  Value cut = cutOff(b, x);
  Value one = b.scalar(1, x), square = b.mul(cut, cut);
  if (!approximate)
    return b.mul(b.sub(b.scalar(2, x), square),
                 gaussian(b, cut, -0.5, 1 / std::sqrt(2 * kPi)));
  const double c = std::sqrt(2 / kPi), d = 0.044715;
  Value u = b.mul(b.mul(cut, c), b.add(one, b.mul(square, d)));
  Value t = b.create<TanhOp>(u);
  Value slope = b.mul(b.add(one, b.mul(square, 3 * d)), c);
  Value bend = b.sub(b.mul(cut, 3 * c * d), b.mul(t, b.mul(slope, slope)));
  return b.mul(b.mul(b.sub(one, t), b.add(one, t)),
               b.add(slope, b.mul(cut, bend)));
}
TANDEM_UNARY_GRADIENT(GeluDerivativeOp,
                      b.mul(g, curvatureOfGelu(b, x, getApproximateTanh())))

/// Casts between floats have the gradient 1; integers have none.
LogicalResult CastOp::buildGradients(GradientBuilder &b) {
  Type from = typeOf(getInput()).getElementType();
  if (isa<FloatType>(from) &&
      isa<FloatType>(typeOf(getResult()).getElementType()))
    b.add(0, b.cast(b.gradient(), from));
  return success();
}

#undef TANDEM_UNARY_GRADIENT

} // namespace tandem::ir
