//===- Float16.h - IEEE half and bfloat16 as bit patterns -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 16-bit floating-point numbers with correctly rounded conversions, which are
// written for clarity. Kernels that need speed have their own conversions.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_FLOAT16_H
#define TANDEM_RUNTIME_FLOAT16_H

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tandem {

/// A number of 8 or 16 bits in the form of the binary interchange formats
/// (IEEE 754-2019, section 3.4).
template <int ExponentBits, int MantissaBits> struct SmallFloat {
  static constexpr int width = 1 + ExponentBits + MantissaBits;
  static_assert(width == 8 || width == 16);
  using Bits = std::conditional_t<width == 8, uint8_t, uint16_t>;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr Bits infinity = ((1 << ExponentBits) - 1) << MantissaBits;
  /// The distance between 1 and the next larger number.
  static constexpr double epsilon = 1.0 / (1 << MantissaBits);
  /// Returns the smallest positive number, which is subnormal.
  static double leastPositive() {
    return std::ldexp(1, 1 - bias - MantissaBits);
  }

  Bits bits = 0;

  SmallFloat() = default;
  /// Rounds to nearest, ties to even. A value that overflows becomes an
  /// infinity.
  explicit SmallFloat(double value) : bits(encode(value)) {}
  explicit operator double() const;

private:
  static Bits encode(double value);
};

/// IEEE 754 half precision ("f16"), and bfloat16 ("bf16").
using F16 = SmallFloat<5, 10>;
using BF16 = SmallFloat<8, 7>;

template <int E, int M> SmallFloat<E, M>::operator double() const {
  const int exponent = (bits & infinity) >> M;
  const int mantissa = bits & ((1 << M) - 1);
  const double sign = bits >> (width - 1) ? -1 : 1;
  if (exponent == (1 << E) - 1)
    return sign * (mantissa ? std::numeric_limits<double>::quiet_NaN()
                            : std::numeric_limits<double>::infinity());
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - M);
  return sign * std::ldexp(mantissa + (1 << M), exponent - bias - M);
}

template <int E, int M>
typename SmallFloat<E, M>::Bits SmallFloat<E, M>::encode(double value) {
  const Bits sign = std::signbit(value) ? 1 << (width - 1) : 0;
  if (std::isnan(value))
    return sign | infinity | (1 << (M - 1));
  if (std::isinf(value))
    return sign | infinity;
  // The exponent of the unit in the last place. All subnormal numbers have the
  // lowest exponent.
  int exponent = value == 0 ? 1 - bias : std::ilogb(value);
  exponent = (exponent < 1 - bias ? 1 - bias : exponent) - M;
  // In units in the last place, the number is an integer of at most M + 2 bits.
  // A carry out of the mantissa correctly increments the exponent.
  const double units = std::nearbyint(std::ldexp(std::fabs(value), -exponent));
  const double encoded = units + std::ldexp(exponent + bias + M - 1, M);
  return sign | (encoded >= infinity ? infinity : Bits(encoded));
}

} // namespace tandem

#endif // TANDEM_RUNTIME_FLOAT16_H
