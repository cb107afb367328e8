//===- TimeEstimate.cpp - The median of recent times ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/policy/Policy.h"

#include <algorithm>
#include <cmath>

namespace tandem::tiering {

void TimeEstimate::add(double ns) {
  const float sample = static_cast<float>(ns);
  if (!(ns >= 0) || !std::isfinite(sample))
    return;
  auto end = sorted.begin() + held();
  float &slot = recent[count % kWindow];
  if (count >= kWindow) {
    auto oldest = std::lower_bound(sorted.begin(), end, slot);
    std::copy(oldest + 1, end, oldest);
    --end;
  }
  auto place = std::upper_bound(sorted.begin(), end, sample);
  std::copy_backward(place, end, end + 1);
  *place = slot = sample;
  ++count;
}

/// Rounds outwards from the median, so that few samples give wide spreads.
double TimeEstimate::rank(double quantile) const {
  if (count == 0)
    return 0;
  const double position = quantile * static_cast<double>(held() - 1);
  return sorted[static_cast<size_t>(quantile <= 0.5 ? std::floor(position)
                                                    : std::ceil(position))];
}

} // namespace tandem::tiering
