//===- Statistics.cpp - Medians, spreads, break-even ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Statistics.h"

#include <algorithm>
#include <cmath>

namespace tandem::measure {

double quantile(const std::vector<double> &sorted, double q) {
  double position = q * static_cast<double>(sorted.size() - 1);
  auto below = static_cast<size_t>(position);
  size_t above = std::min(below + 1, sorted.size() - 1);
  double fraction = position - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

Summary summarize(std::vector<double> samples) {
  if (samples.empty())
    return {};
  std::sort(samples.begin(), samples.end());
  return {quantile(samples, 0.5), quantile(samples, 0.1),
          quantile(samples, 0.9), samples.size()};
}

std::optional<int64_t> breakEvenCalls(double compileCost, double eager,
                                      double compiled) {
  double saved = eager - compiled;
  // Also refuses NaN, and savings so small that the count overflows.
  if (!(saved > 0) || !(compileCost / saved < 9e18))
    return std::nullopt;
  return std::max<int64_t>(
      1, static_cast<int64_t>(std::ceil(compileCost / saved)));
}

Verdict judge(const Summary &eager, const Summary &compiled) {
  if (compiled.p90 < eager.p10)
    return Verdict::compile;
  if (compiled.p10 > eager.p90)
    return Verdict::eager;
  return Verdict::close;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
  case Verdict::compile:
    return "compile";
  case Verdict::close:
    return "close";
  case Verdict::eager:
    return "eager";
  }
  return "";
}

} // namespace tandem::measure
