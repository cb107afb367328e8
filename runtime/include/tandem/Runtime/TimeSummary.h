//===- TimeSummary.h - The median and spread of times -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_TIMESUMMARY_H
#define TANDEM_RUNTIME_TIMESUMMARY_H

#include <cstddef>
#include <vector>

namespace tandem {

/// The summary of a series of times, in nanoseconds: the median, the 10th and
/// 90th percentiles, and the number of samples.
struct TimeSummary {
  double median = 0, p10 = 0, p90 = 0;
  size_t samples = 0;
};

/// Summarizes samples in any order. All fields are zero if there is no sample.
TimeSummary summarize(std::vector<double> samples);

/// Returns the q-quantile (0 <= q <= 1) of ascending, non-empty `sorted`, by
/// linear interpolation (Hyndman and Fan 1996, type 7; NumPy's default).
double quantile(const std::vector<double> &sorted, double q);

} // namespace tandem

#endif // TANDEM_RUNTIME_TIMESUMMARY_H
