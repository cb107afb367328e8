//===- InputSets.h - Input buffers that take turns --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_INPUTSETS_H
#define TANDEM_TOOLS_TANDEM_BENCH_INPUTSETS_H

#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Tensor.h"

#include <vector>

namespace tandem::bench {

/// Several sets of random inputs for one shape, used in turn, so that data does
/// not sit in cache only because the last call left it there. Inputs without a
/// dynamic dim (weights) are shared by all sets, as they are in use.
class InputSets {
public:
  /// As many sets as fill the last-level cache of `cacheBytes` twice, at least
  /// two and at most kMaxSets.
  static Expected<InputSets> create(const Program &program,
                                    const std::vector<TensorType> &types,
                                    int64_t cacheBytes);
  static constexpr size_t kMaxSets = 16;
  /// How many that is of sets of `bytes`.
  static size_t count(int64_t bytes, int64_t cacheBytes);

  const std::vector<Tensor> &operator[](size_t call) const {
    return sets[call % sets.size()];
  }
  size_t size() const { return sets.size(); }

private:
  std::vector<std::vector<Tensor>> sets;
};

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_INPUTSETS_H
