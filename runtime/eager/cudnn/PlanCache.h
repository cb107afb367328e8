//===- PlanCache.h - Plans kept for other processes -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDNN_PLANCACHE_H
#define TANDEM_RUNTIME_EAGER_CUDNN_PLANCACHE_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::cuda {
struct CUDNN;
} // namespace tandem::cuda

namespace tandem::cudnn {

/// An engine and what is chosen for its knobs, by type of knob.
struct EngineChoice {
  int64_t engine = 0;
  std::vector<std::pair<int, int64_t>> knobs;

  /// "engine 7, knob 2 = 5, knob 9 = 0".
  std::string str() const;
  /// Reads that text; none where it is another one.
  static std::optional<EngineChoice> parse(std::string_view text);
};

/// What planning has come to, on disk (docs/Cache.md): an engine of cuDNN, or
/// that there is none. With that a plan takes 0.2 ms, instead of the 1.4 to 3
/// that the heuristics take, and the first time in a process a hundred times as
/// much. Thread-safe.
class PlanCache {
public:
  /// `device` is all of a GPU that plans depend on.
  PlanCache(const cuda::CUDNN &library, std::string device)
      : library(library), device(std::move(device)) {}

  struct Entry {
    /// None where nothing is to be planned.
    std::optional<EngineChoice> choice;
  };
  /// `problem` is all of a convolution, and of what is asked of its plan.
  std::optional<Entry> find(const std::string &problem) const;
  void put(const std::string &problem, const Entry &entry) const;

private:
  const cuda::CUDNN &library;
  const std::string device;
};

} // namespace tandem::cudnn

#endif // TANDEM_RUNTIME_EAGER_CUDNN_PLANCACHE_H
