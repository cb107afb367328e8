//===- ExponentialFunctions.cpp - exp, expm1, tanh and erf ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a register holds 16 values, tables of a few values of the function in
// registers shorten the polynomials (P. T. P. Tang, Table-driven implementation
// of the exponential function in IEEE floating-point arithmetic, ACM TOMS
// 15(2), 1989). Coefficients are minimax fits (Lawson's algorithm) of the
// functions on the reduced ranges; the largest errors stated are over all of
// f32.
//
//===----------------------------------------------------------------------===//

#include "ElementaryArithmetic.h"

#include "tandem/Support/FunctionCoefficients.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace tandem {

/// Beyond these the results of exp are infinity and zero.
static constexpr double kExpMost = 89, kExpLeast = -104;

/// x - sign * n log 2.
static Value subtractLog2(const Arithmetic &a, Value x, Value n,
                          double sign = 1) {
  return a.fma(n, a.f(-sign * kLog2Rest), a.fma(n, a.f(-sign * kLog2), x));
}

namespace {
/// value, or -value.
struct Signed {
  Value value;
  bool isNegative;
};
} // namespace

/// Finds -x and -x * y. Their sign then goes into constants.
static Signed takeSign(const Arithmetic &a, Value x) {
  if (auto negated = x.getDefiningOp<arith::NegFOp>())
    return {negated.getOperand(), true};
  if (auto product = x.getDefiningOp<arith::MulFOp>())
    for (unsigned i : {0, 1})
      if (auto negated = product->getOperand(i).getDefiningOp<arith::NegFOp>())
        return {a.mul(negated.getOperand(), product->getOperand(1 - i)), true};
  return {x, false};
}

/// 2^(k/32) exp(r), with k/32 the multiple nearest to x / log 2. Within 1.8
/// ULP. Of -v, r is the negative of v + k/32 log 2.
///
/// Far out r is anything, but 1 + r + r^2/2 is positive for every r: bounded
/// from above, or in place of NaN, it is scaled to infinity or zero, and to NaN
/// where x is.
static Value expByTable(const Arithmetic &a, Value x) {
  static const auto powers = [] {
    std::array<float, 32> table;
    for (size_t k = 0; k < table.size(); ++k)
      table[k] = static_cast<float>(std::exp2(static_cast<double>(k) / 32));
    return table;
  }();
  auto [v, isNegative] = takeSign(a, x);
  const double sign = isNegative ? -1 : 1;
  Value rounder = a.f(kRounder / 32), most = a.f(4);
  Value shifted = a.fma(v, a.f(sign * kLog2OfE), rounder);
  Value n = a.sub(shifted, rounder);
  Value r = subtractLog2(a, v, n, sign);
  Value slope = a.horner(r, {5.0000053e-1, sign * 1.00001465});
  Value power = a.lookUp(powers, a.bits(shifted));
  Value y = a.fma(a.mul(power, r), slope, power);
  return a.scale(a.select(a.less(y, most), y, most), n);
}

/// (exp(r) - 1 - r) / r^2, |r| at most half of log 2.
static Value expTail(const Arithmetic &a, Value r) {
  return a.horner(r, kExpTail);
}

/// 2^n exp(r), with n the integer nearest to x / log 2. Within 1.1 ULP.
static Value expByPolynomial(const Arithmetic &a, Value x) {
  Value shifted = a.fma(x, a.f(kLog2OfE), a.f(kRounder));
  Value r = subtractLog2(a, x, a.sub(shifted, a.f(kRounder)));
  Value tail = expTail(a, r);
  Value y = a.fma(a.fma(tail, r, a.f(1)), r, a.f(1));
  // In two steps: 2^n itself may be out of range.
  Value n = a.subI(a.bits(shifted), a.i(kRounderBits));
  Value half = a.shr(n, 1);
  auto power = [&](Value exponent) {
    return a.fromBits(a.shl(a.addI(exponent, a.i(127)), 23));
  };
  return a.mul(a.mul(y, power(half)), power(a.subI(n, half)));
}

static Value expInRange(const Arithmetic &a, Value x) {
  return a.isWide() ? expByTable(a, x) : expByPolynomial(a, x);
}

Value expandExp(const Arithmetic &a, Value x) {
  if (a.isWide())
    return expByTable(a, x);
  return expByPolynomial(a, a.atLeast(a.atMost(x, kExpMost), kExpLeast));
}

/// 2^n - 1 + 2^n r + 2^n (exp(r) - 1 - r), with n the integer nearest to
/// x / log 2. Within 1.3 ULP.
///
/// The first part of log 2 has 24 bits, so that its multiple taken from x
/// leaves r exactly, and the sum of the first terms is rounded once at most;
/// what the second part takes, times exp(r), is added to the last term. All is
/// halved: 2^n itself may be out of range.
Value expandExpm1(const Arithmetic &a, Value x) {
  constexpr double least = -18; // -1 from here.
  Value bounded = a.atLeast(a.atMost(x, kExpMost), least);
  Value shifted = a.fma(bounded, a.f(kLog2OfE), a.f(kRounder));
  Value n = a.sub(shifted, a.f(kRounder));
  Value r = a.fma(n, a.f(-kLog2), bounded);
  Value rest = a.mul(n, a.f(-kLog2Rest));
  Value tail = a.fma(a.mul(r, r), expTail(a, r), a.fma(rest, r, rest));
  Value exponent = a.subI(a.bits(shifted), a.i(kRounderBits));
  Value power = a.fromBits(a.shl(a.addI(exponent, a.i(126)), 23));
  Value first = a.fma(power, r, a.sub(power, a.f(0.5)));
  Value half = a.fma(power, tail, first);
  return a.copySign(a.add(half, half), x);
}

/// tanh(kh) and r = |x| - kh give (t + tanh r) / (1 + t tanh r). Within 1.97
/// ULP.
///
/// The denominator is the numerator plus (1 - t)(1 - tanh r), so that the
/// rounding of the former cancels where the quotient is near 1. The step is one
/// for which tanh(h), tanh(2h) … are nearly numbers of f32 (S. Gal, An accurate
/// elementary mathematical library for the IEEE floating point standard, ACM
/// TOMS 17(1), 1991).
static Value tanhByTable(const Arithmetic &a, Value magnitude) {
  constexpr double step = 0x1.27eb9ap-2, largest = 9.0;
  static const auto nodes = [] {
    std::array<float, 32> table;
    for (size_t k = 0; k < table.size(); ++k)
      table[k] = static_cast<float>(std::tanh(static_cast<double>(k) * step));
    return table;
  }();
  Value x = a.atMost(magnitude, largest);
  Value shifted = a.fma(x, a.f(1 / step), a.f(kRounder));
  Value r = a.fma(a.sub(shifted, a.f(kRounder)), a.f(-step), x);
  Value square = a.mul(r, r);
  Value tail = a.horner(square, {1.317e-1, -3.33321611943e-1});
  Value t = a.fma(a.mul(r, square), tail, r);
  Value node = a.lookUp(nodes, a.bits(shifted));
  Value numerator = a.add(node, t);
  Value denominator = a.fma(a.sub(a.f(1), node), a.sub(a.f(1), t), numerator);
  return a.div(numerator, denominator);
}

/// As by the table, with t = (2^n - 1) / (2^n + 1), both times 2^n + 1. Within
/// 1.7 ULP.
static Value tanhByPowers(const Arithmetic &a, Value magnitude) {
  Value x = a.atMost(magnitude, 9.02);
  Value n = math::FloorOp::create(a.b, a.loc, a.mul(x, a.f(2 * kLog2OfE)));
  Value r = a.fma(n, a.f(-kLog2 / 2), x);
  Value square = a.mul(r, r);
  Value tail = a.horner(square, {1.9456192030031513e-2, -5.372983796222106e-2,
                                 1.333239249599153e-1, -3.3333321725692555e-1});
  Value t = a.fma(a.mul(r, square), tail, r);
  // Adding it leaves n in the low bits.
  Value bits = a.bits(a.add(n, a.f(kRounder)));
  Value power = a.fromBits(a.addI(a.shl(bits, 23), a.i(0x3f800000)));
  Value numerator = a.fma(t, a.add(power, a.f(1)), a.sub(power, a.f(1)));
  Value denominator = a.add(numerator, a.fma(t, a.f(-2), a.f(2)));
  return a.div(numerator, denominator);
}

Value expandTanh(const Arithmetic &a, Value x) {
  Value magnitude = a.abs(x);
  return a.copySign(
      a.isWide() ? tanhByTable(a, magnitude) : tanhByPowers(a, magnitude), x);
}

/// See FunctionCoefficients.h. Within 1.2 ULP.
Value expandErf(const Arithmetic &a, Value x) {
  Value small = a.horner(a.mul(x, x), kErfTail);
  small = a.fma(small, x, x);
  Value magnitude = a.abs(x);
  Value t = a.atMost(magnitude, kErfMost);
  Value exponent = a.fma(a.horner(t, kErfcExponent), t, a.sub(a.f(0), t));
  Value large = a.copySign(a.sub(a.f(1), expInRange(a, exponent)), x);
  return a.select(a.less(a.f(kErfSmall), magnitude), large, small);
}

} // namespace tandem
