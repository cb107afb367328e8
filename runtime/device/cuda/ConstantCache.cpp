//===- ConstantCache.cpp - Constants that a GPU's executors share ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantCache.h"

using namespace tandem;
using namespace tandem::cuda;

Expected<Tensor> ConstantCache::find(const Tensor &constant, Stream &stream) {
  if (constant.device() == stream.device().memory())
    return constant;
  Entry &entry = entries[{constant.data(), constant.bytes()}];
  // Where the host's memory is another's now, it is another constant.
  const bool isSame = entry.host.lock() == constant.owner();
  std::shared_ptr<void> there = isSame ? entry.there.lock() : nullptr;
  if (there && constant.owner())
    return Tensor::share(constant.type(), there, stream.device().memory());
  TANDEM_ASSIGN_OR_RETURN(Tensor copy,
                          Tensor::allocate(constant.type(), memory));
  TANDEM_RETURN_IF_ERROR(stream.copy(constant, copy));
  entry = {constant.owner(), copy.owner()};
  return copy;
}

Expected<std::vector<Tensor>>
ConstantCache::place(std::span<const Tensor> constants, Stream &stream) {
  std::lock_guard lock(mutex);
  std::erase_if(entries,
                [](const auto &entry) { return entry.second.there.expired(); });
  std::vector<Tensor> placed;
  for (const Tensor &constant : constants) {
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor, find(constant, stream));
    placed.push_back(std::move(tensor));
  }
  TANDEM_RETURN_IF_ERROR(stream.synchronise());
  return placed;
}
