//===- ExponentialFunctions.cpp - exp, expm1, tanh and erf ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a register holds 16 values of f32, tables of a few values of the
// function in registers shorten the polynomials (P. T. P. Tang, Table-driven
// implementation of the exponential function in IEEE floating-point arithmetic,
// ACM TOMS 15(2), 1989). Coefficients are minimax fits (Lawson's algorithm for
// f32, Remez's for f64) of the functions on the reduced ranges; the largest
// errors stated are over all of f32, and over samples of f64.
//
//===----------------------------------------------------------------------===//

#include "Math/ElementaryArithmetic.h"

#include "tandem/Support/FunctionCoefficients.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace tandem {

/// From expMost on, exp(x) is infinity; up to expLeast, it is zero.
static double expMost(const Arithmetic &a) { return a.isF64() ? 710 : 89; }
static double expLeast(const Arithmetic &a) { return a.isF64() ? -746 : -104; }

/// x - sign * n log 2.
static Value subtractLog2(const Arithmetic &a, Value x, Value n,
                          double sign = 1) {
  return a.fma(n, a.f(-sign * a.log2Rest()),
               a.fma(n, a.f(-sign * a.log2()), x));
}

namespace {
/// value, or -value.
struct Signed {
  Value value;
  bool isNegative;
};
} // namespace

/// Recognizes -x and -x * y, so that the sign can be moved into constants.
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
/// ULP. If x is -v, r is the negative of v + k/32 log 2.
///
/// If x is far out of range, r is arbitrary, but 1 + r + r^2/2 is positive for
/// every r. The code bounds this factor from above, and also replaces NaN by
/// the bound. Scaling the factor then gives infinity or zero, or NaN if x is
/// NaN.
static Value expByTable(const Arithmetic &a, Value x) {
  static const auto powers = [] {
    std::array<float, 32> table;
    for (size_t k = 0; k < table.size(); ++k)
      table[k] = static_cast<float>(std::exp2(static_cast<double>(k) / 32));
    return table;
  }();
  auto [v, isNegative] = takeSign(a, x);
  const double sign = isNegative ? -1 : 1;
  Value rounder = a.f(a.rounder() / 32), most = a.f(4);
  Value shifted = a.fma(v, a.f(sign * kLog2OfE), rounder);
  Value n = a.sub(shifted, rounder);
  Value r = subtractLog2(a, v, n, sign);
  Value slope = a.horner(r, {5.0000053e-1, sign * 1.00001465});
  Value power = a.lookUp(powers, a.bits(shifted));
  Value y = a.fma(a.mul(power, r), slope, power);
  return a.scale(a.select(a.less(y, most), y, most), n);
}

/// (exp(r) - 1 - r) / r^2, for |r| <= log(2) / 2.
static Value expTail(const Arithmetic &a, Value r) {
  static constexpr double ofF64[] = {
      2.511004989583968e-08,  2.7632655759330083e-07, 2.755724233668041e-06,
      2.4801487326012343e-05, 0.00019841269886591,    0.0013888888947820891,
      0.008333333333322207,   0.04166666666652199,    0.16666666666666674,
      0.500000000000001};
  return a.isF64() ? a.horner(r, ofF64) : a.horner(r, kExpTail);
}

namespace {
/// exp(x) = 2^n y, n the integer nearest to x / log 2.
struct ReducedExponent {
  Value y, n;
  Value bits; // Those of an integer, n in the low ones.
  /// y = 1 + slope r, where r is `first` less the second part of n log 2.
  Value first, r, slope;
};
} // namespace

/// Adds `rest`, which may be null and is at most a few units in the last place
/// of x, to x. The error of y is at most 1 ULP.
static ReducedExponent reduceExp(const Arithmetic &a, Value x,
                                 Value rest = {}) {
  Value shifted = a.fma(x, a.f(kLog2OfE), a.f(a.rounder()));
  Value n = a.sub(shifted, a.f(a.rounder()));
  Value first = a.fma(n, a.f(-a.log2()), x);
  Value r = a.fma(n, a.f(-a.log2Rest()), first);
  if (rest)
    r = a.add(r, rest);
  Value slope = a.fma(expTail(a, r), r, a.f(1));
  Value y = a.fma(slope, r, a.f(1));
  return {y, n, a.bits(shifted), first, r, slope};
}

/// Returns the rounding error of y. It can be computed because y - 1 and first
/// - r are exact.
static Value restOf(const Arithmetic &a, const ReducedExponent &of) {
  Value ofR = a.fma(of.n, a.f(-a.log2Rest()), a.sub(of.first, of.r));
  return a.add(a.fma(of.slope, of.r, a.sub(a.f(1), of.y)), ofR);
}

/// Returns `value` times 2^n, with n from `of`.
static Value timesPower(const Arithmetic &a, const ReducedExponent &of,
                        Value value) {
  if (a.isWide())
    return a.scale(value, of.n);
  // Multiply in two steps, because 2^n itself may be out of range.
  Value half = a.shr(of.bits, 1);
  return a.mul(a.mul(value, a.powerOfTwo(half)),
               a.powerOfTwo(a.subI(of.bits, half)));
}

/// exp(x + rest). Within 1.1 ULP.
static Value expByPolynomial(const Arithmetic &a, Value x, Value rest = {}) {
  const ReducedExponent of = reduceExp(a, x, rest);
  return timesPower(a, of, of.y);
}

/// exp(x), if the result is a normal number.
static Value expWithin(const Arithmetic &a, Value x) {
  const ReducedExponent of = reduceExp(a, x);
  if (a.isWide())
    return a.scale(of.y, of.n);
  return a.fromBits(a.addI(a.bits(of.y), a.shl(of.bits, a.fractionBits())));
}

/// Whether registers can hold the tables.
static bool hasTables(const Arithmetic &a) { return a.isWide() && !a.isF64(); }

static Value boundExp(const Arithmetic &a, Value x) {
  return a.atLeast(a.atMost(x, expMost(a)), expLeast(a));
}

Value expandExp(const Arithmetic &a, Value x) {
  return hasTables(a) ? expByTable(a, x) : expByPolynomial(a, boundExp(a, x));
}

ExpWithRest expandExpWithRest(const Arithmetic &a, Value x) {
  const ReducedExponent of = reduceExp(a, boundExp(a, x));
  return {timesPower(a, of, of.y), timesPower(a, of, restOf(a, of))};
}

Value expandExpOfSum(const Arithmetic &a, Value x, Value rest) {
  // The remainder is unspecified for inputs out of range.
  Value isNear = a.less(a.abs(x), a.f(-2 * expLeast(a)));
  return expByPolynomial(a, boundExp(a, x), a.select(isNear, rest, a.f(0)));
}

/// 2^n - 1 + 2^n r + 2^n (exp(r) - 1 - r), with n the integer nearest to
/// x / log 2. Within 1.3 ULP.
///
/// The first part of log 2 is a number of the format, so that subtracting its
/// multiple from x is exact. The rounding error of subtracting the second part
/// is added to the last term. The sum of the first terms is rounded at most
/// once. All terms are halved, because 2^n itself may be out of range.
Value expandExpm1(const Arithmetic &a, Value x) {
  const double least = a.isF64() ? -38 : -18; // Below, the result is -1.
  Value bounded = a.atLeast(a.atMost(x, expMost(a)), least);
  Value shifted = a.fma(bounded, a.f(kLog2OfE), a.f(a.rounder()));
  Value n = a.sub(shifted, a.f(a.rounder()));
  Value first = a.fma(n, a.f(-a.log2()), bounded);
  Value r = a.fma(n, a.f(-a.log2Rest()), first);
  Value rest = a.fma(n, a.f(-a.log2Rest()), a.sub(first, r));
  Value tail = a.fma(a.mul(r, r), expTail(a, r), rest);
  Value power = a.powerOfTwo(a.subI(a.bits(shifted), a.i(a.rounderBits() + 1)));
  Value sum = a.fma(power, r, a.sub(power, a.f(0.5)));
  Value half = a.fma(power, tail, sum);
  return a.copySign(a.add(half, half), x);
}

/// tanh(|x|) is (t + tanh r) / (1 + t tanh r), with t = tanh(kh) from a table
/// and r = |x| - kh. Within 1.97 ULP.
///
/// The denominator is the numerator plus (1 - t)(1 - tanh r), so that the
/// rounding error of the numerator cancels if the quotient is near 1. The step
/// h is chosen so that tanh(h), tanh(2h) … are nearly numbers of f32 (S. Gal,
/// An accurate elementary mathematical library for the IEEE floating point
/// standard, ACM TOMS 17(1), 1991).
static Value tanhByTable(const Arithmetic &a, Value magnitude) {
  constexpr double step = 0x1.27eb9ap-2, largest = 9.0;
  static const auto nodes = [] {
    std::array<float, 32> table;
    for (size_t k = 0; k < table.size(); ++k)
      table[k] = static_cast<float>(std::tanh(static_cast<double>(k) * step));
    return table;
  }();
  Value x = a.atMost(magnitude, largest);
  Value shifted = a.fma(x, a.f(1 / step), a.f(a.rounder()));
  Value r = a.fma(a.sub(shifted, a.f(a.rounder())), a.f(-step), x);
  Value square = a.mul(r, r);
  Value tail = a.horner(square, {1.317e-1, -3.33321611943e-1});
  Value t = a.fma(a.mul(r, square), tail, r);
  Value node = a.lookUp(nodes, a.bits(shifted));
  Value numerator = a.add(node, t);
  Value denominator = a.fma(a.sub(a.f(1), node), a.sub(a.f(1), t), numerator);
  return a.div(numerator, denominator);
}

/// (tanh(r) / r - 1) / r^2 as a function of r^2, for r <= log(2) / 2.
static Value tanhTail(const Arithmetic &a, Value square) {
  if (!a.isF64())
    return a.horner(square, {1.9456192030031513e-2, -5.372983796222106e-2,
                             1.333239249599153e-1, -3.3333321725692555e-1});
  return a.horner(square, {7.451101306591373e-05, -0.00023308208189691803,
                           0.0005890873799756345, -0.0014557435349715347,
                           0.003592122441249993, -0.008863235312283268,
                           0.021869488531031215, -0.05396825396818716,
                           0.13333333333333294, -0.3333333333333333});
}

/// Computes the quotient of tanhByTable with t = (2^n - 1) / (2^n + 1), its
/// numerator and denominator times 2^n + 1. Within 1.7 ULP.
static Value tanhByPowers(const Arithmetic &a, Value magnitude) {
  // From this bound on, the result is 1.
  Value x = a.atMost(magnitude, a.isF64() ? 19.07 : 9.02);
  Value n = math::FloorOp::create(a.b, a.loc, a.mul(x, a.f(2 * kLog2OfE)));
  Value r = a.fma(n, a.f(-a.log2() / 2), x);
  Value square = a.mul(r, r);
  Value t = a.fma(a.mul(r, square), tanhTail(a, square), r);
  // Adding the rounder leaves n in the low bits.
  Value bits = a.bits(a.add(n, a.f(a.rounder())));
  Value power = a.powerOfTwo(bits);
  Value numerator = a.fma(t, a.add(power, a.f(1)), a.sub(power, a.f(1)));
  Value denominator = a.add(numerator, a.fma(t, a.f(-2), a.f(2)));
  return a.div(numerator, denominator);
}

Value expandTanh(const Arithmetic &a, Value x) {
  Value magnitude = a.abs(x);
  Value y =
      hasTables(a) ? tanhByTable(a, magnitude) : tanhByPowers(a, magnitude);
  return a.copySign(y, x);
}

/// Computes 1 + tanh(x) as 2 / (1 + exp(-2 x)), in which nothing cancels.
Value expandOnePlusTanh(const Arithmetic &a, Value x) {
  Value power = expandExp(a, a.mul(x, a.f(-2)));
  return a.div(a.f(2), a.add(a.f(1), power));
}

namespace {
/// The coefficients of erf and erfc. FunctionCoefficients.h has those for f32
/// and describes them. Those for f64 are fits for |x| <= small and for |x| <=
/// most.
struct ErfCoefficients {
  double small, most;
  ArrayRef<double> tail, large, whole;
};
} // namespace

static ErfCoefficients erfCoefficients(const Arithmetic &a) {
  if (!a.isF64())
    return {kErfSmall, kErfMost, kErfTail, kErfcExponent, kErfcWholeExponent};
  static constexpr double tail[] = {
      -8.481850695840503e-10, 1.4046047456745279e-08,  -1.6275476111518625e-07,
      1.6455213927925864e-06, -1.4925299738950847e-05, 0.00012055321042156915,
      -0.0008548326754918113, 0.005223977621603183,    -0.02686617064480663,
      0.11283791670953704,    -0.37612638903183726,    0.1283791670955126};
  static constexpr double exponent[] = {
      2.6532348676955742e-15,  -1.2060966567473627e-13, 2.5381744074082073e-12,
      -3.271907989079894e-11,  2.873443886118049e-10,   -1.7994592034634493e-09,
      8.074010160948087e-09,   -2.4476292945075463e-08, 3.5837642073219e-08,
      8.215760448651903e-08,   -7.035187732410557e-07,  2.2380428716091045e-06,
      -3.3757121587199572e-06, -2.9363069794175662e-06, 2.9398743239207215e-05,
      -6.431599004867813e-05,  -2.5951749781299733e-05, 0.0005901484202839013,
      -0.0016962115941040108,  0.00020919552249312273,  0.01912844691886519,
      -0.10277260329644503,    -0.6366197723677502,     -0.12837916709551078};
  return {0.9, 5.95, tail, exponent, exponent};
}

/// log(erfc(t)), t >= 0 within the range of the coefficients.
static Value logErfc(const Arithmetic &a, Value t,
                     ArrayRef<double> coefficients) {
  return a.fma(a.estrin(t, coefficients), t,
               arith::NegFOp::create(a.b, a.loc, t));
}

/// Within 1.3 ULP.
Value expandErf(const Arithmetic &a, Value x) {
  const ErfCoefficients of = erfCoefficients(a);
  Value small = a.fma(a.horner(a.mul(x, x), of.tail), x, x);
  Value magnitude = a.abs(x);
  Value exponent = logErfc(a, a.atMost(magnitude, of.most), of.large);
  Value rest = hasTables(a) ? expByTable(a, exponent) : expWithin(a, exponent);
  Value large = a.copySign(a.sub(a.f(1), rest), x);
  return a.select(a.less(a.f(of.small), magnitude), large, small);
}

/// Computes 1 + erf(x) as erfc(-x), in which nothing cancels. The separate
/// polynomial that erf has for small numbers is not needed for sums near 1. The
/// exponential is computed by a polynomial, which is more accurate than the
/// table.
Value expandOnePlusErf(const Arithmetic &a, Value x) {
  const ErfCoefficients of = erfCoefficients(a);
  Value magnitude = a.abs(x);
  Value rest = expWithin(a, logErfc(a, magnitude, of.whole));
  // Beyond the range of the coefficients, the rest is 0, or NaN if x is NaN.
  rest =
      a.select(a.less(magnitude, a.f(of.most)), rest, a.atMost(magnitude, 0));
  return a.select(a.less(x, a.f(0)), rest, a.sub(a.f(2), rest));
}

} // namespace tandem
