//===- Tensor.cpp - Dense tensors and counted memory ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Tensor.h"

#include "tandem/Support/ThreadNumber.h"

#include <algorithm>
#include <cassert>
#include <utility>

using namespace tandem;

static thread_local MemoryScope *currentScope = nullptr;

MemoryScope::MemoryScope() : outer(std::exchange(currentScope, this)) {}
MemoryScope::~MemoryScope() { currentScope = outer; }

int64_t Allocator::liveBytes() const {
  int64_t sum = 0;
  for (const Share &share : shares)
    sum += share.live.load(std::memory_order_relaxed);
  return sum;
}

void Allocator::count(int64_t delta) {
  if (MemoryScope *scope = currentScope) {
    scope->live += delta;
    scope->peak = std::max(scope->peak, scope->live);
  }
  shares[threadNumber() % shares.size()].live.fetch_add(
      delta, std::memory_order_relaxed);
}

Expected<Tensor> Tensor::allocate(const TensorType &type,
                                  Allocator &allocator) {
  Expected<int64_t> bytes = checkedBytes(type);
  if (!bytes)
    return tl::unexpected<Error>(std::move(bytes.error()));
  Expected<void *> memory = allocator.allocate(*bytes);
  if (!memory)
    return tl::unexpected<Error>(std::move(memory.error()));
  return share(type,
               std::shared_ptr<void>(*memory,
                                     [&allocator, size = *bytes](void *data) {
                                       allocator.deallocate(data, size);
                                     }),
               allocator.device());
}

Tensor Tensor::borrow(const TensorType &type, void *data,
                      const Device *device) {
  Tensor tensor;
  tensor.tensorType = type;
  tensor.pointer = data;
  tensor.place = device;
  return tensor;
}

Tensor Tensor::share(const TensorType &type, std::shared_ptr<void> data,
                     const Device *device) {
  Tensor tensor = borrow(type, data.get(), device);
  tensor.storage = std::move(data);
  return tensor;
}

Tensor Tensor::viewAs(const TensorType &type) const {
  assert(type.bytes() == bytes() && "a view has the bytes of its tensor");
  return partAs(type, 0);
}

Tensor Tensor::partAs(const TensorType &type, int64_t offset) const {
  assert(offset >= 0 && offset + type.bytes() <= bytes() &&
         "a part is within its tensor");
  Tensor part = *this;
  part.tensorType = type;
  part.pointer = as<char>() + offset;
  return part;
}
