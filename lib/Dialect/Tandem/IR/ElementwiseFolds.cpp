//===- ElementwiseFolds.cpp - Algebra of elementwise ops ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Only what holds for every value, NaN, infinities and signed zeros included,
// up to the rounding of one operation.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

using namespace mlir;
using namespace tandem::ir;

static bool hasFloats(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

OpFoldResult NegOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<NegOp>();
  return inner ? asResultOf(*this, inner.getInput()) : Value();
}

/// |-x| and ||x||.
OpFoldResult AbsOp::fold(FoldAdaptor) {
  if (getInput().getDefiningOp<AbsOp>() || isUnsigned(getInput()))
    return asResultOf(*this, getInput());
  auto inner = getInput().getDefiningOp<NegOp>();
  if (!inner)
    return {};
  getInputMutable().assign(inner.getInput());
  return getResult();
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  if (getInput().getDefiningOp<ReluOp>() || isUnsigned(getInput()))
    return asResultOf(*this, getInput());
  return {};
}

/// What rounds to integers leaves integers alone.
static Value foldRounding(Operation *op) {
  Operation *inner = op->getOperand(0).getDefiningOp();
  if (isa_and_nonnull<FloorOp, CeilOp, RoundOp>(inner))
    return asResultOf(op, inner->getResult(0));
  return {};
}
OpFoldResult FloorOp::fold(FoldAdaptor) { return foldRounding(*this); }
OpFoldResult CeilOp::fold(FoldAdaptor) { return foldRounding(*this); }
OpFoldResult RoundOp::fold(FoldAdaptor) { return foldRounding(*this); }

OpFoldResult LogicalNotOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<LogicalNotOp>();
  return inner ? asResultOf(*this, inner.getInput()) : Value();
}

/// Whether every value of type `from` is one of type `to`.
static bool isLossless(Type from, Type to) {
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return fromFloat.getFPMantissaWidth() <= toFloat.getFPMantissaWidth() &&
           APFloat::semanticsMaxExponent(fromFloat.getFloatSemantics()) <=
               APFloat::semanticsMaxExponent(toFloat.getFloatSemantics());
  if (fromFloat)
    return false;
  // The sign of an integer takes a bit that a mantissa does not need.
  auto hasSign = [](Type type) {
    return !type.isInteger(1) && !type.isUnsignedInteger();
  };
  unsigned bits = from.getIntOrFloatBitWidth();
  if (toFloat)
    return bits - hasSign(from) <= toFloat.getFPMantissaWidth();
  unsigned most = to.getIntOrFloatBitWidth();
  return hasSign(from) == hasSign(to) ? bits <= most
                                      : !hasSign(from) && bits < most;
}

/// A cast to the same type, and one of a cast that kept every value. Float to
/// integer saturates and integer to integer wraps around, hence no mixing.
OpFoldResult CastOp::fold(FoldAdaptor) {
  if (Value same = asResultOf(*this, getInput()))
    return same;
  auto inner = getInput().getDefiningOp<CastOp>();
  if (!inner)
    return {};
  Type first = getElementTypeOrSelf(inner.getInput());
  Type middle = getElementTypeOrSelf(getInput());
  if (!isLossless(first, middle) ||
      (first != getDtype() && isa<FloatType>(first) != isa<FloatType>(middle)))
    return {};
  if (Value same = asResultOf(*this, inner.getInput()))
    return same;
  getInputMutable().assign(inner.getInput());
  return getResult();
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// x + 0 for integers; x + -0.0, as 0.0 would change the sign of -0.0.
OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), hasFloats(getLhs()) ? -0.0 : 0))
    return asResultOf(*this, getLhs());
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 0))
    return asResultOf(*this, getLhs());
  if (getLhs() == getRhs() && !hasFloats(getLhs()) &&
      getType().hasStaticShape())
    return getSplat(getType(), 0);
  return {};
}

/// x * 1, and x * 0 for integers.
OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return asResultOf(*this, getLhs());
  if (!hasFloats(getLhs()) && isSplatOf(adaptor.getRhs(), 0) &&
      getType().hasStaticShape())
    return getSplat(getType(), 0);
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return asResultOf(*this, getLhs());
  return {};
}

/// An op f with f(x, x) = x.
static Value foldIdempotent(Operation *op) {
  if (op->getOperand(0) == op->getOperand(1))
    return asResultOf(op, op->getOperand(0));
  return {};
}
OpFoldResult MaxOp::fold(FoldAdaptor) { return foldIdempotent(*this); }
OpFoldResult MinOp::fold(FoldAdaptor) { return foldIdempotent(*this); }

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return asResultOf(*this, getLhs());
  if (isSplatOf(adaptor.getRhs(), 0) && getType().hasStaticShape())
    return getSplat(getType(), 1);
  return {};
}

/// A value compared with itself, where there is no NaN.
OpFoldResult CompareOp::fold(FoldAdaptor) {
  if (getLhs() != getRhs() || hasFloats(getLhs()) ||
      !getType().hasStaticShape())
    return {};
  ComparePredicate predicate = getPredicate();
  bool holds = predicate == ComparePredicate::eq ||
               predicate == ComparePredicate::le ||
               predicate == ComparePredicate::ge;
  return getSplat(getType(), holds);
}

/// `neutral` leaves the other operand as it is; its negation decides alone.
static OpFoldResult foldLogical(Operation *op, Attribute rhs, bool neutral) {
  if (Value same = foldIdempotent(op))
    return same;
  if (isSplatOf(rhs, neutral))
    return asResultOf(op, op->getOperand(0));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (isSplatOf(rhs, !neutral) && type.hasStaticShape())
    return getSplat(type, !neutral);
  return {};
}
OpFoldResult LogicalAndOp::fold(FoldAdaptor adaptor) {
  return foldLogical(*this, adaptor.getRhs(), true);
}
OpFoldResult LogicalOrOp::fold(FoldAdaptor adaptor) {
  return foldLogical(*this, adaptor.getRhs(), false);
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() || isSplatOf(adaptor.getCondition(), 1))
    return asResultOf(*this, getOnTrue());
  if (isSplatOf(adaptor.getCondition(), 0))
    return asResultOf(*this, getOnFalse());
  return {};
}

/// A clamp to the limits of the clamp before.
OpFoldResult ClampOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<ClampOp>();
  if (inner && inner.getLow() == getLow() && inner.getHigh() == getHigh())
    return asResultOf(*this, getInput());
  return {};
}
