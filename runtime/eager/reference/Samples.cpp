//===- Samples.cpp - Perturbed values -------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "tandem/Runtime/Compare.h"

#include <algorithm>
#include <limits>

using namespace tandem;
using namespace tandem::reference;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Perturbations are this many times the error that an op may make, and bounds
/// are a multiple of the largest deviation observed. With either factor alone,
/// a value close to a threshold, such as that of a relu, or two errors that
/// happen to cancel, would be missed.
constexpr double kInflation = 2;

/// Returns a number of either sign with a magnitude uniform in [1/2, 1). A
/// single error then shows in every sample, and two errors do not cancel in all
/// samples.
static double perturbation(SplitMix64 &random) {
  const uint64_t bits = random.next();
  const double magnitude =
      0.5 + std::ldexp(static_cast<double>(bits >> 11), -54);
  return bits & 1 ? -magnitude : magnitude;
}

/// The value in sample `sample` of an element that may be anything, so that all
/// values that depend on it differ between samples. One of the values is
/// finite, because the difference of any two of the others may be NaN.
static double anything(int sample, double value) {
  const double finite = std::isfinite(value) ? value : 1;
  const double values[] = {kInfinity, kNaN, -kInfinity, finite};
  return values[sample % 4];
}

/// Corrects the perturbed result of an f16 op before it is rounded to f16.
/// Whether it overflows is decided by the rounding, from a number that may be
/// off by the error of the op in f32. The part of `error` that stands for the
/// rounding itself must not turn a number into an infinity, or an infinity into
/// a number.
static double keepOverflow(double exact, double perturbed, double error) {
  constexpr double kLargest = 65504, kRoundsToInfinity = 65520;
  const double rounding = std::max(unitRoundoff(DType::f16) * std::fabs(exact),
                                   leastPositive(DType::f16) / 2);
  const double before = kInflation * std::max(error - rounding, 0.0);
  if (std::fabs(exact) + before < kRoundsToInfinity)
    return std::clamp(perturbed, -kLargest, kLargest);
  if (std::fabs(exact) - before >= kRoundsToInfinity)
    return std::copysign(kInfinity, exact);
  return perturbed;
}

Tensor reference::perturb(const Tensor &exact, const Errors &errors,
                          DType stored, int sample, SplitMix64 &random) {
  const bool isF16 = stored == DType::f16;
  if (errors.empty() && !isF16)
    return exact;
  std::vector<double> values = widen<double>(exact);
  for (size_t i = 0; i < errors.size(); ++i)
    if (errors[i] == kInfinity) {
      values[i] = anything(sample, values[i]);
    } else if (errors[i] > 0) {
      const double unperturbed = values[i];
      values[i] += kInflation * errors[i] * perturbation(random);
      // Terms that cancel nearly may cancel exactly, which changes what later
      // ops multiply or divide by. A random perturbation never shows this.
      if (sample == 0 && std::fabs(unperturbed) <= kInflation * errors[i])
        values[i] = 0;
      if (isF16)
        values[i] = keepOverflow(unperturbed, values[i], errors[i]);
    }
  Tensor result =
      *Tensor::allocate({isF16 ? stored : exact.dtype(), exact.shape()});
  narrow(values, result);
  return convert(result, sampleType(stored));
}
