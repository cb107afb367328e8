//===- ExactSums.cpp - Sums of integers that f32 represents ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/ExactSums.h"

#include <algorithm>
#include <cstddef>

using namespace tandem;

bool WeightSums::areExactInF32(int64_t mostBelow, int64_t mostAbove) const {
  for (size_t output = 0; output < positive.size(); ++output) {
    const int64_t above = positive[output], below = negative[output];
    if (mostAbove * above + mostBelow * below > kMostExactInF32 ||
        mostBelow * above + mostAbove * below > kMostExactInF32)
      return false;
  }
  return true;
}

WeightSums tandem::sumWeights(std::span<const int8_t> weights, int64_t outputs,
                              int64_t inner) {
  const auto count = static_cast<size_t>(outputs);
  WeightSums sums{std::vector<int32_t>(count), std::vector<int32_t>(count)};
  int32_t *positive = sums.positive.data(), *negative = sums.negative.data();
  const auto add = [&](int64_t output, int32_t weight) {
    positive[output] += std::max(weight, 0);
    negative[output] += std::max(-weight, 0);
  };
  for (; !weights.empty(); weights = weights.subspan(count * size_t(inner))) {
    const int8_t *at = weights.data();
    if (inner == 1)
      for (int64_t output = 0; output < outputs; ++output)
        add(output, at[output]);
    else
      for (int64_t output = 0; output < outputs; ++output)
        for (int64_t i = 0; i < inner; ++i)
          add(output, at[output * inner + i]);
  }
  return sums;
}
