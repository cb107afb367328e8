//===- ElementwiseGradients.cpp - Gradients of ops of several operands ----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands may be broadcast: GradientBuilder::add sums their gradients.
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/GradientBuilder.h"

using namespace mlir;

namespace tandem::ir {

LogicalResult AddOp::buildGradients(GradientBuilder &b) {
  b.add(0, b.gradient());
  b.add(1, b.gradient());
  return success();
}

LogicalResult SubOp::buildGradients(GradientBuilder &b) {
  b.add(0, b.gradient());
  if (b.isWanted(1)) // Fewer elements are negated if the operand was broadcast.
    b.add(1, b.neg(b.sumTo(b.gradient(), typeOf(getRhs()).getShape())));
  return success();
}

LogicalResult MulOp::buildGradients(GradientBuilder &b) {
  if (b.isWanted(0))
    b.add(0, b.mul(b.gradient(), getRhs()));
  if (b.isWanted(1))
    b.add(1, b.mul(b.gradient(), getLhs()));
  return success();
}

/// The gradient of the divisor y is -g (x / y) / y. In the form -(g / y) (x /
/// y), it would be NaN if x is 0 and g / y overflows.
LogicalResult DivOp::buildGradients(GradientBuilder &b) {
  if (b.isWanted(0))
    b.add(0, b.div(b.gradient(), getRhs()));
  if (b.isWanted(1))
    b.add(1, b.neg(b.div(b.mul(b.gradient(), getResult()), getRhs())));
  return success();
}

/// The remainder is x - y * trunc(x / y), of which trunc is constant between
/// jumps.
LogicalResult RemOp::buildGradients(GradientBuilder &b) {
  b.add(0, b.gradient());
  if (!b.isWanted(1))
    return success();
  Value quotient = b.div(b.sub(getLhs(), getResult()), getRhs());
  b.add(1, b.neg(b.mul(b.gradient(), b.create<RoundOp>(quotient))));
  return success();
}

/// For y >= 0, the logarithm of x = 0 does not count: 0^y is constant in y.
LogicalResult PowOp::buildGradients(GradientBuilder &b) {
  Value x = getLhs(), y = getRhs(), g = b.gradient();
  Value zero = b.scalar(0, x);
  if (b.isWanted(0)) {
    Value power = b.create<PowOp>(x, b.sub(y, b.scalar(1, y)));
    Value slope = b.mul(y, power);
    b.add(0, b.mul(g, b.select(b.compare(ComparePredicate::eq, y, zero), zero,
                               slope)));
  }
  if (b.isWanted(1)) {
    Value isConstant =
        b.create<LogicalAndOp>(b.compare(ComparePredicate::eq, x, zero),
                               b.compare(ComparePredicate::ge, y, zero));
    Value logarithm = b.create<LogOp>(b.select(isConstant, b.scalar(1, x), x));
    b.add(1, b.mul(g, b.mul(getResult(), logarithm)));
  }
  return success();
}

/// Adds the gradients of an op that chooses the operand for which `predicate`
/// holds. Equal operands have half of the gradient each (G1).
static void addOfChoice(GradientBuilder &b, Value lhs, Value rhs,
                        ComparePredicate predicate) {
  Value g = b.gradient(), zero = b.scalar(0, g);
  Value half =
      b.select(b.compare(ComparePredicate::eq, lhs, rhs), b.mul(g, 0.5), zero);
  if (b.isWanted(0))
    b.add(0, b.select(b.compare(predicate, lhs, rhs), g, half));
  if (b.isWanted(1))
    b.add(1, b.select(b.compare(predicate, rhs, lhs), g, half));
}

/// The gradient of (1 - y) h y is (1 - 2 y) h for y, and (1 - y) y for h.
LogicalResult SigmoidBackwardOp::buildGradients(GradientBuilder &b) {
  Value y = getLhs(), h = getRhs(), g = b.gradient();
  if (b.isWanted(0)) {
    Value slope = b.sub(b.scalar(1, y), b.mul(y, 2));
    b.add(0, b.mul(b.mul(g, h), slope));
  }
  if (b.isWanted(1))
    b.add(1, b.create<SigmoidBackwardOp>(y, g));
  return success();
}

LogicalResult MaxOp::buildGradients(GradientBuilder &b) {
  addOfChoice(b, getLhs(), getRhs(), ComparePredicate::gt);
  return success();
}

LogicalResult MinOp::buildGradients(GradientBuilder &b) {
  addOfChoice(b, getLhs(), getRhs(), ComparePredicate::lt);
  return success();
}

LogicalResult SelectOp::buildGradients(GradientBuilder &b) {
  Value g = b.gradient(), zero = b.scalar(0, g);
  if (b.isWanted(1))
    b.add(1, b.select(getCondition(), g, zero));
  if (b.isWanted(2))
    b.add(2, b.select(getCondition(), zero, g));
  return success();
}

/// The result is min(max(x, low), high). An element that equals a bound has the
/// gradient 0, or half of it if the bound has the other half (G1). Operands
/// have the gradient 0 where one of them is NaN.
LogicalResult ClampOp::buildGradients(GradientBuilder &b) {
  Value x = getInput(), low = getLow(), high = getHigh(), g = b.gradient();
  Value zero = b.scalar(0, g);
  // Divides `all` among `inner` and a bound, by which of them is chosen.
  auto innerShare = [&](Value inner, Value bound, unsigned operand,
                        ComparePredicate isChosen, Value all) {
    Value atBound = b.isWanted(operand) ? b.mul(all, 0.5) : zero;
    Value isEqual = b.compare(ComparePredicate::eq, inner, bound);
    return b.select(b.compare(isChosen, inner, bound), all,
                    b.select(isEqual, atBound, zero));
  };
  Value raised = b.create<MaxOp>(x, low);
  Value ofRaised = innerShare(raised, high, 2, ComparePredicate::lt, g);
  Value ofInput = innerShare(x, low, 1, ComparePredicate::gt, ofRaised);
  b.add(0, ofInput);
  if (b.isWanted(1))
    b.add(1, innerShare(low, x, 1, ComparePredicate::gt, ofRaised));
  if (b.isWanted(2))
    b.add(2, innerShare(high, raised, 2, ComparePredicate::lt, g));
  return success();
}

} // namespace tandem::ir
