//===- ExactSums.h - Sums of integers that f32 represents -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_EXACTSUMS_H
#define TANDEM_SUPPORT_EXACTSUMS_H

#include <cstdint>
#include <span>
#include <vector>

namespace tandem {

/// f32 represents all integers up to this magnitude.
inline constexpr int64_t kMostExactInF32 = 1 << 24;

/// Bounds of sums of products with constant weights.
struct WeightSums {
  /// For each output, the sum of its positive weights, and the sum of the
  /// magnitudes of its negative weights.
  std::vector<int32_t> positive, negative;

  /// Whether no partial sum of the products of an output can exceed
  /// kMostExactInF32, in any order, if the magnitude of negative data is at
  /// most `mostBelow`, and positive data is at most `mostAbove`.
  bool areExactInF32(int64_t mostBelow, int64_t mostAbove) const;
};

/// Sums the weights of each output. `weights` is a dense array [outer][outputs]
/// [inner], where `outer` follows from the number of weights. An output must
/// have fewer than 2^24 weights, so that its sums fit i32.
WeightSums sumWeights(std::span<const int8_t> weights, int64_t outputs,
                      int64_t inner);

} // namespace tandem

#endif // TANDEM_SUPPORT_EXACTSUMS_H
