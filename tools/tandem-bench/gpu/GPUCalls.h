//===- GPUCalls.h - The times of calls on a GPU -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_GPU_GPUCALLS_H
#define TANDEM_TOOLS_TANDEM_BENCH_GPU_GPUCALLS_H

#include "common/Tiers.h"

#include "tandem/Measure/Vary.h"

#include <functional>

namespace tandem::bench {

/// Times per call, in nanoseconds; medians.
struct CallTimes {
  /// From the first of many calls that are enqueued to the end of the wait that
  /// follows the last one, divided by their number.
  double call = 0;
  /// The host's share of it: until the last call has returned.
  double host = 0;
  /// The device's share of it, by events.
  double device = 0;
  /// The time of a single call that is waited for.
  double latency = 0;
};

/// Enqueues something on a stream. The argument is the number of the call.
using Enqueue = std::function<Status(size_t)>;

/// Measures `enqueue`, a function that enqueues work on `stream`, with `calls`
/// calls per sample.
Expected<CallTimes> measureCalls(const Enqueue &enqueue, Stream &stream,
                                 int calls);

/// A graph on one shape, with inputs on a GPU. There are as many sets of inputs
/// and results as its second-level cache does not hold, which are used in turn.
class GPUGraph {
public:
  /// Prepares a tier of `graph`, with the sizes `dims`, as `compile` says.
  static Expected<GPUGraph> create(std::unique_ptr<Graph> graph,
                                   const measure::DimSizes &dims, Tier tier,
                                   const CompileOptions &compile);

  /// Runs it on the next set of inputs.
  Enqueue call();
  /// Random inputs of another shape on the device. The stream's work is done.
  Expected<std::vector<Tensor>> inputsOf(const measure::DimSizes &dims);
  /// Runs it on inputs of any shape that its tier takes.
  Status run(std::span<const Tensor> arguments, std::vector<Tensor> &outputs) {
    return prepared->executor->run(arguments, outputs);
  }
  Stream &stream() { return prepared->executor->stream(); }
  /// Bytes of one set of inputs and results.
  int64_t bytes() const;

private:
  Expected<std::vector<Tensor>>
  makeInputs(const std::vector<TensorType> &types);

  std::unique_ptr<Graph> graph;
  tools::PreparedPtr prepared;
  std::vector<std::vector<Tensor>> inputs, results;
};

/// The driver's name of the first GPU; empty where there is none.
std::string gpuModel();

/// Copies between two buffers of the device's memory.
Expected<CallTimes> measureCopy(Stream &stream, int64_t bytes, int calls);

/// Launches of an empty kernel, by the driver's function alone.
Expected<CallTimes> measureLaunch(Stream &stream, int calls);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_GPU_GPUCALLS_H
