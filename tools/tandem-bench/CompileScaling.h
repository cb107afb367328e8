//===- CompileScaling.h - Compile cost as a graph grows ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_COMPILESCALING_H
#define TANDEM_TOOLS_TANDEM_BENCH_COMPILESCALING_H

#include "common/Environment.h"

#include "tandem/Measure/Statistics.h"
#include "tandem/Runtime/Compiler.h"
#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace tandem::bench {

struct ScalingOptions {
  /// Sizes of the graphs.
  std::vector<int> ops = {10, 30, 100, 300, 1000};
  int runs = 3;
  int threads = 0;
  std::string json;
  tools::Environment environment;
};

/// What compiling a generated graph took, in one thread's time and ns.
struct ScalingPoint {
  size_t ops = 0, steps = 0, kernels = 0;
  std::vector<TensorType> inputs;
  measure::Summary total, wall;
  /// Medians in order.
  std::vector<PhaseTime> phases;

  double phaseNs(const std::string &name) const;
  /// Of what is done kernel by kernel.
  double perKernelNs() const;
  double fusePer100Ns() const;
};

/// Compiles makeScalingGraph(ops) `runs` times, and once more first: no kernel
/// is known, but the weights are packed.
Expected<ScalingPoint> measureScaling(int ops, int runs);

/// Compiles a generated graph of each size and prints what it took in all, per
/// kernel, and in fusion per 100 ops. Nothing is executed.
Status runScaling(const ScalingOptions &options);

/// A graph of about `ops` ops, the same for the same number: convolutions,
/// matmuls, reductions and elementwise ops in layers, each with constants of
/// its own, so that no two kernels are equal.
std::string makeScalingGraph(int ops);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_COMPILESCALING_H
