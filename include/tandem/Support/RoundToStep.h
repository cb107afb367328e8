//===- RoundToStep.h - Rounding measured numbers to steps -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_ROUNDTOSTEP_H
#define TANDEM_SUPPORT_ROUNDTOSTEP_H

#include <cmath>

namespace tandem {

/// The number of steps per factor of two when measured rates are rounded.
/// Rounding makes repeated measurements of a machine give the same number.
inline constexpr double kRateSteps = 4;

/// Returns the integer power of 2^(1/steps) that is nearest to `value` on a
/// logarithmic scale. `value` must be positive.
inline double roundToStep(double value, double steps) {
  return std::exp2(std::round(std::log2(value) * steps) / steps);
}

} // namespace tandem

#endif // TANDEM_SUPPORT_ROUNDTOSTEP_H
