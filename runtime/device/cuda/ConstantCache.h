//===- ConstantCache.h - Constants that a GPU's executors share -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_CONSTANTCACHE_H
#define TANDEM_RUNTIME_DEVICE_CUDA_CONSTANTCACHE_H

#include "SharedMemory.h"

#include "tandem/Runtime/Device.h"

#include <map>

namespace tandem::cuda {

/// Copies of the host's constants, one of each as long as somebody uses it: the
/// programs of a graph, of which there is one for every shape, share its
/// weights. Thread-safe.
class ConstantCache {
public:
  ConstantCache(const Device &device, Context &context)
      : memory(device, context) {}

  /// As Device::placeConstants. Waits for the copies, as other streams may read
  /// them next.
  Expected<std::vector<Tensor>> place(std::span<const Tensor> constants,
                                      Stream &stream);

private:
  /// Neither is kept by the cache.
  struct Entry {
    std::weak_ptr<void> host, there;
  };

  /// With the mutex held.
  Expected<Tensor> find(const Tensor &constant, Stream &stream);

  SharedMemory memory;
  std::mutex mutex; // guards entries; held while copying
  /// By where they are on the host, and their bytes.
  std::map<std::pair<const void *, int64_t>, Entry> entries;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_CONSTANTCACHE_H
