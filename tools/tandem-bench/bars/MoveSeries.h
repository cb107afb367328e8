//===- MoveSeries.h - Measuring the movement of bytes -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_BARS_MOVESERIES_H
#define TANDEM_TOOLS_TANDEM_BENCH_BARS_MOVESERIES_H

#include "tandem/Measure/Copy.h"
#include "tandem/Measure/Sampler.h"
#include "tandem/Runtime/Tensor.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::bench {

/// A measurement and its name.
using Named = std::pair<std::string, measure::Summary>;

/// Two buffers that are written in turn, as a tier's outputs are: the last one
/// is still in use while the next one is written. All of their pages have been
/// touched.
struct Targets {
  Tensor buffers[2];
  char *operator[](size_t call) const { return buffers[call % 2].as<char>(); }
};
Expected<Targets> makeTargets(int64_t bytes);

/// Two series of one Sampler that move the same bytes with cached and with
/// streaming stores (measure::Stores).
struct MoveSeries {
  std::string what;
  size_t cached = 0, streaming = 0;
  /// The time of the faster series, which is the limit of the memory. `times`
  /// are the results of the sampler.
  Named faster(const std::vector<measure::Summary> &times) const;
};

/// Adds both series. `move` is called with the number of the call and the kind
/// of stores.
MoveSeries addMoveSeries(measure::Sampler &sampler, const std::string &what,
                         std::function<void(size_t, measure::Stores)> move,
                         const std::function<void()> &prepare = {});
/// Adds series that write zeros to `bytes` bytes of the targets.
MoveSeries addClearSeries(measure::Sampler &sampler, size_t bytes,
                          const Targets &targets);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARS_MOVESERIES_H
