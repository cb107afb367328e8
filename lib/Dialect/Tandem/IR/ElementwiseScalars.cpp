//===- ElementwiseScalars.cpp - Elementwise ops on scalars ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of every elementwise op as arith and math ops on scalars: what
// fused kernels compute, and what folds constants. No op here has undefined
// behavior or poison for any input.
//
//===----------------------------------------------------------------------===//

#include "ScalarEmitter.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Support/FunctionCoefficients.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace tandem::ir;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

#define TANDEM_UNARY_MATH(OP, MATH_OP)                                         \
  Value OP::buildScalar(OpBuilder &builder, Location loc,                      \
                        ValueRange scalars) {                                  \
    return builder.createOrFold<MATH_OP>(loc, scalars[0]);                     \
  }
TANDEM_UNARY_MATH(ExpOp, math::ExpOp)
TANDEM_UNARY_MATH(Expm1Op, math::ExpM1Op)
TANDEM_UNARY_MATH(LogOp, math::LogOp)
TANDEM_UNARY_MATH(Log1pOp, math::Log1pOp)
TANDEM_UNARY_MATH(SqrtOp, math::SqrtOp)
TANDEM_UNARY_MATH(RsqrtOp, math::RsqrtOp)
TANDEM_UNARY_MATH(TanhOp, math::TanhOp)
TANDEM_UNARY_MATH(ErfOp, math::ErfOp)
TANDEM_UNARY_MATH(SinOp, math::SinOp)
TANDEM_UNARY_MATH(CosOp, math::CosOp)
TANDEM_UNARY_MATH(AsinOp, math::AsinOp)
TANDEM_UNARY_MATH(AcosOp, math::AcosOp)
TANDEM_UNARY_MATH(AtanOp, math::AtanOp)
TANDEM_UNARY_MATH(FloorOp, math::FloorOp)
TANDEM_UNARY_MATH(CeilOp, math::CeilOp)
TANDEM_UNARY_MATH(RoundOp, math::RoundEvenOp)
#undef TANDEM_UNARY_MATH

Value NegOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  Value x = scalars[0];
  return e.isFloat(x) ? e.make<arith::NegFOp>(x) : e.sub(e.like(x, 0), x);
}

Value AbsOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  Value x = scalars[0];
  if (e.isFloat(x))
    return e.make<math::AbsFOp>(x);
  if (isUnsigned(getInput()))
    return x;
  Value zero = e.like(x, 0);
  Value isNegative = e.compare(arith::CmpIPredicate::slt, x, zero);
  return e.select(isNegative, e.sub(zero, x), x);
}

Value SignOp::buildScalar(OpBuilder &builder, Location loc,
                          ValueRange scalars) {
  ScalarEmitter e{builder, loc, isUnsigned(getInput())};
  Value x = scalars[0], zero = e.like(x, 0);
  if (e.isFloat(x)) {
    Value isZeroOrNan = e.compare(arith::CmpFPredicate::UEQ, x, zero);
    return e.select(isZeroOrNan, x, e.make<math::CopySignOp>(e.like(x, 1), x));
  }
  Value atLeast = e.isUnsigned ? x : e.maximum(x, e.like(x, -1));
  return e.minimum(atLeast, e.like(x, 1));
}

Value SigmoidOp::buildScalar(OpBuilder &builder, Location loc,
                             ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  Value x = scalars[0], one = e.like(x, 1);
  Value exp = e.make<math::ExpOp>(e.make<arith::NegFOp>(x));
  return e.make<arith::DivFOp>(one, e.add(one, exp));
}

Value ReluOp::buildScalar(OpBuilder &builder, Location loc,
                          ValueRange scalars) {
  ScalarEmitter e{builder, loc, isUnsigned(getInput())};
  Value x = scalars[0], zero = e.like(x, 0);
  // The maximum of -0.0 and 0.0 is -0.0 in kernels, as relu defines it, but 0.0
  // in the constant folder of MLIR; a constant is compared instead.
  if (e.isFloat(x) && matchPattern(x, m_Constant()))
    return e.select(e.compare(arith::CmpFPredicate::OLT, x, zero), zero, x);
  return e.maximum(x, zero);
}

Value GeluOp::buildScalar(OpBuilder &builder, Location loc,
                          ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  Value x = scalars[0], inner;
  if (getApproximateTanh()) {
    Value cube = e.mul(e.mul(x, x), x);
    Value sum = e.add(x, e.mul(e.like(x, 0.044715), cube));
    double factor = std::sqrt(2 * std::numbers::inv_pi);
    inner = e.make<math::TanhOp>(e.mul(e.like(x, factor), sum));
  } else {
    inner = e.make<math::ErfOp>(e.mul(e.like(x, 1 / std::numbers::sqrt2), x));
  }
  return e.mul(e.mul(e.like(x, 0.5), x), e.add(e.like(x, 1), inner));
}

/// Infinite numbers are replaced by numbers that are as far out, so that they
/// are not multiplied by 0.
Value GeluDerivativeOp::buildScalar(OpBuilder &builder, Location loc,
                                    ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  Value x = e.maximum(e.minimum(scalars[0], e.like(scalars[0], 40)),
                      e.like(scalars[0], -40));
  Value one = e.like(x, 1), half = e.like(x, 0.5), square = e.mul(x, x);
  if (!getApproximateTanh()) {
    Value erf =
        e.make<math::ErfOp>(e.mul(e.like(x, 1 / std::numbers::sqrt2), x));
    Value power = e.make<math::ExpOp>(e.mul(e.like(x, -0.5), square));
    const double scale = std::sqrt(std::numbers::inv_pi / 2);
    return e.add(e.mul(half, e.add(one, erf)),
                 e.mul(e.mul(e.like(x, scale), x), power));
  }
  const double factor = std::sqrt(2 * std::numbers::inv_pi), cubic = 0.044715;
  Value inner = e.mul(e.mul(e.like(x, factor), x),
                      e.add(one, e.mul(e.like(x, cubic), square)));
  Value tanh = e.make<math::TanhOp>(inner);
  Value slope =
      e.mul(e.like(x, factor), e.add(one, e.mul(e.like(x, 3 * cubic), square)));
  // (1 - tanh)(1 + tanh) cancels less than 1 - tanh^2.
  Value sum = e.add(one, tanh);
  Value ofInner = e.mul(e.mul(x, slope), e.mul(sum, e.sub(one, tanh)));
  return e.mul(half, e.add(sum, ofInner));
}

/// A polynomial of `small` where `isSmall` is true, and of `large` elsewhere.
/// Each coefficient is selected, so that one polynomial is evaluated.
template <size_t n>
static Value selectedPolynomial(ScalarEmitter &e, Value isSmall, Value small,
                                const double (&ofSmall)[n], Value large,
                                const double (&ofLarge)[n]) {
  Value x = e.select(isSmall, small, large), sum;
  for (size_t i = 0; i < n; ++i) {
    Value coefficient =
        e.select(isSmall, e.like(x, ofSmall[i]), e.like(x, ofLarge[i]));
    sum = i == 0 ? coefficient : e.add(e.mul(sum, x), coefficient);
  }
  return sum;
}

/// FunctionCoefficients.h describes the polynomials.
Value ErfinvOp::buildScalar(OpBuilder &builder, Location loc,
                            ValueRange scalars) {
  using P = ErfinvPolynomial;
  ScalarEmitter e{builder, loc};
  Value x = scalars[0], one = e.like(x, 1);
  auto isLess = [&](Value lhs, double rhs) {
    return e.compare(arith::CmpFPredicate::OLT, lhs, e.like(x, rhs));
  };
  Value magnitude = e.make<math::AbsFOp>(x);
  Value w = e.make<arith::NegFOp>(
      e.make<math::LogOp>(e.mul(e.sub(one, magnitude), e.add(one, magnitude))));
  Value root = e.make<math::SqrtOp>(w), isSmall = isLess(w, P::kSmall);
  Value small = e.sub(w, e.like(x, P::kSmallCenter));
  Value large = e.sub(root, e.like(x, P::kLargeCenter)), ratio;
  if (x.getType().isF64()) {
    Value largest = e.sub(root, e.like(x, P::kLargestCenter));
    ratio = e.select(isLess(w, P::kLarge),
                     selectedPolynomial(e, isSmall, small, kErfinvSmall, large,
                                        kErfinvLarge),
                     selectedPolynomial(e, isSmall, largest, kErfinvLargest,
                                        largest, kErfinvLargest));
  } else {
    ratio = selectedPolynomial(e, isSmall, small, kErfinvSmallF32, large,
                               kErfinvLargeF32);
  }
  Value isOne = e.compare(arith::CmpFPredicate::OEQ, magnitude, one);
  double infinity = std::numeric_limits<double>::infinity();
  return e.mul(x, e.select(isOne, e.like(x, infinity), ratio));
}

/// max(x, 0) + log1p(exp(-|x|)): neither exp overflows nor the sum cancels.
Value SoftplusOp::buildScalar(OpBuilder &builder, Location loc,
                              ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  Value x = scalars[0];
  Value magnitude = e.make<math::AbsFOp>(x);
  Value exp = e.make<math::ExpOp>(e.make<arith::NegFOp>(magnitude));
  return e.add(e.maximum(x, e.like(x, 0)), e.make<math::Log1pOp>(exp));
}

Value LogicalNotOp::buildScalar(OpBuilder &builder, Location loc,
                                ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  return e.make<arith::XOrIOp>(scalars[0], e.like(scalars[0], 1));
}

Value BitwiseNotOp::buildScalar(OpBuilder &builder, Location loc,
                                ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  return e.make<arith::XOrIOp>(scalars[0], e.like(scalars[0], -1));
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

#define TANDEM_BINARY(OP, METHOD)                                              \
  Value OP::buildScalar(OpBuilder &builder, Location loc,                      \
                        ValueRange scalars) {                                  \
    return ScalarEmitter{builder, loc, isUnsigned(getLhs())}.METHOD(           \
        scalars[0], scalars[1]);                                               \
  }
TANDEM_BINARY(AddOp, add)
TANDEM_BINARY(SubOp, sub)
TANDEM_BINARY(MulOp, mul)
TANDEM_BINARY(MaxOp, maximum)
TANDEM_BINARY(MinOp, minimum)
TANDEM_BINARY(LogicalAndOp, make<arith::AndIOp>)
TANDEM_BINARY(LogicalOrOp, make<arith::OrIOp>)
TANDEM_BINARY(BitwiseAndOp, make<arith::AndIOp>)
TANDEM_BINARY(BitwiseOrOp, make<arith::OrIOp>)
TANDEM_BINARY(BitwiseXorOp, make<arith::XOrIOp>)
#undef TANDEM_BINARY

/// x / 0 is -1, which of an unsigned type is the largest value.
static Value divideUnsigned(ScalarEmitter &e, Value x, Value y) {
  Value isZero = e.compare(arith::CmpIPredicate::eq, y, e.like(y, 0));
  Value quotient = e.make<arith::DivUIOp>(x, e.select(isZero, e.like(y, 1), y));
  return e.select(isZero, e.like(x, -1), quotient);
}

/// x / 0 is -1; the least value / -1 is itself.
static Value divideSigned(ScalarEmitter &e, Value x, Value y) {
  Value minusOne = e.like(x, -1), one = e.like(x, 1);
  Value isZero = e.compare(arith::CmpIPredicate::eq, y, e.like(y, 0));
  Value isMinusOne = e.compare(arith::CmpIPredicate::eq, y, minusOne);
  Value isUnsafe = e.make<arith::OrIOp>(isZero, isMinusOne);
  Value quotient = e.make<arith::DivSIOp>(x, e.select(isUnsafe, one, y));
  Value negated = e.select(isMinusOne, e.sub(e.like(x, 0), x), quotient);
  return e.select(isZero, minusOne, negated);
}

static Value divideInts(ScalarEmitter &e, Value x, Value y) {
  return e.isUnsigned ? divideUnsigned(e, x, y) : divideSigned(e, x, y);
}

Value DivOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  ScalarEmitter e{builder, loc, isUnsigned(getLhs())};
  if (e.isFloat(scalars[0]))
    return e.make<arith::DivFOp>(scalars[0], scalars[1]);
  return divideInts(e, scalars[0], scalars[1]);
}

Value RemOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  ScalarEmitter e{builder, loc, isUnsigned(getLhs())};
  Value x = scalars[0], y = scalars[1];
  if (e.isFloat(x))
    return e.make<arith::RemFOp>(x, y);
  return e.sub(x, e.mul(y, divideInts(e, x, y)));
}

/// Computes powers by squaring, one step per bit of the exponent. With a
/// negative exponent, bases 1 and -1 have integer results; all others give 0.
static Value raiseInts(ScalarEmitter &e, Value x, Value y) {
  Value zero = e.like(x, 0), one = e.like(x, 1);
  Value result = one, square = x;
  unsigned width = x.getType().getIntOrFloatBitWidth();
  for (unsigned bit = 0; bit < (e.isUnsigned ? width : width - 1); ++bit) {
    Value mask = e.constant(x.getType(), APInt::getOneBitSet(width, bit));
    Value isSet = e.compare(arith::CmpIPredicate::ne,
                            e.make<arith::AndIOp>(y, mask), zero);
    result = e.select(isSet, e.mul(result, square), result);
    square = e.mul(square, square);
  }
  if (e.isUnsigned)
    return result;
  // The loop has the powers of 1 and -1 right for negative exponents, too.
  Value isUnit = e.make<arith::OrIOp>(
      e.compare(arith::CmpIPredicate::eq, x, one),
      e.compare(arith::CmpIPredicate::eq, x, e.like(x, -1)));
  Value isNegative = e.compare(arith::CmpIPredicate::slt, y, zero);
  Value fraction = e.select(isUnit, result, zero);
  return e.select(isNegative, fraction, result);
}

Value PowOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  ScalarEmitter e{builder, loc, isUnsigned(getLhs())};
  if (e.isFloat(scalars[0]))
    return e.make<math::PowFOp>(scalars[0], scalars[1]);
  return raiseInts(e, scalars[0], scalars[1]);
}

Value SigmoidBackwardOp::buildScalar(OpBuilder &builder, Location loc,
                                     ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  Value y = scalars[0], g = scalars[1];
  Value rest = e.make<arith::SubFOp>(e.like(y, 1), y);
  return e.mul(e.mul(rest, g), y);
}

/// Returns the shift count, limited to the number of bits minus one as arith
/// requires, and whether the count was within this limit.
static std::pair<Value, Value> limitShift(ScalarEmitter &e, Value count) {
  unsigned width = count.getType().getIntOrFloatBitWidth();
  Value most = e.like(count, width - 1);
  return {e.make<arith::MinUIOp>(count, most),
          e.compare(arith::CmpIPredicate::ule, count, most)};
}

Value ShiftLeftOp::buildScalar(OpBuilder &builder, Location loc,
                               ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  auto [count, isInRange] = limitShift(e, scalars[1]);
  Value shifted = e.make<arith::ShLIOp>(scalars[0], count);
  return e.select(isInRange, shifted, e.like(shifted, 0));
}

Value ShiftRightOp::buildScalar(OpBuilder &builder, Location loc,
                                ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  auto [count, isInRange] = limitShift(e, scalars[1]);
  if (!isUnsigned(getLhs()))
    return e.make<arith::ShRSIOp>(scalars[0], count);
  Value shifted = e.make<arith::ShRUIOp>(scalars[0], count);
  return e.select(isInRange, shifted, e.like(shifted, 0));
}

static arith::CmpFPredicate floatPredicate(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::eq:
    return arith::CmpFPredicate::OEQ;
  case ComparePredicate::ne:
    return arith::CmpFPredicate::UNE;
  case ComparePredicate::lt:
    return arith::CmpFPredicate::OLT;
  case ComparePredicate::le:
    return arith::CmpFPredicate::OLE;
  case ComparePredicate::gt:
    return arith::CmpFPredicate::OGT;
  case ComparePredicate::ge:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("unknown predicate");
}

static arith::CmpIPredicate intPredicate(ComparePredicate predicate,
                                         bool isSigned) {
  using arith::CmpIPredicate;
  switch (predicate) {
  case ComparePredicate::eq:
    return CmpIPredicate::eq;
  case ComparePredicate::ne:
    return CmpIPredicate::ne;
  case ComparePredicate::lt:
    return isSigned ? CmpIPredicate::slt : CmpIPredicate::ult;
  case ComparePredicate::le:
    return isSigned ? CmpIPredicate::sle : CmpIPredicate::ule;
  case ComparePredicate::gt:
    return isSigned ? CmpIPredicate::sgt : CmpIPredicate::ugt;
  case ComparePredicate::ge:
    return isSigned ? CmpIPredicate::sge : CmpIPredicate::uge;
  }
  llvm_unreachable("unknown predicate");
}

Value CompareOp::buildScalar(OpBuilder &builder, Location loc,
                             ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  Value x = scalars[0], y = scalars[1];
  if (e.isFloat(x))
    return e.compare(floatPredicate(getPredicate()), x, y);
  bool isSigned = !x.getType().isInteger(1) && !isUnsigned(getLhs());
  return e.compare(intPredicate(getPredicate(), isSigned), x, y);
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

Value SelectOp::buildScalar(OpBuilder &builder, Location loc,
                            ValueRange scalars) {
  return ScalarEmitter{builder, loc}.select(scalars[0], scalars[1], scalars[2]);
}

Value ClampOp::buildScalar(OpBuilder &builder, Location loc,
                           ValueRange scalars) {
  ScalarEmitter e{builder, loc, isUnsigned(getInput())};
  return e.minimum(e.maximum(scalars[0], scalars[1]), scalars[2]);
}
