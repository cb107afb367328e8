//===- Parallel.h - Sharing out loops over oneTBB ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_PARALLEL_H
#define TANDEM_RUNTIME_EAGER_EIGEN_PARALLEL_H

#include <cstdint>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace tandem::eager {

/// The time of this many cheap elements is well above that of handing work to
/// another thread (2 us, where it is awake).
inline constexpr int64_t kGrain = 32768;

/// The parts of `part` that make up `count`, the last of which may be less.
inline int64_t countParts(int64_t count, int64_t part) {
  return (count + part - 1) / part;
}

/// body(begin, end) over parts of [0, count), none smaller than about `grain`;
/// the whole at once where there is too little for two threads.
template <typename Body>
void parallelFor(int64_t count, int64_t grain, const Body &body) {
  if (count < 2 * grain) {
    if (count != 0)
      body(int64_t(0), count);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, count, grain),
                    [&](const tbb::blocked_range<int64_t> &range) {
                      body(range.begin(), range.end());
                    });
}

/// The grain for iterations of `elements` cheap elements each.
inline int64_t grainFor(int64_t elements) {
  return elements >= kGrain ? 1 : kGrain / (elements == 0 ? 1 : elements);
}

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_PARALLEL_H
