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
// behaviour or poison for any input.
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/IntToFloat.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace tandem::ir;

namespace {

/// Builds ops at one location; floats and integers by the operand's type. On
/// constants it folds: the folder of tensor constants relies on that.
struct Emitter {
  OpBuilder &builder;
  Location loc;

  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return builder.createOrFold<OpTy>(loc, std::forward<Args>(args)...);
  }
  /// FloatOp or IntOp, by the type of the first operand.
  template <typename FloatOp, typename IntOp>
  Value either(ValueRange operands) {
    if (isFloat(operands[0]))
      return make<FloatOp>(operands);
    return make<IntOp>(operands);
  }

  static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

  Value constant(Type type, double value) {
    if (isa<FloatType>(type))
      return make<arith::ConstantOp>(builder.getFloatAttr(type, value));
    return make<arith::ConstantOp>(
        builder.getIntegerAttr(type, static_cast<int64_t>(value)));
  }
  Value constant(Type type, const APInt &value) {
    return make<arith::ConstantOp>(builder.getIntegerAttr(type, value));
  }
  Value like(Value value, double number) {
    return constant(value.getType(), number);
  }

  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return make<arith::CmpIOp>(predicate, lhs, rhs);
  }
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return make<arith::CmpFOp>(predicate, lhs, rhs);
  }
  Value select(Value condition, Value onTrue, Value onFalse) {
    return make<arith::SelectOp>(condition, onTrue, onFalse);
  }

  Value add(Value x, Value y) {
    return either<arith::AddFOp, arith::AddIOp>({x, y});
  }
  Value sub(Value x, Value y) {
    return either<arith::SubFOp, arith::SubIOp>({x, y});
  }
  Value mul(Value x, Value y) {
    return either<arith::MulFOp, arith::MulIOp>({x, y});
  }
  Value maximum(Value x, Value y) {
    return either<arith::MaximumFOp, arith::MaxSIOp>({x, y});
  }
  Value minimum(Value x, Value y) {
    return either<arith::MinimumFOp, arith::MinSIOp>({x, y});
  }
};

} // namespace

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
TANDEM_UNARY_MATH(FloorOp, math::FloorOp)
TANDEM_UNARY_MATH(CeilOp, math::CeilOp)
TANDEM_UNARY_MATH(RoundOp, math::RoundEvenOp)
#undef TANDEM_UNARY_MATH

Value NegOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Emitter e{builder, loc};
  Value x = scalars[0];
  return e.isFloat(x) ? e.make<arith::NegFOp>(x) : e.sub(e.like(x, 0), x);
}

Value AbsOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Emitter e{builder, loc};
  Value x = scalars[0];
  if (e.isFloat(x))
    return e.make<math::AbsFOp>(x);
  Value zero = e.like(x, 0);
  Value isNegative = e.compare(arith::CmpIPredicate::slt, x, zero);
  return e.select(isNegative, e.sub(zero, x), x);
}

Value SignOp::buildScalar(OpBuilder &builder, Location loc,
                          ValueRange scalars) {
  Emitter e{builder, loc};
  Value x = scalars[0], zero = e.like(x, 0);
  if (e.isFloat(x)) {
    Value isZeroOrNan = e.compare(arith::CmpFPredicate::UEQ, x, zero);
    return e.select(isZeroOrNan, x, e.make<math::CopySignOp>(e.like(x, 1), x));
  }
  return e.minimum(e.maximum(x, e.like(x, -1)), e.like(x, 1));
}

Value SigmoidOp::buildScalar(OpBuilder &builder, Location loc,
                             ValueRange scalars) {
  Emitter e{builder, loc};
  Value x = scalars[0], one = e.like(x, 1);
  Value exp = e.make<math::ExpOp>(e.make<arith::NegFOp>(x));
  return e.make<arith::DivFOp>(one, e.add(one, exp));
}

Value ReluOp::buildScalar(OpBuilder &builder, Location loc,
                          ValueRange scalars) {
  Emitter e{builder, loc};
  return e.maximum(scalars[0], e.like(scalars[0], 0));
}

Value GeluOp::buildScalar(OpBuilder &builder, Location loc,
                          ValueRange scalars) {
  Emitter e{builder, loc};
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

/// max(x, 0) + log1p(exp(-|x|)): neither exp overflows nor the sum cancels.
Value SoftplusOp::buildScalar(OpBuilder &builder, Location loc,
                              ValueRange scalars) {
  Emitter e{builder, loc};
  Value x = scalars[0];
  Value magnitude = e.make<math::AbsFOp>(x);
  Value exp = e.make<math::ExpOp>(e.make<arith::NegFOp>(magnitude));
  return e.add(e.maximum(x, e.like(x, 0)), e.make<math::Log1pOp>(exp));
}

Value LogicalNotOp::buildScalar(OpBuilder &builder, Location loc,
                                ValueRange scalars) {
  Emitter e{builder, loc};
  return e.make<arith::XOrIOp>(scalars[0], e.like(scalars[0], 1));
}

//===----------------------------------------------------------------------===//
// cast
//===----------------------------------------------------------------------===//

/// Truncates; what is out of range saturates, and NaN becomes zero.
static Value floatToInt(Emitter &e, Value x, IntegerType to) {
  if (x.getType().getIntOrFloatBitWidth() < 32)
    x = e.make<arith::ExtFOp>(e.builder.getF32Type(), x);
  unsigned width = to.getWidth();
  Value low = e.like(x, -std::ldexp(1.0, width - 1));
  Value high = e.like(x, std::ldexp(1.0, width - 1));
  Value notLow = e.compare(arith::CmpFPredicate::OGE, x, low);
  Value isHigh = e.compare(arith::CmpFPredicate::OGE, x, high);
  Value isLow = e.compare(arith::CmpFPredicate::OLT, x, low);
  Value notHigh = e.compare(arith::CmpFPredicate::OLT, x, high);
  Value inRange = e.make<arith::AndIOp>(notLow, notHigh);
  Value safe = e.select(inRange, x, e.like(x, 0));
  Value result = e.make<arith::FPToSIOp>(to, safe);
  Value most = e.constant(to, APInt::getSignedMaxValue(width));
  Value least = e.constant(to, APInt::getSignedMinValue(width));
  return e.select(isHigh, most, e.select(isLow, least, result));
}

static Value floatToFloat(Emitter &e, Value x, FloatType to) {
  unsigned from = x.getType().getIntOrFloatBitWidth(), width = to.getWidth();
  if (from == width) { // f16 and bf16
    x = e.make<arith::ExtFOp>(e.builder.getF32Type(), x);
    from = 32;
  }
  if (from < width)
    return e.make<arith::ExtFOp>(to, x);
  return e.make<arith::TruncFOp>(to, x);
}

/// `x` rounded to odd where it has more than `bits` binary digits: rounding the
/// result to any type of at least two digits less is rounding `x` (Boldo and
/// Melquiond, "When double rounding is odd", IMACS 2005).
static Value roundToOdd(Emitter &e, Value x, unsigned bits) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  // Of the largest numbers, those digits remain that `bits` can hold; of
  // smaller ones it may be more of them, which does no harm.
  unsigned dropped = width - 1 - bits;
  APInt lastBit = APInt::getOneBitSet(width, dropped);
  APInt low = APInt::getLowBitsSet(width, dropped + 1);
  Value rest = e.make<arith::AndIOp>(x, e.constant(type, low));
  Value isEven = e.compare(arith::CmpIPredicate::eq, rest, e.like(x, 0));
  // |x| <= 2^bits.
  APInt limit = APInt::getOneBitSet(width, bits);
  Value isShort =
      e.compare(arith::CmpIPredicate::ule, e.add(x, e.constant(type, limit)),
                e.constant(type, limit.shl(1)));
  Value upper = e.make<arith::AndIOp>(x, e.constant(type, ~low));
  Value odd = e.make<arith::OrIOp>(upper, e.constant(type, lastBit));
  return e.select(e.make<arith::OrIOp>(isEven, isShort), x, odd);
}

/// Rounds once. arith's conversion does, too, but is not implemented so for
/// bf16: targets convert by way of a wider type.
static Value intToFloat(Emitter &e, Value x, FloatType to) {
  if (x.getType().isInteger(1))
    return e.make<arith::UIToFPOp>(to, x);
  unsigned width = x.getType().getIntOrFloatBitWidth();
  if (!to.isBF16() || width < 32 || matchPattern(x, m_Constant()))
    return e.make<arith::SIToFPOp>(to, x);
  FloatType wide =
      width == 32 ? e.builder.getF32Type() : FloatType(e.builder.getF64Type());
  Value rounded = roundToOdd(e, x, wide.getFPMantissaWidth());
  return e.make<arith::TruncFOp>(to, e.make<arith::SIToFPOp>(wide, rounded));
}

Value tandem::ir::buildIntToFloat(OpBuilder &builder, Location loc,
                                  Value integer, FloatType to) {
  Emitter e{builder, loc};
  return intToFloat(e, integer, to);
}

static Value castInt(Emitter &e, Value x, Type to) {
  if (auto type = dyn_cast<FloatType>(to))
    return intToFloat(e, x, type);
  if (x.getType().isInteger(1))
    return e.make<arith::ExtUIOp>(to, x);
  if (x.getType().getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return e.make<arith::ExtSIOp>(to, x);
  return e.make<arith::TruncIOp>(to, x);
}

Value CastOp::buildScalar(OpBuilder &builder, Location loc,
                          ValueRange scalars) {
  Emitter e{builder, loc};
  Value x = scalars[0];
  Type to = getType().getElementType();
  if (x.getType() == to)
    return x;
  if (to.isInteger(1))
    return e.isFloat(x) ? e.compare(arith::CmpFPredicate::UNE, x, e.like(x, 0))
                        : e.compare(arith::CmpIPredicate::ne, x, e.like(x, 0));
  if (!e.isFloat(x))
    return castInt(e, x, to);
  if (auto type = dyn_cast<FloatType>(to))
    return floatToFloat(e, x, type);
  return floatToInt(e, x, cast<IntegerType>(to));
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

#define TANDEM_BINARY(OP, METHOD)                                              \
  Value OP::buildScalar(OpBuilder &builder, Location loc,                      \
                        ValueRange scalars) {                                  \
    return Emitter{builder, loc}.METHOD(scalars[0], scalars[1]);               \
  }
TANDEM_BINARY(AddOp, add)
TANDEM_BINARY(SubOp, sub)
TANDEM_BINARY(MulOp, mul)
TANDEM_BINARY(MaxOp, maximum)
TANDEM_BINARY(MinOp, minimum)
TANDEM_BINARY(LogicalAndOp, make<arith::AndIOp>)
TANDEM_BINARY(LogicalOrOp, make<arith::OrIOp>)
#undef TANDEM_BINARY

/// x / 0 is -1; the least value / -1 is itself.
static Value divideInts(Emitter &e, Value x, Value y) {
  Value minusOne = e.like(x, -1), one = e.like(x, 1);
  Value isZero = e.compare(arith::CmpIPredicate::eq, y, e.like(y, 0));
  Value isMinusOne = e.compare(arith::CmpIPredicate::eq, y, minusOne);
  Value isUnsafe = e.make<arith::OrIOp>(isZero, isMinusOne);
  Value quotient = e.make<arith::DivSIOp>(x, e.select(isUnsafe, one, y));
  Value negated = e.select(isMinusOne, e.sub(e.like(x, 0), x), quotient);
  return e.select(isZero, minusOne, negated);
}

Value DivOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Emitter e{builder, loc};
  if (e.isFloat(scalars[0]))
    return e.make<arith::DivFOp>(scalars[0], scalars[1]);
  return divideInts(e, scalars[0], scalars[1]);
}

/// By squaring, a step per bit of the exponent. To a negative power 1 and -1
/// are what their powers are, all else gives 0.
static Value raiseInts(Emitter &e, Value x, Value y) {
  Value zero = e.like(x, 0), one = e.like(x, 1);
  Value result = one, square = x;
  unsigned width = x.getType().getIntOrFloatBitWidth();
  for (unsigned bit = 0; bit < width - 1; ++bit) {
    Value mask = e.constant(x.getType(), APInt::getOneBitSet(width, bit));
    Value isSet = e.compare(arith::CmpIPredicate::ne,
                            e.make<arith::AndIOp>(y, mask), zero);
    result = e.select(isSet, e.mul(result, square), result);
    square = e.mul(square, square);
  }
  // The loop has the powers of 1 and -1 right for negative exponents, too.
  Value isUnit = e.make<arith::OrIOp>(
      e.compare(arith::CmpIPredicate::eq, x, one),
      e.compare(arith::CmpIPredicate::eq, x, e.like(x, -1)));
  Value isNegative = e.compare(arith::CmpIPredicate::slt, y, zero);
  Value fraction = e.select(isUnit, result, zero);
  return e.select(isNegative, fraction, result);
}

Value PowOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Emitter e{builder, loc};
  if (e.isFloat(scalars[0]))
    return e.make<math::PowFOp>(scalars[0], scalars[1]);
  return raiseInts(e, scalars[0], scalars[1]);
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
                                         bool isBool) {
  using arith::CmpIPredicate;
  switch (predicate) {
  case ComparePredicate::eq:
    return CmpIPredicate::eq;
  case ComparePredicate::ne:
    return CmpIPredicate::ne;
  case ComparePredicate::lt:
    return isBool ? CmpIPredicate::ult : CmpIPredicate::slt;
  case ComparePredicate::le:
    return isBool ? CmpIPredicate::ule : CmpIPredicate::sle;
  case ComparePredicate::gt:
    return isBool ? CmpIPredicate::ugt : CmpIPredicate::sgt;
  case ComparePredicate::ge:
    return isBool ? CmpIPredicate::uge : CmpIPredicate::sge;
  }
  llvm_unreachable("unknown predicate");
}

Value CompareOp::buildScalar(OpBuilder &builder, Location loc,
                             ValueRange scalars) {
  Emitter e{builder, loc};
  Value x = scalars[0], y = scalars[1];
  if (e.isFloat(x))
    return e.compare(floatPredicate(getPredicate()), x, y);
  bool isBool = x.getType().isInteger(1);
  return e.compare(intPredicate(getPredicate(), isBool), x, y);
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

Value SelectOp::buildScalar(OpBuilder &builder, Location loc,
                            ValueRange scalars) {
  return Emitter{builder, loc}.select(scalars[0], scalars[1], scalars[2]);
}

Value ClampOp::buildScalar(OpBuilder &builder, Location loc,
                           ValueRange scalars) {
  Emitter e{builder, loc};
  return e.minimum(e.maximum(scalars[0], scalars[1]), scalars[2]);
}
