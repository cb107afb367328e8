//===- InverseTrigonometric.cpp - asin, acos and atan ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Odd polynomials, minimax fits of the relative error (Remez's algorithm), on
// [0, 1/2] and on [0, 1], and the identities that lead there (W. J. Cody and
// W. Waite, Software Manual for the Elementary Functions, 1980):
//
//   asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2))    for x > 1/2,
//   acos(x) = pi/2 - asin(x),
//   atan(x) = pi/2 - atan(1 / x)                  for x > 1.
//
//===----------------------------------------------------------------------===//

#include "Math/ElementaryArithmetic.h"

using namespace mlir;

namespace tandem {

namespace {
/// pi/2 rounded to the format, and the remainder.
struct HalfPi {
  double high, low;
};

/// asin(|x|) is base + base * tail if |x| is small, and pi/2 less twice that
/// if it is not.
struct InverseSine {
  Value isLarge, base, tail;
};
} // namespace

static HalfPi halfPi(const Arithmetic &a) {
  return a.isF64() ? HalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}
                   : HalfPi{0x1.921fb6p+0, -0x1.777a5cp-25};
}

/// asin(r) / r - 1 as a function of r^2, for r in [0, 1/2].
static Value inverseSineTail(const Arithmetic &a, Value square) {
  Value tail =
      a.isF64() ? a.horner(square, {0.03191221471670158, -0.01622418479452777,
                                    0.019528231485582737, 0.006527983364715586,
                                    0.012169210914546136, 0.013885235382192787,
                                    0.017359704792095997, 0.022371758047278725,
                                    0.030381959137137086, 0.044642856828324154,
                                    0.07500000000337016, 0.16666666666665408})
                : a.horner(square, {0.0421663612953606, 0.024179480565124974,
                                    0.04547038337314432, 0.07495297586624401,
                                    0.16666752482619632});
  return a.mul(square, tail);
}

/// atan(r) / r - 1 as a function of r^2, for r in [0, 1].
static Value inverseTangentTail(const Arithmetic &a, Value square) {
  Value tail =
      a.isF64()
          ? a.horner(square, {1.3225086557442664e-05, -0.0001521609533063697,
                              0.0008313221493189919,  -0.0028849190085488384,
                              0.007196503673179965,   -0.013900559956772566,
                              0.0219848523581247,     -0.02990385700812573,
                              0.03664190954752856,    -0.042191788664479694,
                              0.04722322173920142,    -0.0525351853758367,
                              0.05880527810593624,    -0.06666404056807697,
                              0.07692279839187105,    -0.09090907002981098,
                              0.11111111007025469,    -0.1428571428257508,
                              0.1999999999995146,     -0.3333333333333307})
          : a.horner(square, {-0.001793621161723559, 0.01091460313433172,
                              -0.031177840708181605, 0.05795758820719447,
                              -0.0840345001144653, 0.10952185670899266,
                              -0.14264241663417843, 0.19998548283550333,
                              -0.33333299089183893});
  return a.mul(square, tail);
}

/// For |x| > 1, the argument of the square root is negative, so that the result
/// is NaN.
static InverseSine reduceInverseSine(const Arithmetic &a, Value x) {
  Value magnitude = a.abs(x);
  Value isLarge = a.less(a.f(0.5), magnitude);
  // This is exact if |x| is large, and is only used then.
  Value rest = a.mul(a.sub(a.f(1), magnitude), a.f(0.5));
  Value square = a.select(isLarge, rest, a.mul(x, x));
  Value root = math::SqrtOp::create(a.b, a.loc, rest);
  return {isLarge, a.select(isLarge, root, magnitude),
          inverseSineTail(a, square)};
}

/// y - 2 (base + base * tail), where y is `quarters` times pi/2. The difference
/// of the first terms is exact, or rounded where the result is no smaller.
static Value subtractTwice(const Arithmetic &a, const InverseSine &sine,
                           double quarters) {
  auto [high, low] = halfPi(a);
  Value twice = a.add(sine.base, sine.base);
  Value correction = a.sub(a.f(quarters * low), a.mul(twice, sine.tail));
  return a.add(a.sub(a.f(quarters * high), twice), correction);
}

Value expandAsin(const Arithmetic &a, Value x) {
  InverseSine sine = reduceInverseSine(a, x);
  Value small = a.fma(sine.base, sine.tail, sine.base);
  Value large = subtractTwice(a, sine, 1);
  return a.copySign(a.select(sine.isLarge, large, small), x);
}

Value expandAcos(const Arithmetic &a, Value x) {
  InverseSine sine = reduceInverseSine(a, x);
  auto [high, low] = halfPi(a);
  // pi/2 - (x + x * tail).
  Value near = a.sub(a.f(high), a.sub(x, a.sub(a.f(low), a.mul(x, sine.tail))));
  Value twice = a.add(sine.base, sine.base);
  Value positive = a.fma(twice, sine.tail, twice);
  Value negative = subtractTwice(a, sine, 2);
  Value far = a.select(a.less(x, a.f(0)), negative, positive);
  return a.select(sine.isLarge, far, near);
}

Value expandAtan(const Arithmetic &a, Value x) {
  Value magnitude = a.abs(x);
  Value isLarge = a.less(a.f(1), magnitude);
  Value r = a.select(isLarge, a.div(a.f(1), magnitude), magnitude);
  Value tail = inverseTangentTail(a, a.mul(r, r));
  Value small = a.fma(r, tail, r);
  auto [high, low] = halfPi(a);
  Value large = a.sub(a.f(high), a.sub(small, a.f(low)));
  return a.copySign(a.select(isLarge, large, small), x);
}

} // namespace tandem
