//===- PowerFunction.cpp - pow --------------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// |x|^y = exp(y log |x|), the logarithm with more digits than the result has:
// for f32 in f64, for f64 in two numbers (T. J. Dekker, A floating-point
// technique for extending the available precision, Numerische Mathematik 18,
// 1971). Coefficients are minimax fits (Remez's algorithm). Special values are
// those of C's annex F.
//
//===----------------------------------------------------------------------===//

#include "Math/ElementaryArithmetic.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tandem {

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

/// log2(2^exponent (1 + f)) in f64, with a relative error of at most 2^-33.
static Value log2OfParts(const Arithmetic &a, Value exponent, Value f) {
  Value tail = a.horner(
      f, {-0.08634569105824204, 0.15485738160664186, -0.15698233684233007,
          0.15900153520519006, -0.1790469451143382, 0.20609625278325017,
          -0.2405041744720898, 0.28854064369342575, -0.36067280053852063,
          0.48089832072758293, -0.7213475252132723, 1.4426950409393482});
  return a.fma(f, tail, exponent);
}

/// 2^x in f64 for a result in f32, with a relative error of at most 2^-27.
static Value exp2ForF32(const Arithmetic &a, Value x) {
  constexpr double most = 130, least = -152;
  Value bounded = a.atLeast(a.atMost(x, most), least);
  Value shifted = a.add(bounded, a.f(a.rounder()));
  Value r = a.sub(bounded, a.sub(shifted, a.f(a.rounder())));
  Value y = a.horner(r, {0.00015469758510489512, 0.0013410031618077518,
                         0.009618030703724703, 0.055502972231905506,
                         0.2402265108458379, 0.6931472254489, 1});
  Value n = a.shl(a.bits(shifted), a.fractionBits());
  return a.fromBits(a.addI(a.bits(y), n));
}

/// x^y for f32 and x >= 0. Within 0.8 ULP.
static Value raiseInF64(const Arithmetic &a, Value x, Value y) {
  Arithmetic wide = a.as(a.b.getF64Type());
  auto extend = [&](Value value) -> Value {
    return arith::ExtFOp::create(a.b, a.loc, wide.like, value);
  };
  auto [exponent, f] = splitPositive(a, x);
  // An infinite or NaN exponent makes the logarithm infinite or NaN.
  exponent = logWithin(a, x, exponent);
  Value log = log2OfParts(wide, extend(exponent), extend(f));
  Value power = exp2ForF32(wide, wide.mul(extend(y), log));
  return arith::TruncFOp::create(a.b, a.loc, a.like, power);
}

//===----------------------------------------------------------------------===//
// f64
//===----------------------------------------------------------------------===//

namespace {
/// The sum of two numbers. The magnitude of `low` is at most half a unit in the
/// last place of `high`, or slightly more.
struct Pair {
  Value high, low;
};
} // namespace

/// Returns the exact sum x + y, for |x| >= |y| or x = 0.
static Pair addOrdered(const Arithmetic &a, Value x, Value y) {
  Value sum = a.add(x, y);
  return {sum, a.sub(y, a.sub(sum, x))};
}

static Pair multiply(const Arithmetic &a, Pair x, Pair y) {
  Value high = a.mul(x.high, y.high);
  Value low = a.fma(x.high, y.high, a.sub(a.f(0), high));
  low = a.fma(x.high, y.low, low);
  return {high, a.fma(x.low, y.high, low)};
}

/// f / (2 + f).
static Pair divideByTwoMore(const Arithmetic &a, Value f) {
  Pair divisor = addOrdered(a, a.f(2), f);
  Value reciprocal = a.div(a.f(1), divisor.high);
  Value high = a.mul(f, reciprocal);
  Value negated = a.sub(a.f(0), high);
  Value rest = a.fma(negated, divisor.high, f);
  rest = a.fma(negated, divisor.low, rest);
  return {high, a.mul(rest, reciprocal)};
}

/// log(2^exponent (1 + f)), with a relative error of at most 2^-64. With s = f
/// / (2 + f), log(1 + f) is 2 s + s^3 (2/3 + s^2 P(s^2)).
static Pair logOfParts(const Arithmetic &a, Value exponent, Value f) {
  // log 2 in two parts: products of the first with exponents are exact.
  constexpr double logHigh = 0x1.62e42fefa38p-1, logLow = 0x1.ef35793c7673p-45;
  constexpr double high = 0x1.5555555555555p-1, low = 0x1.5555555555555p-55;
  Pair s = divideByTwoMore(a, f);
  Pair square = multiply(a, s, s);
  Value tail =
      a.horner(square.high,
               {0.1188283636182167, 0.11688618134761149, 0.13335582301564108,
                0.15384577485925988, 0.18181818545716658, 0.2222222222035677,
                0.28571428571432905, 0.39999999999999997});
  Pair factor = addOrdered(a, a.f(high), a.mul(square.high, tail));
  factor.low = a.add(factor.low, a.f(low));
  Pair cube = multiply(a, s, multiply(a, square, factor));
  Pair log = addOrdered(a, a.add(s.high, s.high), cube.high);
  Value rest = a.add(log.low, a.fma(s.low, a.f(2), cube.low));
  log = addOrdered(a, a.mul(exponent, a.f(logHigh)), log.high);
  rest = a.fma(exponent, a.f(logLow), rest);
  return addOrdered(a, log.high, a.add(log.low, rest));
}

/// x^y for f64 and x >= 0. Within 1.1 ULP.
static Value raiseInPairs(const Arithmetic &a, Value x, Value y) {
  auto [exponent, f] = splitPositive(a, x);
  Pair log = logOfParts(a, exponent, f);
  log.high = logWithin(a, x, log.high);
  Value high = a.mul(y, log.high);
  Value low = a.fma(y, log.high, a.sub(a.f(0), high));
  return expandExpOfSum(a, high, a.fma(y, log.low, low));
}

//===----------------------------------------------------------------------===//
// Signs and special values
//===----------------------------------------------------------------------===//

/// Returns the power of `magnitude` as C defines it, also for NaN and
/// infinities. Special values that do not follow from exp(y log |x|) are
/// selected.
static Value raiseMagnitude(const Arithmetic &a, Value magnitude, Value y) {
  Value power =
      a.isF64() ? raiseInPairs(a, magnitude, y) : raiseInF64(a, magnitude, y);
  Value isOne = a.orI(a.equal(y, a.f(0)), a.equal(magnitude, a.f(1)));
  return a.select(isOne, a.f(1), power);
}

Value expandPow(const Arithmetic &a, Value x, Value y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value power = raiseMagnitude(a, a.abs(x), y);
  auto floor = [&](Value value) -> Value {
    return math::FloorOp::create(a.b, a.loc, value);
  };
  // Infinite exponents count as even.
  Value whole = floor(y), half = a.mul(y, a.f(0.5));
  Value isOdd = a.andI(a.equal(whole, y), a.notEqual(floor(half), half));
  Value isNegative = a.andI(a.less(x, a.f(0)), a.less(a.f(-infinity), x));
  power = a.select(isOdd, a.copySign(power, x), power);
  return a.select(a.andI(isNegative, a.notEqual(whole, y)), a.f(std::nan("")),
                  power);
}

} // namespace tandem
