//===- CastScalars.cpp - cast on scalars ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarEmitter.h"

#include "tandem/Dialect/Tandem/IR/IntToFloat.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace tandem::ir;

/// Truncates. Numbers out of range saturate, and NaN becomes zero. If the type
/// of `x` holds the limits exactly, `x` is clamped before it is converted,
/// which takes two vector instructions. Selecting among the results would
/// combine masks across registers.
static Value floatToInt(ScalarEmitter &e, Value x, Type to, bool isUnsigned) {
  if (x.getType().getIntOrFloatBitWidth() < 32)
    x = e.make<arith::ExtFOp>(e.builder.getF32Type(), x);
  unsigned width = to.getIntOrFloatBitWidth();
  auto clamp = [&](arith::CmpFPredicate predicate, double limit) {
    Value bound = e.like(x, limit);
    x = e.select(e.compare(predicate, x, bound), x, bound);
  };
  auto convert = [&](Type type, Value inside) {
    return isUnsigned && type == to ? e.make<arith::FPToUIOp>(type, inside)
                                    : e.make<arith::FPToSIOp>(type, inside);
  };
  x = e.select(e.compare(arith::CmpFPredicate::ORD, x, x), x, e.like(x, 0));
  // Both are powers of two or zero, which floats hold exactly.
  clamp(arith::CmpFPredicate::OGT,
        isUnsigned ? 0 : -std::ldexp(1.0, width - 1));
  double beyond = std::ldexp(1.0, isUnsigned ? width : width - 1);
  if (width <= cast<FloatType>(x.getType()).getFPMantissaWidth()) {
    clamp(arith::CmpFPredicate::OLT, beyond - 1);
    // Vectors of floats are converted to integers of 32 bits at least.
    if (width >= 32)
      return convert(to, x);
    return e.make<arith::TruncIOp>(to, convert(e.builder.getI32Type(), x));
  }
  Value isBeyond = e.compare(arith::CmpFPredicate::OGE, x, e.like(x, beyond));
  Value result = convert(to, e.select(isBeyond, e.like(x, 0), x));
  Value most = e.constant(to, isUnsigned ? APInt::getMaxValue(width)
                                         : APInt::getSignedMaxValue(width));
  return e.select(isBeyond, most, result);
}

static Value floatToFloat(ScalarEmitter &e, Value x, FloatType to) {
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
static Value roundToOdd(ScalarEmitter &e, Value x, unsigned bits) {
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  // The largest numbers keep the digits that `bits` can hold; smaller ones may
  // lose more of them, which does no harm.
  unsigned dropped = (e.isUnsigned ? width : width - 1) - bits;
  APInt lastBit = APInt::getOneBitSet(width, dropped);
  APInt low = APInt::getLowBitsSet(width, dropped + 1);
  Value rest = e.make<arith::AndIOp>(x, e.constant(type, low));
  Value isEven = e.compare(arith::CmpIPredicate::eq, rest, e.like(x, 0));
  // |x| <= 2^bits.
  APInt limit = APInt::getOneBitSet(width, bits);
  Value isShort = e.isUnsigned ? e.compare(arith::CmpIPredicate::ule, x,
                                           e.constant(type, limit))
                               : e.compare(arith::CmpIPredicate::ule,
                                           e.add(x, e.constant(type, limit)),
                                           e.constant(type, limit.shl(1)));
  Value upper = e.make<arith::AndIOp>(x, e.constant(type, ~low));
  Value odd = e.make<arith::OrIOp>(upper, e.constant(type, lastBit));
  return e.select(e.make<arith::OrIOp>(isEven, isShort), x, odd);
}

/// Rounds once. arith's conversion rounds once, too, but its implementations
/// for bf16 do not, because targets convert by way of a wider type.
static Value intToFloat(ScalarEmitter &e, Value x, FloatType to) {
  auto convert = [&](FloatType type, Value integer) {
    return e.isUnsigned || integer.getType().isInteger(1)
               ? e.make<arith::UIToFPOp>(type, integer)
               : e.make<arith::SIToFPOp>(type, integer);
  };
  unsigned width = x.getType().getIntOrFloatBitWidth();
  if (!to.isBF16() || width < 32 || matchPattern(x, m_Constant()))
    return convert(to, x);
  FloatType wide =
      width == 32 ? e.builder.getF32Type() : FloatType(e.builder.getF64Type());
  Value rounded = roundToOdd(e, x, wide.getFPMantissaWidth());
  return e.make<arith::TruncFOp>(to, convert(wide, rounded));
}

Value tandem::ir::buildIntToFloat(OpBuilder &builder, Location loc,
                                  Value integer, FloatType to) {
  ScalarEmitter e{builder, loc};
  return intToFloat(e, integer, to);
}

static Value castInt(ScalarEmitter &e, Value x, Type to) {
  if (auto type = dyn_cast<FloatType>(to))
    return intToFloat(e, x, type);
  if (x.getType() == to)
    return x;
  if (x.getType().getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return e.make<arith::TruncIOp>(to, x);
  return e.isUnsigned || x.getType().isInteger(1)
             ? e.make<arith::ExtUIOp>(to, x)
             : e.make<arith::ExtSIOp>(to, x);
}

Value CastOp::buildScalar(OpBuilder &builder, Location loc,
                          ValueRange scalars) {
  ScalarEmitter e{builder, loc, isUnsigned(getInput())};
  Value x = scalars[0];
  Type to = getType().getElementType();
  if (x.getType() == to)
    return x;
  if (to.isInteger(1))
    return e.isFloat(x) ? e.compare(arith::CmpFPredicate::UNE, x, e.like(x, 0))
                        : e.compare(arith::CmpIPredicate::ne, x, e.like(x, 0));
  if (!e.isFloat(x))
    return castInt(e, x, isa<FloatType>(to) ? to : getComputeType(to));
  if (auto type = dyn_cast<FloatType>(to))
    return floatToFloat(e, x, type);
  return floatToInt(e, x, getComputeType(to), isUnsigned(getResult()));
}

/// A 16-bit float comes in f32, in which kernels compute on it.
Value BitcastOp::buildScalar(OpBuilder &builder, Location loc,
                             ValueRange scalars) {
  ScalarEmitter e{builder, loc};
  Value x = scalars[0];
  Type from = getElementTypeOrSelf(getInput()), to = getType().getElementType();
  if (auto type = dyn_cast<FloatType>(from); type && x.getType() != type) {
    auto widened = x.getDefiningOp<arith::ExtFOp>();
    bool isMoved = widened && widened.getIn().getType() == type;
    x = isMoved ? widened.getIn() : floatToFloat(e, x, type);
  }
  Type bits = isa<FloatType>(to) ? to : getComputeType(to);
  return x.getType() == bits ? x : e.make<arith::BitcastOp>(bits, x);
}
