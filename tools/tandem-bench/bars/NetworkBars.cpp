//===- NetworkBars.cpp - Whole networks, channels first and last ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/BenchmarkGraph.h"

#include "tandem/Measure/WorkerPlaces.h"

#include <set>

namespace tandem::bench {
namespace {

using measure::Summary;

/// What channels first may take more than channels last.
constexpr double kLayoutBar = 1.1;

/// Eager and compiled in each layout, in the order of their series.
enum Series { EagerFirst, First, EagerLast, Last };
constexpr const char *kNames[] = {"eager NCHW", "NCHW", "eager NHWC", "NHWC"};

/// One image, on as many threads as there now are: what its layout in the graph
/// costs, and each layout beside eager.
Status addLayoutBars(const BarsOptions &options, const std::string &name,
                     Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(
      BenchmarkGraph first,
      loadBenchmarkGraph(options, name + "_nchw", {{"N", 1}}));
  TANDEM_ASSIGN_OR_RETURN(
      BenchmarkGraph last,
      loadBenchmarkGraph(options, name + "_nhwc", {{"N", 1}}));
  measure::Sampler sampler(samplerOptions(options));
  for (BenchmarkGraph *benchmark : {&first, &last})
    for (const tools::PreparedPtr *tier :
         {&benchmark->eager, &benchmark->compiled})
      sampler.add(name, callOf(*benchmark, *tier), measure::keepWorkersAway);
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  const std::string on = ", threads: " + std::to_string(numThreads());
  auto add = [&](const char *figure, Series a, Series b, double bar,
                 bool atMost) {
    bars.push_back({name + figure + on,
                    sampler.medianRatio(a, b),
                    bar,
                    atMost,
                    "x",
                    {{kNames[a], times[a]}, {kNames[b], times[b]}}});
  };
  add(": NCHW / NHWC", First, Last, kLayoutBar, true);
  add(" NCHW: eager / compiled", EagerFirst, First, 1, false);
  add(" NHWC: eager / compiled", EagerLast, Last, 1, false);
  return {};
}

Status addOnThreads(const BarsOptions &options, int threads, Bars &bars) {
  setNumThreads(threads);
  for (const char *name : {"mobilenet_v2", "mobilenet_v3", "densenet_stage"})
    TANDEM_RETURN_IF_ERROR(addLayoutBars(options, name, bars));
  return {};
}

} // namespace

Status addNetworkBars(const BarsOptions &options, Bars &bars) {
  const int all = numThreads();
  for (int threads : std::set{1, all}) {
    Status status = addOnThreads(options, threads, bars);
    setNumThreads(all);
    TANDEM_RETURN_IF_ERROR(status);
  }
  return {};
}

} // namespace tandem::bench
