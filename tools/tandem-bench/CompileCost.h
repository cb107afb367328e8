//===- CompileCost.h - What compiling one shape costs, by phase -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_COMPILECOST_H
#define TANDEM_TOOLS_TANDEM_BENCH_COMPILECOST_H

#include "common/Tiers.h"

#include "tandem/Measure/Statistics.h"

#include <string>
#include <utility>
#include <vector>

namespace tandem::bench {

/// C and its phases in order, in one thread's time: the total of a compilation
/// is the sum of its phases, so that the phases' medians add up to about the
/// total's. `wall` is what the clock shows of the same, kernels being compiled
/// in parallel.
struct CompileCost {
  measure::Summary total, wall;
  std::vector<std::pair<std::string, measure::Summary>> phases;
  /// As Compiled has it: the same each time.
  int64_t rearrangedBytes = 0;
};

/// What identifies a compilation to a child process.
struct CompileJob {
  std::string file, function, device;
  int threads = 0;
  std::vector<TensorType> inputs;
};

/// A compiled program and what it took, in nanoseconds by phase.
struct TimedCompile {
  tools::PreparedTier prepared;
  std::vector<PhaseTime> phases;
  double wallNs = 0;
};

/// Compiles, loads and runs once. The phase "prepare" makes the executor, whose
/// library calls convert their weights; "first run" is what the first call
/// takes beyond a later one; time that no phase claims is "other".
Expected<TimedCompile> compileTimed(Compiler &compiler,
                                    const std::vector<Tensor> &inputs);

/// In this process, which has compiled before: what new weights on new shapes
/// cost a running program; with `options.kernelCache`, where their kernels are
/// all known. Nobody else may hold a program that was compiled from `graph`: it
/// keeps the weights that were packed for it. Compiles at least `minRuns`
/// times, and until `budgetNs` is spent at most `maxRuns` times.
Expected<CompileCost> measureWarm(const Graph &graph,
                                  const CompileOptions &options,
                                  const std::vector<Tensor> &inputs,
                                  double budgetNs, int minRuns = 3,
                                  int maxRuns = 20);

/// In `runs` fresh child processes, from parsing the file to the first run.
Expected<CompileCost> measureCold(const CompileJob &job, int runs);

/// What such a child does: prints one JSON object to standard output.
Status runColdChild(const CompileJob &job,
                    const std::vector<std::string> &dims);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_COMPILECOST_H
