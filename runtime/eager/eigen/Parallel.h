//===- Parallel.h - Parallel loops ------------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_PARALLEL_H
#define TANDEM_RUNTIME_EAGER_EIGEN_PARALLEL_H

#include "tandem/Runtime/SharedOpenMP.h"
#include "tandem/Runtime/Workers.h"

#include <algorithm>
#include <cstdint>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace tandem::eager {

/// A number of elements for which even a cheap op takes much longer than
/// handing work to another thread that is awake (2 us).
inline constexpr int64_t kGrain = 32768;

/// The number of parts of size `part` that make up `count`; the last one may be
/// smaller.
inline int64_t countParts(int64_t count, int64_t part) {
  return (count + part - 1) / part;
}

/// Calls body(begin, end) for parts of [0, count), in parallel, none smaller
/// than about half of `grain`. Calls it once, on this thread, where there is
/// too little work for two threads. Runs on oneTBB, unless the program shares
/// its OpenMP workers.
template <typename Body>
void parallelFor(int64_t count, int64_t grain, const Body &body) {
  if (count < 2 * grain || lacksWorkers()) {
    if (count != 0)
      body(int64_t(0), count);
    return;
  }
  if (const SharedOpenMP *openMP = sharedOpenMPOfThisThread()) {
    const int64_t parts =
        std::min(countParts(count, grain), openMP->countThreads());
    return openMP->run(parts, [&](int64_t part) {
      body(count * part / parts, count * (part + 1) / parts);
    });
  }
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, count, grain),
                    [&](const tbb::blocked_range<int64_t> &range) {
                      body(range.begin(), range.end());
                    });
}

/// The grain of a loop whose iterations handle `elements` cheap elements each.
inline int64_t grainFor(int64_t elements) {
  return elements >= kGrain ? 1 : kGrain / (elements == 0 ? 1 : elements);
}

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_PARALLEL_H
