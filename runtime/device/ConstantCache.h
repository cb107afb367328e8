//===- ConstantCache.h - Constants that executors share ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CONSTANTCACHE_H
#define TANDEM_RUNTIME_DEVICE_CONSTANTCACHE_H

#include "tandem/Runtime/Device.h"

#include <map>
#include <mutex>

namespace tandem {

/// Copies of constants that are not in a device's memory, or not aligned there:
/// one of each as long as somebody uses it. The programs of a graph, of which
/// there is one for every shape, share its weights. Thread-safe.
class ConstantCache {
public:
  /// `memory` is where copies are made, and must outlive them.
  explicit ConstantCache(Allocator &memory) : memory(memory) {}

  /// Places constants like Device::placeConstants. Waits for the copies,
  /// because other streams may read them next.
  Expected<std::vector<Tensor>> place(std::span<const Tensor> constants,
                                      Stream &stream);

private:
  /// Neither is kept by the cache.
  struct Entry {
    std::weak_ptr<void> given, placed;
  };

  /// Whether the device's kernels can read a constant where it is.
  bool isPlaced(const Tensor &constant) const;
  /// With the mutex held.
  Expected<Tensor> find(const Tensor &constant, Stream &stream);

  Allocator &memory;
  std::mutex mutex; // guards entries; held while copying
  /// By where constants are given, and their bytes.
  std::map<std::pair<const void *, int64_t>, Entry> entries;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_DEVICE_CONSTANTCACHE_H
