//===- InverseErf.h - The inverse error function ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_INVERSEERF_H
#define TANDEM_TEST_UNIT_INVERSEERF_H

#include <cmath>
#include <limits>
#include <numbers>

namespace tandem::test {

/// The number whose erf is `x`. Halves an interval that contains the number
/// until Newton's method converges, and uses erfc where erf has lost digits.
template <typename W> W inverseErf(W x) {
  const W a = std::abs(x);
  if (!(a < 1))
    return a == 1 ? std::copysign(std::numeric_limits<W>::infinity(), x)
                  : std::numeric_limits<W>::quiet_NaN();
  auto excess = [&](W y) {
    return a < W(0.5) ? std::erf(y) - a : (1 - a) - std::erfc(y);
  };
  const W slope = 2 / std::sqrt(std::numbers::pi_v<W>);
  W y = a / slope; // At most the result, because erf is concave there.
  if (a >= W(0.5)) {
    W low = y, high = 8;
    for (int i = 0; i < 12; ++i) {
      const W middle = (low + high) / 2;
      (excess(middle) < 0 ? low : high) = middle;
    }
    y = low;
  }
  for (int i = 0; i < 6; ++i)
    y -= excess(y) / (slope * std::exp(-y * y));
  return std::copysign(y, x);
}

} // namespace tandem::test

#endif // TANDEM_TEST_UNIT_INVERSEERF_H
