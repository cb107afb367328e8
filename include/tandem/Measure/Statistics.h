//===- Statistics.h - Medians, spreads, break-even --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_MEASURE_STATISTICS_H
#define TANDEM_MEASURE_STATISTICS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tandem::measure {

/// The q-quantile (0 <= q <= 1) of ascending, non-empty `sorted`, by linear
/// interpolation (Hyndman and Fan 1996, type 7; NumPy's default).
double quantile(const std::vector<double> &sorted, double q);

/// What a figure is reported as. Times are in nanoseconds per call.
struct Summary {
  double median = 0, p10 = 0, p90 = 0;
  size_t samples = 0;
};

/// All zero where there is no sample.
Summary summarize(std::vector<double> samples);

/// n* = ceil(C / (e - c)): after so many calls compiling has paid for itself.
/// None ("never") when c >= e. All in nanoseconds; at least 1.
std::optional<int64_t> breakEvenCalls(double compileCost, double eager,
                                      double compiled);

/// What the figures of one shape say.
enum class Verdict {
  compile, ///< c is below e by more than both spreads.
  close,   ///< The spreads overlap: measure longer, or do not care.
  eager,   ///< Compiling never pays.
};
Verdict judge(const Summary &eager, const Summary &compiled);
std::string_view name(Verdict verdict);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_STATISTICS_H
