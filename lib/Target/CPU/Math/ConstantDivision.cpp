//===- ConstantDivision.cpp - Division by a constant ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Math/ConstantDivision.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tandem {

ConstantDivision::ConstantDivision(float divisor)
    : divisor(divisor), reciprocal(1 / divisor) {
  // A product of two floats is exact in f64, and so is its difference from 1.
  const double wide = divisor;
  rest = float((1 - wide * reciprocal) / wide);
}

std::optional<ConstantDivision> ConstantDivision::get(double divisor) {
  constexpr double kLeast = 0x1p-60, kMost = 0x1p60;
  int exponent = 0;
  if (!(divisor >= kLeast && divisor <= kMost) ||
      std::frexp(divisor, &exponent) == 0.5)
    return std::nullopt;
  return ConstantDivision(float(divisor));
}

float ConstantDivision::findNumerator(double quotient) const {
  const auto wanted = float(quotient);
  const auto isBeyond = [&](float x) {
    return std::fabs(x / divisor) >= std::fabs(wanted);
  };
  const float infinity =
      std::copysign(std::numeric_limits<float>::infinity(), wanted);
  float x = wanted * divisor;
  while (!isBeyond(x))
    x = std::nextafter(x, infinity);
  while (x != 0 && isBeyond(std::nextafter(x, 0.0F)))
    x = std::nextafter(x, 0.0F);
  return x;
}

Value ConstantDivision::emit(const Arithmetic &a, Value x) const {
  Value y = a.f(reciprocal);
  Value q = a.fma(x, y, a.mul(x, a.f(rest)));
  Value remainder = a.fma(q, a.f(-divisor), x);
  return a.fma(remainder, y, q);
}

} // namespace tandem
