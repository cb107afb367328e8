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

/// Perturbations are this many times what an op may err, and bounds so many
/// times the largest deviation seen: by either alone a value on the brink, such
/// as that before a relu, or two errors that happen to cancel, would be missed.
constexpr double kInflation = 2;

/// Returns a number of either sign, with a magnitude uniform in [1/2, 1): one
/// error alone is seen in every sample, and two never cancel in all of them.
static double perturbation(SplitMix64 &random) {
  const uint64_t bits = random.next();
  const double magnitude =
      0.5 + std::ldexp(static_cast<double>(bits >> 11), -54);
  return bits & 1 ? -magnitude : magnitude;
}

/// What stands for an element that may be anything, in sample number `sample`:
/// whatever depends on it differs between samples. One is finite, for a
/// difference of any two of the others may be NaN.
static double anything(int sample, double value) {
  const double finite = std::isfinite(value) ? value : 1;
  const double values[] = {kInfinity, kNaN, -kInfinity, finite};
  return values[sample % 4];
}

/// The perturbed result of an f16 op before it is rounded to f16. The rounding
/// decides whether it overflows, from a number that may be off by what the op
/// errs in f32. The part of `error` that stands for the rounding itself must
/// not make an infinity of a number, or the other way around.
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
