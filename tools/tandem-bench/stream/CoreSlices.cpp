//===- CoreSlices.cpp - How threads take turns on a core ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/CoreSlices.h"

#include "tandem/Measure/Statistics.h"
#include "tandem/Runtime/PhaseTimes.h"

#include <sched.h>
#include <thread>
#include <vector>

namespace tandem::bench {
namespace {

/// Keeps the calling thread, and those that it starts, on its processor.
class OnOneProcessor {
public:
  OnOneProcessor() {
    sched_getaffinity(0, sizeof before, &before);
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(sched_getcpu(), &own);
    sched_setaffinity(0, sizeof own, &own);
  }
  ~OnOneProcessor() { sched_setaffinity(0, sizeof before, &before); }

private:
  cpu_set_t before;
};

} // namespace

double measureSliceNs() {
  constexpr double kWatchedNs = 1e8, kLeastNs = 1e5;
  const OnOneProcessor here;
  std::jthread other([](const std::stop_token &stop) {
    while (!stop.stop_requested())
      ;
  });
  std::vector<double> slices;
  const Stopwatch watch;
  double last = 0;
  for (double now = 0; now < kWatchedNs; now = watch.ns()) {
    if (now - last > kLeastNs)
      slices.push_back(now - last);
    last = now;
  }
  return measure::summarize(std::move(slices)).median;
}

} // namespace tandem::bench
