//===- ElementwiseBars.cpp - Fused loops beside memory's speed ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/BenchmarkGraph.h"

#include "tandem/Measure/Peak.h"
#include "tandem/Measure/WorkerPlaces.h"

namespace tandem::bench {
namespace {

using measure::Summary;

/// The limit of threads changes after so long, not after each call.
constexpr double kBlockNs = 5e6;

/// "2^20".
std::string power(int exponent) { return "2^" + std::to_string(exponent); }

/// Beside a copy of as many bytes as the graph must move: x, y and the result.
Status addCopyBar(const BarsOptions &options, const std::string &name,
                  int exponent, double bar, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(
      BenchmarkGraph benchmark,
      loadBenchmarkGraph(options, name, {{"n", int64_t(1) << exponent}}));
  measure::Sampler sampler(samplerOptions(options));
  Targets targets;
  sampler.add("compiled", callOf(benchmark, benchmark.compiled));
  TANDEM_ASSIGN_OR_RETURN(MoveSeries copy,
                          addCopySeries(sampler, benchmark,
                                        3 * benchmark.outputs[0].bytes(),
                                        targets));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  bars.push_back(
      ratioBar(name + " " + power(exponent) + ": compiled / copy of its bytes",
               {"compiled", times[0]}, copy.faster(times), bar, true));
  return {};
}

/// Adds `call` on one thread, then on all. Returns the first one's index.
size_t addThreadsSeries(measure::Sampler &sampler,
                        const measure::Sampler::Call &call) {
  size_t first = sampler.add("one thread", call, [] { setNumThreads(1); });
  sampler.add("all threads", call, [threads = numThreads()] {
    setNumThreads(threads);
    measure::keepWorkersAway();
  });
  return first;
}

/// `share`: what one thread does of the work of all.
Bar threadsBar(const std::string &what, const measure::Sampler &sampler,
               const std::vector<Summary> &times, size_t one, double share) {
  return {what + ": one thread / " + std::to_string(numThreads()) + " threads",
          sampler.medianRatio(one, one + 1) / share,
          1.9,
          /*atMost=*/false,
          "x",
          {{"one thread", times[one]}, {"all threads", times[one + 1]}}};
}

/// Adds the bars of threads for `chain8` and, in the same rounds, for
/// arithmetic in registers, where threads have nothing to share: what the
/// processors gain just then.
Status addThreadsBars(const BarsOptions &options, int exponent, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(
      BenchmarkGraph benchmark,
      loadBenchmarkGraph(options, "chain8", {{"n", int64_t(1) << exponent}}));
  const int threads = numThreads();
  measure::SamplerOptions inBlocks = samplerOptions(options);
  inBlocks.minSampleNs = kBlockNs;
  measure::Sampler sampler(inBlocks);
  // One set of inputs: what a cache holds it may hold, so that threads share
  // no more than the graph must.
  size_t chain = addThreadsSeries(sampler, [&benchmark](size_t) {
    return benchmark.compiled->executor->run(benchmark.inputs[0],
                                             benchmark.outputs);
  });
  size_t registers = addThreadsSeries(sampler, [](size_t) -> Status {
    measure::measurePeakFma();
    return {};
  });
  auto times = sampler.run();
  setNumThreads(threads);
  if (!times)
    return tl::unexpected<Error>(std::move(times.error()));
  const std::string name = "chain8 " + power(exponent);
  bars.push_back(threadsBar(name, sampler, *times, chain, 1));
  bars.push_back(threadsBar("registers beside " + name, sampler, *times,
                            registers, 1.0 / threads));
  return {};
}

Status addCallTimeBar(const BarsOptions &options, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(
      BenchmarkGraph benchmark,
      loadBenchmarkGraph(options, "chain8", {{"n", 1 << 10}}));
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("call", callOf(benchmark, benchmark.compiled));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  bars.push_back({"chain8 2^10, per call",
                  times[0].median,
                  2000,
                  true,
                  "ns",
                  {{"call", times[0]}}});
  return {};
}

} // namespace

Status addElementwiseBars(const BarsOptions &options, Bars &bars) {
  TANDEM_RETURN_IF_ERROR(addCopyBar(options, "axpy8", 20, 1.15, bars));
  TANDEM_RETURN_IF_ERROR(addCopyBar(options, "axpy8", 26, 1.1, bars));
  TANDEM_RETURN_IF_ERROR(addCopyBar(options, "chain8", 20, 4, bars));
  TANDEM_RETURN_IF_ERROR(addCallTimeBar(options, bars));
  TANDEM_RETURN_IF_ERROR(addThreadsBars(options, 20, bars));
  return addThreadsBars(options, 26, bars);
}

} // namespace tandem::bench
