//===- DeviceAllocator.cpp - A stream's memory on a GPU -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceAllocator.h"

using namespace tandem;
using namespace tandem::cuda;

/// CUDA_ERROR_OUT_OF_MEMORY.
static constexpr Result kOutOfMemory = 2;

Expected<void *> cuda::allocateBlock(Context &context, uint64_t bytes,
                                     int64_t requested) {
  TANDEM_RETURN_IF_ERROR(context.enter());
  const Driver &driver = context.driver();
  DevicePointer address = 0;
  Result result = driver.memAlloc(&address, bytes);
  if (result == kOutOfMemory) {
    context.trimCaches();
    result = driver.memAlloc(&address, bytes);
  }
  if (result == kSuccess)
    return reinterpret_cast<void *>(address);
  size_t free = 0, total = 0;
  driver.memGetInfo(&free, &total);
  return tl::unexpected(
      context
          .check(result, "allocate",
                 "cannot allocate " + std::to_string(requested) +
                     " bytes on device '" + context.name() + "', of whose " +
                     std::to_string(total) + " bytes " + std::to_string(free) +
                     " are free",
                 "use smaller shapes, or a GPU with more memory")
          .error());
}

DeviceAllocator::DeviceAllocator(const Device &device, Context &context,
                                 StreamHandle stream)
    : Allocator(&device), context(context), stream(stream) {
  context.addCache(this, [this] { trim(); });
}

DeviceAllocator::~DeviceAllocator() {
  context.removeCache(this);
  trim();
}

void *DeviceAllocator::pop(size_t sizeClass) {
  std::lock_guard lock(mutex);
  std::vector<void *> &bin = bins[sizeClass];
  if (bin.empty())
    return nullptr;
  void *pointer = bin.back();
  bin.pop_back();
  return pointer;
}

Expected<void *> DeviceAllocator::allocate(int64_t bytes) {
  const core::SizeClass sizeClass = core::sizeClassOf(bytes);
  void *pointer = pop(sizeClass.index);
  if (!pointer) {
    TANDEM_ASSIGN_OR_RETURN(pointer,
                            allocateBlock(context, sizeClass.bytes, bytes));
  }
  count(bytes);
  // A failure is no error: filling only helps checks to see stale results.
  if (areAllocationsFilled() && context.enter()) [[unlikely]]
    (void)context.driver().memsetD8Async(
        reinterpret_cast<DevicePointer>(pointer), 0xff, bytes, stream);
  return pointer;
}

void DeviceAllocator::deallocate(void *pointer, int64_t bytes) {
  count(-bytes);
  std::lock_guard lock(mutex);
  bins[core::sizeClassOf(bytes).index].push_back(pointer);
}

void DeviceAllocator::trim() {
  // Taken before it waits: what is freed meanwhile may be in use.
  std::vector<void *> free;
  {
    std::lock_guard lock(mutex);
    for (std::vector<void *> &bin : bins) {
      free.insert(free.end(), bin.begin(), bin.end());
      bin.clear();
    }
  }
  // Nothing can be given back to a device that is lost.
  if (free.empty() || !context.enter() ||
      context.driver().streamSynchronize(stream) != kSuccess)
    return;
  for (void *pointer : free)
    context.driver().memFree(reinterpret_cast<DevicePointer>(pointer));
}
