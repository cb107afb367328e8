//===- CompileCost.h - The compile cost of one shape ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_SWEEP_COMPILECOST_H
#define TANDEM_TOOLS_TANDEM_BENCH_SWEEP_COMPILECOST_H

#include "common/Tiers.h"
#include "sweep/TrainingSweep.h"

#include "tandem/Measure/Statistics.h"

#include <string>
#include <utility>
#include <vector>

namespace tandem::bench {

/// The compile cost C and its phases, in order, as the working time of all
/// threads: the total of a compilation is the sum of its phases. (The medians
/// of the phases add up to about that of the total.) `wall` is the elapsed
/// time, which is less because kernels are compiled in parallel.
struct CompileCost {
  measure::Summary total, wall;
  std::vector<std::pair<std::string, measure::Summary>> phases;
  /// Compiled::relayoutedBytes, which is the same each time.
  int64_t relayoutedBytes = 0;
};

/// A compilation that a child process is asked to do.
struct CompileJob {
  std::string file, function, device;
  int threads = 0;
  /// The types of the inputs of the graph in the file.
  std::vector<TensorType> inputs;
  Precision precision = Precision::strict;
  TrainOptions train;

  CompileOptions options() const {
    CompileOptions options;
    options.device = device;
    options.precision = precision;
    return options;
  }
};

/// A compiled program and the time of its compilation, by phase, in
/// nanoseconds.
struct TimedCompile {
  tools::PreparedTier prepared;
  std::vector<PhaseTime> phases;
  double wallNs = 0;
};

/// Compiles, loads and runs once. The phase "prepare" creates the executor,
/// whose library calls convert their weights. The phase "first run" is the time
/// of the first call beyond that of a later one. Time outside all phases is
/// "other".
Expected<TimedCompile> compileTimed(Compiler &compiler,
                                    const std::vector<Tensor> &inputs);

/// Measures the compile cost in this process, which has compiled before: the
/// cost of new weights and shapes in a running program. With
/// `options.kernelCache`, all kernels are in the cache. Nobody else may hold a
/// program that was compiled from `graph`, because it would keep the packed
/// weights alive. Compiles at least `minRuns` times, and then until `budgetNs`
/// is spent or it has compiled `maxRuns` times.
Expected<CompileCost> measureWarm(const Graph &graph,
                                  const CompileOptions &options,
                                  const std::vector<Tensor> &inputs,
                                  double budgetNs, int minRuns = 3,
                                  int maxRuns = 20);

/// Measures the compile cost in `runs` new child processes, from parsing the
/// file to the first run. The phase "differentiate" makes the graph of a
/// training step.
Expected<CompileCost> measureCold(const CompileJob &job, int runs);

/// The same with the cache on disk: empty, so that each looks a program up and
/// keeps it; and with the program in it.
struct DiskCacheCost {
  CompileCost empty, found;
};
Expected<DiskCacheCost> measureDiskCache(const CompileJob &job, int runs);

/// Does the work of such a child process, and prints one JSON object to
/// standard output. The cache on disk is used in `cacheDir`, if that is not
/// empty.
Status runColdChild(const CompileJob &job, const std::vector<std::string> &dims,
                    const std::string &cacheDir);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_SWEEP_COMPILECOST_H
