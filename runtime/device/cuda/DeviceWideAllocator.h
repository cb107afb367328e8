//===- DeviceWideAllocator.h - Memory that all streams share ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_DEVICEWIDEALLOCATOR_H
#define TANDEM_RUNTIME_DEVICE_CUDA_DEVICEWIDEALLOCATOR_H

#include "Context.h"

#include "tandem/Runtime/Tensor.h"

namespace tandem::cuda {

/// Memory for work of all streams, such as constants: what is freed is given
/// back once the device's work of then is done. Thread-safe.
class DeviceWideAllocator final : public Allocator {
public:
  DeviceWideAllocator(const Device &device, Context &context)
      : Allocator(&device), context(context) {}
  Expected<void *> allocate(int64_t bytes) override;
  void deallocate(void *pointer, int64_t bytes) override;

private:
  Context &context;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_DEVICEWIDEALLOCATOR_H
