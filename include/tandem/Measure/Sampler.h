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

struct SamplerOptions {
  /// Wall time that all series together may take, warm-up included.
  double budgetNs = 1e9;
  size_t minSamples = 5;
  size_t maxSamples = 300;
  /// A sample is as many calls as take about this long, so that the clock's
  /// own cost (some 25 ns) does not show.
  double minSampleNs = 50e3;
};

/// Times several things that are to be compared: one sample of each in turn,
/// starting with another one each round, so that a drift of the machine's speed
/// meets all of them alike.
class Sampler {
public:
  /// A call gets its running number, for rotating buffers.
  using Call = std::function<Status(size_t)>;

  explicit Sampler(SamplerOptions options = {}) : options(options) {}

  /// `prepare` runs untimed before each sample (and before the warm-up).
  /// Returns the index of the series in run's result.
  size_t add(std::string name, Call call, std::function<void()> prepare = {});

  /// Warms up, then samples until the budget or maxSamples is reached, but at
  /// least minSamples of each. Stops at the first error of a call.
  Expected<std::vector<Summary>> run();

  /// After run: the median over its rounds of the time of series `a` over that
  /// of `b`. What slows the machine down for some rounds does not show in it,
  /// as it does where one of two separate medians falls into such a time.
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
