//===- ShapeMeasurement.h - All measurements of one shape -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_SWEEP_SHAPEMEASUREMENT_H
#define TANDEM_TOOLS_TANDEM_BENCH_SWEEP_SHAPEMEASUREMENT_H

#include "common/Tiers.h"
#include "sweep/CompileCost.h"

#include "tandem/Measure/Vary.h"

#include <functional>
#include <optional>
#include <string_view>

namespace tandem::bench {

/// All measurements of one shape, in the terms of docs/Measuring.md. Times are
/// in nanoseconds per call.
struct ShapeMeasurement {
  measure::DimSizes dims;
  /// The types of the inputs of the measured graph.
  std::vector<TensorType> inputs;
  measure::Summary eager, compiled;
  measure::Summary eagerDispatch, compiledDispatch;
  /// The captured tier; none where the device has none, or the program cannot
  /// be captured.
  std::optional<measure::Summary> captured;
  /// The time that making the graph of a training step took. Both tiers need
  /// this graph, so the time is no part of the warm compile cost.
  std::optional<double> differentiateNs;
  /// The compile cost: cold, warm, and warm with all kernels in the cache.
  CompileCost cold, warm, cached;
  /// The cold cost with the cache on disk, where that was asked for.
  std::optional<DiskCacheCost> disk;
  /// The break-even number of calls n* with the warm and the cold compile cost;
  /// none stands for "never".
  std::optional<int64_t> breakEven, breakEvenCold;
  measure::Verdict verdict = measure::Verdict::close;
  /// The measured peaks of memory, and the planned peak of the compiled tier
  /// where all memory is planned, in bytes.
  int64_t eagerPeakBytes = 0, compiledPeakBytes = 0;
  std::optional<int64_t> plannedPeakBytes;
  size_t eagerSteps = 0, compiledSteps = 0, kernels = 0;
  /// The number of sets of input buffers that were used in turn.
  size_t inputSets = 0;
  /// The reason why there are no figures; empty on success.
  std::string error;
};

/// What is measured, and for how long.
struct MeasureOptions {
  std::string file, function = "main", device = tools::defaultDevice();
  Precision precision = Precision::strict;
  int threads = 0;
  /// Wall time for measuring the calls of one shape, in seconds. Measuring the
  /// compile cost takes about as long again.
  double seconds = 1;
  int coldRuns = 3;
  /// Whether to measure the cold cost with the cache on disk, too.
  bool withDiskCache = false;
  int64_t cacheBytes = 0;
  TrainOptions train;
};

/// A function that is called with a description of what is being measured.
using Progress = std::function<void(std::string_view)>;

/// Measures one shape, given by the sizes of the graph's named dims. Outputs
/// that update inputs are written to the memory of these inputs.
Expected<ShapeMeasurement> measureShape(const Graph &graph,
                                        const measure::DimSizes &dims,
                                        const MeasureOptions &options,
                                        const Progress &progress);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_SWEEP_SHAPEMEASUREMENT_H
