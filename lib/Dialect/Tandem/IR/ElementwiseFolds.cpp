//===- ElementwiseFolds.cpp - Algebra of elementwise ops ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule holds for every value: the result has the same bits as without it,
// except that a NaN may be any NaN. The comment of a rule says why that is so
// for zeros of both signs, infinities, NaN and subnormal numbers.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

using namespace mlir;
using namespace tandem::ir;

/// `element` in every place of the result of `op`; null where its shape is not
/// known.
static OpFoldResult splatResult(Operation *op, double element) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return type.hasStaticShape() ? OpFoldResult(getSplat(type, element))
                               : nullptr;
}

/// Puts `operand` in the place of the first operand.
static OpFoldResult replaceOperand(Operation *op, Value operand) {
  op->setOperand(0, operand);
  return op->getResult(0);
}

/// The first operand of `op` where the rule holds, else nothing.
static OpFoldResult firstOperandIf(Operation *op, bool holds) {
  return holds ? asResultOf(op, op->getOperand(0)) : Value();
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// --x is x.
/// Special values: neg flips nothing but the sign bit, of zeros and NaN, too;
/// the least integer is its own negation.
OpFoldResult folds::negOfNeg(Operation *op, Operands) {
  auto inner = op->getOperand(0).getDefiningOp<NegOp>();
  return inner ? asResultOf(op, inner.getInput()) : Value();
}

/// ||x|| is |x|.
/// Special values: abs clears nothing but the sign bit; the least integer is
/// its own absolute value.
OpFoldResult folds::absOfAbs(Operation *op, Operands) {
  return firstOperandIf(op, op->getOperand(0).getDefiningOp<AbsOp>());
}

/// |-x| is |x|.
/// Special values: whatever neg does to the sign bit, abs clears it; the least
/// integer is its own negation and its own absolute value. Not of unsigned
/// integers, which abs leaves as they are and neg does not.
OpFoldResult folds::absOfNeg(Operation *op, Operands) {
  auto inner = op->getOperand(0).getDefiningOp<NegOp>();
  if (!inner || isUnsigned(inner.getInput()))
    return {};
  return replaceOperand(op, inner.getInput());
}

/// |x| is x.
/// Special values: none; x is unsigned.
OpFoldResult folds::absOfUnsigned(Operation *op, Operands) {
  return firstOperandIf(op, isUnsigned(op->getOperand(0)));
}

/// relu(relu(x)) is relu(x).
/// Special values: relu keeps zeros of both signs, inf and NaN as they are.
OpFoldResult folds::reluOfRelu(Operation *op, Operands) {
  return firstOperandIf(op, op->getOperand(0).getDefiningOp<ReluOp>());
}

/// relu(x) is x.
/// Special values: none; x is unsigned.
OpFoldResult folds::reluOfUnsigned(Operation *op, Operands) {
  return firstOperandIf(op, isUnsigned(op->getOperand(0)));
}

/// floor, ceil and round leave integral values as they are.
/// Special values: zeros keep their sign, infinities and NaN stay; no integral
/// value is subnormal.
OpFoldResult folds::roundingOfRounded(Operation *op, Operands) {
  return firstOperandIf(op, isa_and_nonnull<FloorOp, CeilOp, RoundOp>(
                                op->getOperand(0).getDefiningOp()));
}

/// not not x is x.
/// Special values: none; x is a truth value.
OpFoldResult folds::notOfNot(Operation *op, Operands) {
  auto inner = op->getOperand(0).getDefiningOp<LogicalNotOp>();
  return inner ? asResultOf(op, inner.getInput()) : Value();
}

/// A cast to the type that the operand has is the operand.
/// Special values: all stay, as nothing is rounded.
OpFoldResult folds::castToSameType(Operation *op, Operands) {
  return asResultOf(op, op->getOperand(0));
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

/// A cast of a cast that kept every value is a cast of the first operand. Float
/// to integer saturates and integer to integer wraps around, hence no mixing.
/// Special values: the first cast kept them all, subnormal numbers and the sign
/// of zero included, so that the second one rounds the same number.
OpFoldResult folds::castOfLosslessCast(Operation *op, Operands) {
  auto inner = op->getOperand(0).getDefiningOp<CastOp>();
  if (!inner)
    return {};
  Type first = getElementTypeOrSelf(inner.getInput());
  Type middle = getElementTypeOrSelf(inner.getResult());
  if (!isLossless(first, middle) ||
      (first != getElementTypeOrSelf(op->getResult(0)) &&
       isa<FloatType>(first) != isa<FloatType>(middle)))
    return {};
  if (Value same = asResultOf(op, inner.getInput()))
    return same;
  return replaceOperand(op, inner.getInput());
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// x + 0 is x.
/// Special values: of floats the zero is -0.0, which keeps both zeros; +0.0
/// would make +0.0 of -0.0. Infinities, NaN and subnormal numbers stay.
OpFoldResult folds::addZero(Operation *op, Operands operands) {
  const double zero = hasFloats(op->getOperand(0)) ? -0.0 : 0;
  return firstOperandIf(op, isSplatOf(operands[1], zero));
}

/// x - 0 is x.
/// Special values: of floats the zero is +0.0, which keeps both zeros; -0.0
/// would make +0.0 of -0.0. Infinities, NaN and subnormal numbers stay.
OpFoldResult folds::subtractZero(Operation *op, Operands operands) {
  return firstOperandIf(op, isSplatOf(operands[1], 0));
}

/// x - x is 0.
/// Special values: of integers alone, as it is NaN for infinities and NaN.
OpFoldResult folds::subtractFromItself(Operation *op, Operands) {
  if (op->getOperand(0) != op->getOperand(1) || hasFloats(op->getOperand(0)))
    return {};
  return splatResult(op, 0);
}

/// x * 1 is x.
/// Special values: zeros keep their sign, all others stay, too.
OpFoldResult folds::multiplyByOne(Operation *op, Operands operands) {
  return firstOperandIf(op, isSplatOf(operands[1], 1));
}

/// x * 0 is 0.
/// Special values: of integers alone, as it is NaN for infinities and NaN, and
/// -0.0 for negative numbers.
OpFoldResult folds::multiplyByZero(Operation *op, Operands operands) {
  if (hasFloats(op->getOperand(0)) || !isSplatOf(operands[1], 0))
    return {};
  return splatResult(op, 0);
}

/// x / 1 is x.
/// Special values: zeros keep their sign, all others stay, too.
OpFoldResult folds::divideByOne(Operation *op, Operands operands) {
  return firstOperandIf(op, isSplatOf(operands[1], 1));
}

/// max(x, x), min(x, x), x and x, x or x are x.
/// Special values: zeros of the same sign have that sign, NaN stays NaN.
OpFoldResult folds::ofEqualOperands(Operation *op, Operands) {
  return firstOperandIf(op, op->getOperand(0) == op->getOperand(1));
}

/// pow(x, 1) is x.
/// Special values: zeros keep their sign, as 1 is odd; all others stay, too.
OpFoldResult folds::raiseToOne(Operation *op, Operands operands) {
  return firstOperandIf(op, isSplatOf(operands[1], 1));
}

/// pow(x, 0) is 1.
/// Special values: for every x, zeros, infinities and NaN included, as IEEE 754
/// has it.
OpFoldResult folds::raiseToZero(Operation *op, Operands operands) {
  return isSplatOf(operands[1], 0) ? splatResult(op, 1) : nullptr;
}

/// x = x holds, as do x <= x and x >= x; the others do not.
/// Special values: of integers alone, as NaN is not equal to itself.
OpFoldResult folds::compareWithItself(Operation *op, Operands) {
  if (op->getOperand(0) != op->getOperand(1) || hasFloats(op->getOperand(0)))
    return {};
  ComparePredicate predicate = cast<CompareOp>(op).getPredicate();
  bool holds = predicate == ComparePredicate::eq ||
               predicate == ComparePredicate::le ||
               predicate == ComparePredicate::ge;
  return splatResult(op, holds);
}

/// x and true, x or false are x; x and false is false, x or true is true.
/// Special values: none; the operands are truth values.
OpFoldResult folds::andTrue(Operation *op, Operands operands) {
  return firstOperandIf(op, isSplatOf(operands[1], 1));
}
OpFoldResult folds::andFalse(Operation *op, Operands operands) {
  return isSplatOf(operands[1], 0) ? splatResult(op, 0) : nullptr;
}
OpFoldResult folds::orFalse(Operation *op, Operands operands) {
  return firstOperandIf(op, isSplatOf(operands[1], 0));
}
OpFoldResult folds::orTrue(Operation *op, Operands operands) {
  return isSplatOf(operands[1], 1) ? splatResult(op, 1) : nullptr;
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

/// select(p, x, x) is x.
/// Special values: all stay, as nothing is computed.
OpFoldResult folds::selectFromEqual(Operation *op, Operands) {
  if (op->getOperand(1) != op->getOperand(2))
    return {};
  return asResultOf(op, op->getOperand(1));
}

/// select(true, x, y) is x, select(false, x, y) is y.
/// Special values: all stay, as nothing is computed.
OpFoldResult folds::selectByConstant(Operation *op, Operands operands) {
  if (isSplatOf(operands[0], 1))
    return asResultOf(op, op->getOperand(1));
  if (isSplatOf(operands[0], 0))
    return asResultOf(op, op->getOperand(2));
  return {};
}

/// A clamp to the limits of the clamp before.
/// Special values: NaN stays NaN, as value or limit; where low is above high,
/// both clamps give high. Of zeros of different signs max and min give either.
OpFoldResult folds::clampOfClamp(Operation *op, Operands) {
  auto inner = op->getOperand(0).getDefiningOp<ClampOp>();
  return firstOperandIf(op, inner && inner.getLow() == op->getOperand(1) &&
                                inner.getHigh() == op->getOperand(2));
}
