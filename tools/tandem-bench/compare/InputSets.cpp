//===- InputSets.cpp - Input buffers that take turns ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compare/InputSets.h"

#include "tandem/Analysis/HostCaches.h"
#include "tandem/Runtime/Compare.h"

#include <algorithm>

namespace tandem::bench {
namespace {

/// For each input, whether it has a dynamic dim; true for all if none has.
std::vector<bool> rotatingInputs(const Program &program) {
  std::vector<bool> result;
  for (uint32_t slot : program.inputs)
    result.push_back(!fromFlat(*program.slots[slot]->type).isStatic());
  if (std::ranges::count(result, true) == 0)
    result.assign(result.size(), true);
  return result;
}

} // namespace

int64_t bytesOfCacheBefore(DataSource source) {
  std::span<const HostCache> caches = hostCaches();
  if (source == DataSource::cache && caches.size() > 1)
    caches = caches.first(caches.size() - 1);
  return caches.back().bytes;
}

size_t InputSets::count(int64_t bytes, int64_t cacheBytes) {
  if (bytes <= 0)
    return 2;
  for (size_t prime : {2, 3, 5, 7, 11, 13})
    if (bytes * static_cast<int64_t>(prime) > 2 * cacheBytes)
      return prime;
  return kMaxSets;
}

Expected<InputSets> InputSets::create(const Program &program,
                                      const std::vector<TensorType> &types,
                                      int64_t cacheBytes) {
  return create(types, rotatingInputs(program), cacheBytes);
}

Expected<InputSets> InputSets::create(const std::vector<TensorType> &types,
                                      const std::vector<bool> &rotates,
                                      int64_t cacheBytes) {
  int64_t bytes = 0;
  for (size_t i = 0; i < types.size(); ++i)
    if (rotates[i]) {
      TANDEM_ASSIGN_OR_RETURN(int64_t inputBytes, checkedBytes(types[i]));
      bytes += inputBytes;
    }
  InputSets result;
  size_t sets = count(bytes, cacheBytes);
  for (size_t set = 0; set < sets; ++set) {
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < types.size(); ++i) {
      if (set > 0 && !rotates[i]) {
        inputs.push_back(result.sets[0][i]);
        continue;
      }
      TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(types[i]));
      fillRandom(tensor, 1 + set * types.size() + i);
      inputs.push_back(std::move(tensor));
    }
    result.sets.push_back(std::move(inputs));
  }
  return result;
}

Expected<InputSets> InputSets::placed(Stream &stream) const {
  InputSets result;
  for (const std::vector<Tensor> &set : sets) {
    TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> there,
                            copyToDevice(set, stream));
    // What sets share they share there, too.
    for (size_t i = 0; i < set.size(); ++i)
      if (set[i].data() == sets[0][i].data() && !result.sets.empty())
        there[i] = result.sets[0][i];
    result.sets.push_back(std::move(there));
  }
  return result;
}

} // namespace tandem::bench
