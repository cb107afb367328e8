//===- SpeedBars.cpp - Fused kernels beside eager, memset and copy --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bars.h"
#include "InputSets.h"

#include "tandem/Measure/Sampler.h"
#include "tandem/Measure/Vary.h"

#include <algorithm>
#include <cstring>
#include <oneapi/tbb/parallel_for.h>

namespace tandem::bench {
namespace {

using tandem::tools::PreparedTier;
using tandem::tools::Tier;

/// A graph on one shape, with all that its bars compare.
struct Subject {
  std::unique_ptr<Graph> graph;
  std::vector<TensorType> types;
  InputSets inputs;
  PreparedTier eager, compiled;
  std::vector<Tensor> outputs;
};

Expected<Subject> makeSubject(const BarsOptions &options,
                              const std::string &name,
                              const measure::DimSizes &dims) {
  Subject subject;
  TANDEM_ASSIGN_OR_RETURN(subject.graph, loadBarGraph(name));
  const Program &program = *subject.graph->eagerProgram();
  TANDEM_ASSIGN_OR_RETURN(subject.types, measure::bindDims(program, dims));
  TANDEM_ASSIGN_OR_RETURN(subject.inputs,
                          InputSets::create(program, subject.types,
                                            options.environment.cacheBytes));
  TANDEM_ASSIGN_OR_RETURN(
      subject.eager, prepareTier(*subject.graph, Tier::eager, subject.types));
  TANDEM_ASSIGN_OR_RETURN(
      subject.compiled,
      prepareTier(*subject.graph, Tier::compiled, subject.types));
  TANDEM_RETURN_IF_ERROR(
      subject.eager.executor->run(subject.inputs[0], subject.outputs));
  return subject;
}

measure::Sampler::Call callOf(Subject &subject, PreparedTier &tier) {
  return [&subject, executor = tier.executor.get()](size_t call) {
    return executor->run(subject.inputs[call], subject.outputs);
  };
}

measure::SamplerOptions samplerOptions(const BarsOptions &options) {
  measure::SamplerOptions result;
  result.budgetNs = options.seconds * 1e9;
  result.minSamples = 15;
  result.maxSamples = 2000;
  return result;
}

/// Calls body(begin, end) on equal shares of `bytes`, one per thread.
template <typename Body> void onAllThreads(size_t bytes, Body body) {
  size_t threads = static_cast<size_t>(numThreads());
  size_t share = (bytes / threads + 64) & ~size_t(63);
  tbb::parallel_for(
      size_t(0), threads,
      [&](size_t i) {
        size_t begin = std::min(bytes, i * share);
        body(begin, std::min(bytes, begin + share));
      },
      tbb::static_partitioner());
}

/// Buffers that take turns as the tiers' outputs do: the last call's is still
/// held while the next one is written.
struct Targets {
  Tensor buffers[2];
  char *operator[](size_t call) const { return buffers[call % 2].as<char>(); }
};

Expected<Targets> makeTargets(int64_t bytes) {
  Targets targets;
  for (Tensor &buffer : targets.buffers) {
    TANDEM_ASSIGN_OR_RETURN(
        buffer, Tensor::allocate(TensorType{DType::i8, Shape{bytes}}));
  }
  return targets;
}

double medianRatio(const measure::Summary &a, const measure::Summary &b) {
  return a.median / std::max(b.median, 1.0);
}

Status addConvBars(const BarsOptions &options, std::vector<Bar> &bars) {
  TANDEM_ASSIGN_OR_RETURN(
      Subject subject,
      makeSubject(options, "conv1d_relu", {{"N", 1000}, {"L", 100}}));
  int64_t bytes = subject.outputs[0].bytes();
  TANDEM_ASSIGN_OR_RETURN(Targets targets, makeTargets(bytes));
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("eager", callOf(subject, subject.eager));
  sampler.add("compiled", callOf(subject, subject.compiled));
  sampler.add("memset", [&](size_t call) -> Status {
    char *target = targets[call];
    onAllThreads(static_cast<size_t>(bytes), [&](size_t begin, size_t end) {
      std::memset(target + begin, 0, end - begin);
    });
    return {};
  });
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::Summary> times, sampler.run());
  bars.push_back({"conv1d_relu 1000x100: eager / compiled",
                  medianRatio(times[0], times[1]),
                  3,
                  false,
                  "x",
                  {{"eager", times[0]}, {"compiled", times[1]}}});
  bars.push_back({"conv1d_relu 1000x100: compiled / memset of its output",
                  medianRatio(times[1], times[2]),
                  2,
                  true,
                  "x",
                  {{"compiled", times[1]}, {"memset", times[2]}}});
  return {};
}

/// Moves as many bytes as the graph must, x, y and the result: half of them
/// are read and half written.
void copySameBytes(const std::vector<Tensor> &inputs, char *target) {
  auto bytes = static_cast<size_t>(inputs[0].bytes());
  const char *x = inputs[0].as<char>(), *y = inputs[1].as<char>();
  onAllThreads(bytes, [&](size_t begin, size_t end) {
    std::memcpy(target + begin, x + begin, end - begin);
    std::memcpy(target + bytes + begin / 2, y + begin / 2, (end - begin) / 2);
  });
}

Status addCopyBar(const BarsOptions &options, const std::string &name,
                  double bar, std::vector<Bar> &bars) {
  TANDEM_ASSIGN_OR_RETURN(Subject subject,
                          makeSubject(options, name, {{"n", 1 << 20}}));
  TANDEM_ASSIGN_OR_RETURN(Targets targets,
                          makeTargets(subject.inputs[0][0].bytes() * 3 / 2));
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("compiled", callOf(subject, subject.compiled));
  sampler.add("copy", [&](size_t call) -> Status {
    copySameBytes(subject.inputs[call], targets[call]);
    return {};
  });
  sampler.add("eager", callOf(subject, subject.eager));
  TANDEM_ASSIGN_OR_RETURN(std::vector<measure::Summary> times, sampler.run());
  bars.push_back(
      {name + " 2^20: compiled / copy of the same bytes",
       medianRatio(times[0], times[1]),
       bar,
       true,
       "x",
       {{"compiled", times[0]}, {"copy", times[1]}, {"eager", times[2]}}});
  return {};
}

Status addThreadsBar(const BarsOptions &options, std::vector<Bar> &bars) {
  TANDEM_ASSIGN_OR_RETURN(Subject subject,
                          makeSubject(options, "chain8", {{"n", 1 << 20}}));
  int threads = numThreads();
  measure::Sampler sampler(samplerOptions(options));
  sampler.add("one thread", callOf(subject, subject.compiled),
              [] { setNumThreads(1); });
  sampler.add("all threads", callOf(subject, subject.compiled),
              [threads] { setNumThreads(threads); });
  auto times = sampler.run();
  setNumThreads(threads);
  if (!times)
    return tl::unexpected<Error>(std::move(times.error()));
  bars.push_back(
      {"chain8 2^20: one thread / " + std::to_string(threads) + " threads",
       medianRatio((*times)[0], (*times)[1]),
       1.8,
       false,
       "x",
       {{"one thread", (*times)[0]}, {"all threads", (*times)[1]}}});
  return {};
}

} // namespace

Status addSpeedBars(const BarsOptions &options, std::vector<Bar> &bars) {
  TANDEM_RETURN_IF_ERROR(addConvBars(options, bars));
  TANDEM_RETURN_IF_ERROR(addCopyBar(options, "axpy8", 1.3, bars));
  TANDEM_RETURN_IF_ERROR(addCopyBar(options, "chain8", 4, bars));
  return addThreadsBar(options, bars);
}

} // namespace tandem::bench
