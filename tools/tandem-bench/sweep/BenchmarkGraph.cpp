//===- BenchmarkGraph.cpp - What speed bars have in common ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sweep/BenchmarkGraph.h"

#include <algorithm>

namespace tandem::bench {

using tandem::tools::Tier;

Expected<BenchmarkGraph> makeBenchmarkGraph(const BarsOptions &options,
                                            std::unique_ptr<Graph> graph,
                                            const measure::DimSizes &dims) {
  BenchmarkGraph benchmark;
  benchmark.graph = std::move(graph);
  const Program &program = *benchmark.graph->eagerProgram();
  TANDEM_ASSIGN_OR_RETURN(benchmark.types, measure::bindDims(program, dims));
  TANDEM_ASSIGN_OR_RETURN(benchmark.inputs,
                          InputSets::create(program, benchmark.types,
                                            options.environment.cacheBytes));
  tools::GraphTiers tiers(*benchmark.graph);
  TANDEM_ASSIGN_OR_RETURN(benchmark.eager,
                          tiers.prepare(benchmark.types, Tier::eager));
  TANDEM_ASSIGN_OR_RETURN(benchmark.compiled,
                          tiers.prepare(benchmark.types, Tier::compiled));
  TANDEM_RETURN_IF_ERROR(
      benchmark.eager->executor->run(benchmark.inputs[0], benchmark.outputs));
  return benchmark;
}

Expected<BenchmarkGraph> loadBenchmarkGraph(const BarsOptions &options,
                                            const std::string &name,
                                            const measure::DimSizes &dims) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, loadBarGraph(name));
  return makeBenchmarkGraph(options, std::move(graph), dims);
}

measure::Sampler::Call callOf(BenchmarkGraph &benchmark,
                              const tools::PreparedPtr &tier) {
  return [&benchmark, executor = tier->executor.get()](size_t call) {
    return executor->run(benchmark.inputs[call], benchmark.outputs);
  };
}

measure::SamplerOptions samplerOptions(const BarsOptions &options) {
  measure::SamplerOptions result;
  result.budgetNs = options.seconds * 1e9;
  result.minSamples = 15;
  result.maxSamples = 2000;
  return result;
}

Expected<MoveSeries> addCopySeries(measure::Sampler &sampler,
                                   const BenchmarkGraph &benchmark,
                                   int64_t bytes, Targets &targets) {
  TANDEM_ASSIGN_OR_RETURN(targets, makeTargets(bytes / 2));
  return addMoveSeries(
      sampler, "copy",
      [&benchmark, bytes, &targets](size_t call, measure::Stores stores) {
        // Once more from the first input where they are fewer bytes than that;
        // none of the graphs has inputs of no bytes alone.
        for (int64_t done = 0; done < bytes / 2;)
          for (const Tensor &input : benchmark.inputs[call]) {
            int64_t part = std::min(input.bytes(), bytes / 2 - done);
            measure::copyOnAllThreads(targets[call] + done, input.data(),
                                      static_cast<size_t>(part), stores);
            done += part;
          }
      });
}

double medianRatio(const measure::Summary &a, const measure::Summary &b) {
  return a.median / std::max(b.median, 1.0);
}

Bar ratioBar(std::string what, const Named &first, const Named &second,
             double bar, bool atMost) {
  return {std::move(what),
          medianRatio(first.second, second.second),
          bar,
          atMost,
          "x",
          {first, second}};
}

} // namespace tandem::bench
