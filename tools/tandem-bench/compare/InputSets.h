//===- InputSets.h - Sets of input buffers used in turn ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_COMPARE_INPUTSETS_H
#define TANDEM_TOOLS_TANDEM_BENCH_COMPARE_INPUTSETS_H

#include "tandem/Runtime/Device.h"
#include "tandem/Runtime/Program.h"
#include "tandem/Runtime/Tensor.h"

#include <vector>

namespace tandem::bench {

/// The source of the data of each call: memory, or the last level of the
/// caches, in which the ops of a graph find most of their data.
enum class DataSource { memory, cache };

/// The size in bytes of the largest cache that such data is not to be in.
int64_t bytesOfCacheBefore(DataSource source);

/// Several sets of random inputs of one shape. They are used in turn, so that
/// data is not in cache merely because the last call left it there. All sets
/// share the inputs without a dynamic dim (weights), as real programs do.
class InputSets {
public:
  /// Creates as many sets as fill a last-level cache of `cacheBytes` bytes
  /// twice, but at most kMaxSets. The number is a prime, so that series that
  /// use the sets in turn meet all of them.
  static Expected<InputSets> create(const Program &program,
                                    const std::vector<TensorType> &types,
                                    int64_t cacheBytes);
  /// Creates sets that differ in the inputs for which `rotates` is true, and
  /// share the others.
  static Expected<InputSets> create(const std::vector<TensorType> &types,
                                    const std::vector<bool> &rotates,
                                    int64_t cacheBytes);
  /// The same in the memory of the stream's device.
  Expected<InputSets> placed(Stream &stream) const;
  static constexpr size_t kMaxSets = 17;
  /// That number of sets, for sets of `bytes` bytes.
  static size_t count(int64_t bytes, int64_t cacheBytes);

  const std::vector<Tensor> &operator[](size_t call) const {
    return sets[call % sets.size()];
  }
  size_t size() const { return sets.size(); }

private:
  std::vector<std::vector<Tensor>> sets;
};

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_COMPARE_INPUTSETS_H
