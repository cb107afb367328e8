//===- Sampler.cpp - Timing several things in alternation -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Sampler.h"

#include <algorithm>

namespace tandem::measure {

using Clock = std::chrono::steady_clock;

size_t Sampler::add(std::string name, Call call,
                    std::function<void()> prepare) {
  all.push_back({std::move(name), std::move(call), std::move(prepare)});
  return all.size() - 1;
}

Expected<double> Sampler::sample(Series &series) {
  if (series.prepare)
    series.prepare();
  // The other series have used the caches meanwhile.
  TANDEM_RETURN_IF_ERROR(series.call(series.calls++));
  auto start = Clock::now();
  for (size_t i = 0; i < series.callsPerSample; ++i)
    TANDEM_RETURN_IF_ERROR(series.call(series.calls++));
  return nsSince(start) / static_cast<double>(series.callsPerSample);
}

/// Calls the series at least twice and, within its budget, until it has
/// settled; then sets how many calls make a sample.
Status Sampler::warmUp(Series &series, double budgetNs) {
  auto start = Clock::now();
  double fastest = 0;
  for (int round = 0; round < 2 || nsSince(start) < budgetNs; ++round) {
    TANDEM_ASSIGN_OR_RETURN(double ns, sample(series));
    fastest = round == 0 ? ns : std::min(fastest, ns);
  }
  double calls = options.minSampleNs / std::max(fastest, 1.0);
  series.callsPerSample = static_cast<size_t>(std::clamp(calls, 1.0, 1e6));
  return {};
}

Expected<std::vector<Summary>> Sampler::run() {
  auto start = Clock::now();
  double warmUpNs = 0.15 * options.budgetNs / std::max<size_t>(1, all.size());
  for (Series &series : all)
    TANDEM_RETURN_IF_ERROR(warmUp(series, warmUpNs));
  for (size_t round = 0; round < options.maxSamples; ++round) {
    if (round >= options.minSamples && nsSince(start) > options.budgetNs)
      break;
    for (size_t i = 0; i < all.size(); ++i) {
      Series &series = all[(i + round) % all.size()];
      TANDEM_ASSIGN_OR_RETURN(double ns, sample(series));
      series.samples.push_back(ns);
    }
  }
  std::vector<Summary> summaries;
  for (const Series &series : all)
    summaries.push_back(summarize(series.samples));
  return summaries;
}

double Sampler::medianRatio(size_t a, size_t b) const {
  std::vector<double> ratios;
  for (size_t round = 0; round < all[a].samples.size(); ++round)
    ratios.push_back(all[a].samples[round] / all[b].samples[round]);
  return summarize(std::move(ratios)).median;
}

} // namespace tandem::measure
