//===- ConstantCache.cpp - Constants that executors share -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantCache.h"

using namespace tandem;

bool ConstantCache::isPlaced(const Tensor &constant) const {
  auto address = reinterpret_cast<uintptr_t>(constant.data());
  return constant.device() == memory.device() &&
         address % Allocator::kAlignment == 0;
}

Expected<Tensor> ConstantCache::find(const Tensor &constant, Stream &stream) {
  if (isPlaced(constant))
    return constant;
  Entry &entry = entries[{constant.data(), constant.bytes()}];
  // If the given memory has another owner now, it holds another constant.
  const bool isSame = entry.given.lock() == constant.owner();
  std::shared_ptr<void> placed = isSame ? entry.placed.lock() : nullptr;
  if (placed && constant.owner())
    return Tensor::share(constant.type(), placed, memory.device());
  TANDEM_ASSIGN_OR_RETURN(Tensor copy,
                          Tensor::allocate(constant.type(), memory));
  TANDEM_RETURN_IF_ERROR(stream.copy(constant, copy));
  entry = {constant.owner(), copy.owner()};
  return copy;
}

Expected<std::vector<Tensor>>
ConstantCache::place(std::span<const Tensor> constants, Stream &stream) {
  std::lock_guard lock(mutex);
  std::erase_if(
      entries, [](const auto &entry) { return entry.second.placed.expired(); });
  std::vector<Tensor> placed;
  for (const Tensor &constant : constants) {
    TANDEM_ASSIGN_OR_RETURN(Tensor tensor, find(constant, stream));
    placed.push_back(std::move(tensor));
  }
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  return placed;
}
