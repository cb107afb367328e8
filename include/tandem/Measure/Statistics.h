//===- Statistics.h - Medians, spreads, break-even --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_MEASURE_STATISTICS_H
#define TANDEM_MEASURE_STATISTICS_H

#include "tandem/Runtime/TimeSummary.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tandem::measure {

using tandem::quantile;
using tandem::summarize;
/// The summary of a series of samples, in nanoseconds per call.
using Summary = TimeSummary;

/// The number of calls after which compiling has paid for itself: n* = ceil(C /
/// (e - c)), at least 1, for a compile cost C and times per call e (eager) and
/// c (compiled), all in nanoseconds. None ("never") when c >= e.
std::optional<int64_t> breakEvenCalls(double compileCost, double eager,
                                      double compiled);

/// Whether compiling one shape is worthwhile.
enum class Verdict {
  compile, ///< c is below e by more than both spreads.
  close,   ///< The spreads overlap: no significant difference.
  eager,   ///< Compiling never pays.
};
/// Compares the measured times of the eager and the compiled tier.
Verdict judge(const Summary &eager, const Summary &compiled);
std::string_view name(Verdict verdict);

} // namespace tandem::measure

#endif // TANDEM_MEASURE_STATISTICS_H
