//===- GraphBars.cpp - Graphs beside eager, memory and the peak -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/BenchmarkGraph.h"

#include "tandem/Measure/Peak.h"

#include <algorithm>

namespace tandem::bench {
namespace {

using measure::Summary;

Status addConv1dBars(const BarsOptions &options, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(
      BenchmarkGraph benchmark,
      loadBenchmarkGraph(options, "conv1d_relu", {{"N", 1000}, {"L", 100}}));
  auto bytes = static_cast<size_t>(benchmark.outputs[0].bytes());
  TANDEM_ASSIGN_OR_RETURN(Targets targets, makeTargets(bytes));
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("eager", callOf(benchmark, benchmark.eager));
  sampler.add("compiled", callOf(benchmark, benchmark.compiled));
  const MoveSeries clear = addClearSeries(sampler, bytes, targets);
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  bars.push_back(ratioBar("conv1d_relu 1000x100: eager / compiled",
                          {"eager", times[0]}, {"compiled", times[1]}, 3,
                          false));
  bars.push_back(
      ratioBar("conv1d_relu 1000x100: compiled / clear of its output",
               {"compiled", times[1]}, clear.faster(times), 1.3, true));
  return {};
}

/// 3 to 64 channels, 256 by 256: its flops beside those of the peak.
Status addConv2dBar(const BarsOptions &options, const std::string &name,
                    Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(
      BenchmarkGraph benchmark,
      loadBenchmarkGraph(options, name, {{"N", 1}, {"H", 256}, {"W", 256}}));
  measure::Sampler sampler(samplerOptions(options));
  double peak = 0;
  sampler.add("peak", [&](size_t) -> Status {
    peak = std::max(peak, measure::measurePeakFma());
    return {};
  });
  sampler.add("compiled", callOf(benchmark, benchmark.compiled));
  auto bytes = static_cast<size_t>(benchmark.outputs[0].bytes());
  TANDEM_ASSIGN_OR_RETURN(Targets targets, makeTargets(bytes));
  const MoveSeries clear = addClearSeries(sampler, bytes, targets);
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  const double taps = 3 * 3 * 3;
  const double flops =
      2 * taps *
      static_cast<double>(benchmark.outputs[0].type().shape.numElements());
  const std::string what = name + " 3->64 at 256x256: ";
  bars.push_back({what + "flops / peak",
                  flops / times[1].median / peak,
                  kShareOfLimit,
                  false,
                  "x",
                  {{"compiled", times[1]}}});
  const Named memory = clear.faster(times);
  bars.push_back(
      {what + "longer of flops and clear of its output / compiled",
       std::max(flops / peak, memory.second.median) / times[1].median,
       kShareOfLimit,
       false,
       "x",
       {memory}});
  return {};
}

/// Time beside eager.
Status addSpeedBar(const BarsOptions &options, const std::string &name,
                   int64_t batch, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(BenchmarkGraph benchmark,
                          loadBenchmarkGraph(options, name, {{"N", batch}}));
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("eager", callOf(benchmark, benchmark.eager));
  sampler.add("compiled", callOf(benchmark, benchmark.compiled));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Summary> times, sampler.run());
  bars.push_back(
      ratioBar(name + " b" + std::to_string(batch) + ": eager / compiled",
               {"eager", times[0]}, {"compiled", times[1]}, 1.5, false));
  return {};
}

/// The most bytes that a call holds, beside eager's.
Status addPeakBar(const BarsOptions &options, const std::string &name,
                  int64_t batch, Bars &bars) {
  TANDEM_ASSIGN_OR_RETURN(BenchmarkGraph benchmark,
                          loadBenchmarkGraph(options, name, {{"N", batch}}));
  int64_t eager = 0, compiled = 0;
  for (auto [tier, bytes] : {std::pair(&benchmark.eager, &eager),
                             std::pair(&benchmark.compiled, &compiled)})
    TANDEM_RETURN_IF_ERROR(
        (*tier)->executor->run(benchmark.inputs[0], benchmark.outputs, bytes));
  bars.push_back(
      {name + " b" + std::to_string(batch) + ": peak bytes, compiled / eager",
       static_cast<double>(compiled) /
           static_cast<double>(std::max<int64_t>(eager, 1)),
       0.8,
       true,
       "x",
       {}});
  return {};
}

} // namespace

Status addConvBars(const BarsOptions &options, Bars &bars) {
  TANDEM_RETURN_IF_ERROR(addConv1dBars(options, bars));
  TANDEM_RETURN_IF_ERROR(addConv2dBar(options, "conv2d_nchw", bars));
  return addConv2dBar(options, "conv2d_nhwc", bars);
}

Status addGraphBars(const BarsOptions &options, Bars &bars) {
  TANDEM_RETURN_IF_ERROR(addSpeedBar(options, "simplecnn", 32, bars));
  TANDEM_RETURN_IF_ERROR(addSpeedBar(options, "resnet_block", 1, bars));
  for (const char *name : {"simplecnn", "resnet_block"})
    for (int64_t batch : {1, 32})
      TANDEM_RETURN_IF_ERROR(addPeakBar(options, name, batch, bars));
  return {};
}

} // namespace tandem::bench
