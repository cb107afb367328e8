//===- DeviceAllocator.h - A stream's memory on a GPU -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_DEVICEALLOCATOR_H
#define TANDEM_RUNTIME_DEVICE_CUDA_DEVICEALLOCATOR_H

#include "Context.h"

#include "../../core/SizeClass.h"

#include <array>

namespace tandem::cuda {

/// A block of the driver's. Where memory runs out, all streams of the device
/// give back what they keep, and it is tried once more; then the Error says
/// that `requested` bytes are not to be had.
Expected<void *> allocateBlock(Context &context, uint64_t bytes,
                               int64_t requested);

/// Keeps freed blocks by size class, for later work of the same stream: that
/// needs no waiting. The lists are outside the blocks, which the host cannot
/// read. Thread-safe.
class DeviceAllocator final : public Allocator {
public:
  DeviceAllocator(const Device &device, Context &context, StreamHandle stream);
  /// All blocks are freed; the stream is idle.
  ~DeviceAllocator() override;

  Expected<void *> allocate(int64_t bytes) override;
  void deallocate(void *pointer, int64_t bytes) override;

private:
  void *pop(size_t sizeClass);
  /// Waits for the stream, and gives free blocks back.
  void trim();

  Context &context;
  const StreamHandle stream;
  std::mutex mutex; // guards bins; held for a push or a pop
  std::array<std::vector<void *>, core::kNumClasses> bins;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_DEVICEALLOCATOR_H
