//===- TimeSummary.cpp - The median and spread of times -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/TimeSummary.h"

#include <algorithm>

using namespace tandem;

double tandem::quantile(const std::vector<double> &sorted, double q) {
  double position = q * static_cast<double>(sorted.size() - 1);
  auto below = static_cast<size_t>(position);
  size_t above = std::min(below + 1, sorted.size() - 1);
  double fraction = position - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

TimeSummary tandem::summarize(std::vector<double> samples) {
  if (samples.empty())
    return {};
  std::sort(samples.begin(), samples.end());
  return {quantile(samples, 0.5), quantile(samples, 0.1),
          quantile(samples, 0.9), samples.size()};
}
