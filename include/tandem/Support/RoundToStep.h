//===- RoundToStep.h - What is measured, to a step -------------*- C++ -*-===//
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

/// Steps to a factor of two in which rates are told apart, for two measurements
/// of a machine to say the same.
inline constexpr double kRateSteps = 4;

/// The power of 2^(1/steps) nearest to `value`, which is positive.
inline double roundToStep(double value, double steps) {
  return std::exp2(std::round(std::log2(value) * steps) / steps);
}

} // namespace tandem

#endif // TANDEM_SUPPORT_ROUNDTOSTEP_H
