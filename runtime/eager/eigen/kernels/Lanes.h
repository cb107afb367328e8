//===- Lanes.h - Sums in several accumulators -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_KERNELS_LANES_H
#define TANDEM_RUNTIME_EAGER_EIGEN_KERNELS_LANES_H

#include "Level.h"

namespace tandem::eager::TANDEM_LEVEL {

/// The number of accumulators of a sum: several vectors, so that one addition
/// does not wait for the last.
inline constexpr int64_t kSumLanes = 32;

/// Adds the accumulators, pair by pair, into the first one.
template <typename T> [[gnu::always_inline]] inline T sumLanes(T *lanes) {
  for (int64_t half = kSumLanes / 2; half != 0; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane)
      lanes[lane] += lanes[lane + half];
  return lanes[0];
}

/// Calls add(i, lane) for i < n, with lane = i modulo kSumLanes.
template <typename Add>
[[gnu::always_inline]] inline void forLanes(int64_t n, Add add) {
  int64_t i = 0;
  for (; i + kSumLanes <= n; i += kSumLanes)
    for (int64_t lane = 0; lane < kSumLanes; ++lane)
      add(i + lane, lane);
  for (int64_t lane = 0; i + lane < n; ++lane)
    add(i + lane, lane);
}

} // namespace tandem::eager::TANDEM_LEVEL

#endif // TANDEM_RUNTIME_EAGER_EIGEN_KERNELS_LANES_H
