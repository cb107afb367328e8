//===- MoveSeries.cpp - What moving bytes takes ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/MoveSeries.h"

#include <cstring>

namespace tandem::bench {

Expected<Targets> makeTargets(int64_t bytes) {
  Targets targets;
  for (Tensor &buffer : targets.buffers) {
    TANDEM_ASSIGN_OR_RETURN(
        buffer, Tensor::allocate(TensorType{DType::i8, Shape{bytes}}));
    std::memset(buffer.data(), 0, static_cast<size_t>(bytes));
  }
  return targets;
}

Named MoveSeries::faster(const std::vector<measure::Summary> &times) const {
  return times[streaming].median < times[cached].median
             ? Named("streaming " + what, times[streaming])
             : Named(what, times[cached]);
}

MoveSeries addMoveSeries(measure::Sampler &sampler, const std::string &what,
                         std::function<void(size_t, measure::Stores)> move,
                         const std::function<void()> &prepare) {
  auto add = [&](measure::Stores stores) {
    return sampler.add(
        what,
        [move, stores](size_t call) -> Status {
          move(call, stores);
          return {};
        },
        prepare);
  };
  const size_t cached = add(measure::Stores::cached);
  return {what, cached, add(measure::Stores::streaming)};
}

MoveSeries addClearSeries(measure::Sampler &sampler, size_t bytes,
                          const Targets &targets) {
  return addMoveSeries(
      sampler, "clear", [bytes, &targets](size_t call, measure::Stores stores) {
        measure::clearOnAllThreads(targets[call], bytes, stores);
      });
}

} // namespace tandem::bench
