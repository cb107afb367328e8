//===- Sampler.h - Timing several things in alternation ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_MEASURE_SAMPLER_H
#define TANDEM_MEASURE_SAMPLER_H

#include "tandem/Measure/Statistics.h"
#include "tandem/Support/Error.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace tandem::measure {

/// Wall time since `start`, in nanoseconds.
inline double nsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now() - start)
      .count();
}

/// How long, and how finely, a Sampler measures.
struct SamplerOptions {
  /// Wall time that all series together may take, including warm-up, in
  /// nanoseconds.
  double budgetNs = 1e9;
  /// The least and the most samples of each series.
  size_t minSamples = 5;
  size_t maxSamples = 300;
  /// The least duration of a sample, in nanoseconds. A sample consists of as
  /// many timed calls as take about this long, so that the cost of reading the
  /// clock (some 25 ns) does not matter.
  double minSampleNs = 50e3;
};

/// Measures the times of several series that are to be compared. In each round,
/// the sampler takes one sample of each series. Each round starts with another
/// series, so that a drift of the machine's speed affects all series alike. A
/// sample begins with one call that is not timed. Code and constants are then
/// in the caches, as in a program that repeats the same call. Not thread-safe.
class Sampler {
public:
  /// The function that is timed. Its argument is the number of the call, which
  /// it may use to rotate buffers.
  using Call = std::function<Status(size_t)>;

  explicit Sampler(SamplerOptions options = {}) : options(options) {}

  /// Adds a series. `prepare` runs untimed before each sample and before the
  /// warm-up. Returns the index of the series in the result of run.
  size_t add(std::string name, Call call, std::function<void()> prepare = {});

  /// Warms up, then takes samples until the budget or maxSamples is reached,
  /// but at least minSamples of each series. Stops at the first error of a
  /// call. Times in the result are in nanoseconds per call.
  Expected<std::vector<Summary>> run();

  /// The median, over all rounds of run, of the ratio of the time of series `a`
  /// to that of series `b`. It is steadier than the ratio of the two medians
  /// when the machine is slower in some rounds. To be called after run.
  double medianRatio(size_t a, size_t b) const;

private:
  struct Series {
    std::string name;
    Call call;
    std::function<void()> prepare;
    size_t callsPerSample = 1;
    size_t calls = 0;
    std::vector<double> samples;
  };
  Status warmUp(Series &series, double budgetNs);
  Expected<double> sample(Series &series);

  SamplerOptions options;
  std::vector<Series> all;
};

} // namespace tandem::measure

#endif // TANDEM_MEASURE_SAMPLER_H
