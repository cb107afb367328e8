//===- CompileScaling.h - Compile cost as a graph grows ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_BARS_COMPILESCALING_H
#define TANDEM_TOOLS_TANDEM_BENCH_BARS_COMPILESCALING_H

#include "common/RunEnvironment.h"

#include "tandem/Measure/Statistics.h"
#include "tandem/Runtime/Compiler.h"
#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace tandem::bench {

/// Options of `tandem-bench compile-scaling`.
struct ScalingOptions {
  /// Sizes of the graphs, in ops.
  std::vector<int> ops = {10, 30, 100, 300, 1000};
  int runs = 3;
  int threads = 0;
  std::string json;
  tools::RunEnvironment environment;
};

/// The compile cost of a generated graph, in nanoseconds, as the working time
/// of all threads; `wall` is the elapsed time.
struct ScalingPoint {
  size_t ops = 0, steps = 0, kernels = 0;
  std::vector<TensorType> inputs;
  measure::Summary total, wall;
  /// The medians of the phases, in order.
  std::vector<PhaseTime> phases;

  double phaseNs(const std::string &name) const;
  /// The time of the phases that work on single kernels, per kernel.
  double perKernelNs() const;
  double fusePer100Ns() const;
};

/// Measures the compilation of makeScalingGraph(ops) `runs` times, after
/// compiling it once: kernels are not in the cache, but the weights are packed
/// already.
Expected<ScalingPoint> measureScaling(int ops, int runs);

/// Compiles a generated graph of each size and prints the total time, the time
/// per kernel, and the time of fusion per 100 ops. Nothing is executed.
Status runScaling(const ScalingOptions &options);

/// Generates a graph of about `ops` ops, always the same for the same number:
/// layers of convolutions, matmuls, reductions and elementwise ops, each with
/// constants of its own, so that no two kernels are equal.
std::string makeScalingGraph(int ops);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARS_COMPILESCALING_H
