//===- ShapeMeasurement.h - Everything measured of one shape ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_SHAPEMEASUREMENT_H
#define TANDEM_TOOLS_TANDEM_BENCH_SHAPEMEASUREMENT_H

#include "CompileCost.h"
#include "common/Tiers.h"

#include "tandem/Measure/Vary.h"

#include <functional>
#include <optional>
#include <string_view>

namespace tandem::bench {

/// The words of docs/Measuring.md; times in nanoseconds per call.
struct ShapeMeasurement {
  measure::DimSizes dims;
  std::vector<TensorType> inputs;
  measure::Summary eager, compiled;
  measure::Summary eagerDispatch, compiledDispatch;
  /// Cold, warm, and warm with every kernel known.
  CompileCost cold, warm, cached;
  /// n* by the warm and the cold C; none is "never".
  std::optional<int64_t> breakEven, breakEvenCold;
  measure::Verdict verdict = measure::Verdict::close;
  /// As measured; and what the memory plan of the compiled tier says, where all
  /// is planned.
  int64_t eagerPeakBytes = 0, compiledPeakBytes = 0;
  std::optional<int64_t> plannedPeakBytes;
  size_t eagerSteps = 0, compiledSteps = 0, kernels = 0;
  /// Sets of input buffers that took turns.
  size_t inputSets = 0;
  /// Why there are no figures; empty on success.
  std::string error;
};

struct MeasureOptions {
  std::string file, function = "main", device = tools::defaultDevice();
  int threads = 0;
  /// Wall time for the steady figures of one shape; the compile costs take
  /// about as much again.
  double seconds = 1;
  int coldRuns = 3;
  int64_t cacheBytes = 0;
};

/// Called with what is being measured.
using Progress = std::function<void(std::string_view)>;

Expected<ShapeMeasurement> measureShape(const Graph &graph,
                                        const measure::DimSizes &dims,
                                        const MeasureOptions &options,
                                        const Progress &progress);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_SHAPEMEASUREMENT_H
