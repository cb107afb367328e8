//===- BenchmarkGraph.h - What all performance bars share -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_SWEEP_BENCHMARKGRAPH_H
#define TANDEM_TOOLS_TANDEM_BENCH_SWEEP_BENCHMARKGRAPH_H

#include "bars/Bars.h"
#include "bars/MoveSeries.h"
#include "compare/InputSets.h"

#include "tandem/Measure/Vary.h"

namespace tandem::bench {

/// A benchmark graph on one shape, prepared for both tiers. Each call takes the
/// next set of inputs.
struct BenchmarkGraph {
  std::unique_ptr<Graph> graph;
  std::vector<TensorType> types;
  InputSets inputs;
  tools::PreparedPtr eager, compiled;
  /// The outputs of the last call.
  std::vector<Tensor> outputs;
};

/// Compiles a graph for the sizes `dims`, and runs the eager tier once to fill
/// `outputs`.
Expected<BenchmarkGraph> makeBenchmarkGraph(const BarsOptions &options,
                                            std::unique_ptr<Graph> graph,
                                            const measure::DimSizes &dims);
/// The same for a graph of share/tandem/graphs.
Expected<BenchmarkGraph> loadBenchmarkGraph(const BarsOptions &options,
                                            const std::string &name,
                                            const measure::DimSizes &dims);

/// A function that calls `tier`, one of the benchmark's tiers.
measure::Sampler::Call callOf(BenchmarkGraph &benchmark,
                              const tools::PreparedPtr &tier);

measure::SamplerOptions samplerOptions(const BarsOptions &options);

/// Adds series that measure moving `bytes` bytes: they read `bytes` / 2 bytes
/// of the benchmark's inputs, in order, and write as many.
Expected<MoveSeries> addCopySeries(measure::Sampler &sampler,
                                   const BenchmarkGraph &benchmark,
                                   int64_t bytes, Targets &targets);

/// The ratio of two medians.
double medianRatio(const measure::Summary &a, const measure::Summary &b);

/// A bar for the ratio of `first` to `second`, with both spreads.
Bar ratioBar(std::string what, const Named &first, const Named &second,
             double bar, bool atMost);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_SWEEP_BENCHMARKGRAPH_H
