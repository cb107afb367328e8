//===- MoveSeries.h - What moving bytes takes -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_MOVESERIES_H
#define TANDEM_TOOLS_TANDEM_BENCH_MOVESERIES_H

#include "tandem/Measure/Copy.h"
#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/Tensor.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::bench {

/// A figure and what it is called beside its bar.
using Named = std::pair<std::string, measure::Summary>;

/// Buffers that take turns as the tiers' outputs do: the last call's is still
/// held while the next one is written. All their pages are there.
struct Targets {
  Tensor buffers[2];
  char *operator[](size_t call) const { return buffers[call % 2].as<char>(); }
};
Expected<Targets> makeTargets(int64_t bytes);

/// Moves the same bytes with cached and with streaming stores, in one sampler's
/// rounds.
struct MoveSeries {
  std::string what;
  size_t cached = 0, streaming = 0;
  /// The faster one's time, which is the memory's own; `times` are the
  /// sampler's.
  Named faster(const std::vector<measure::Summary> &times) const;
};

/// `move` is called with a series' running number and its kind of stores.
MoveSeries addMoveSeries(measure::Sampler &sampler, const std::string &what,
                         std::function<void(size_t, measure::Stores)> move,
                         const std::function<void()> &prepare = {});
/// Adds series that write zeros to `bytes` of the targets.
MoveSeries addClearSeries(measure::Sampler &sampler, size_t bytes,
                          const Targets &targets);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_MOVESERIES_H
