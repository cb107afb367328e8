//===- KernelCache.h - Compiled kernels by content --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_KERNELS_KERNELCACHE_H
#define TANDEM_LIB_COMPILER_KERNELS_KERNELCACHE_H

#include "tandem/Runtime/DiskCache.h"
#include "tandem/Tandem.h"
#include "tandem/Target/Target.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace tandem {

/// A compiled kernel, shared by all programs that launch it.
struct CompiledKernel {
  fb::KernelT kernel;
  std::shared_ptr<const LoadedKernel> loaded;
  KernelListing listing;
};

using CompiledKernelPtr = std::shared_ptr<const CompiledKernel>;

/// Everything that a kernel's code depends on: its canonical form `source`
/// (CanonicalKernel.h), the target and its fingerprint, the spec of the device,
/// and the versions of Tandem and of LLVM.
CacheKey describeKernel(const Target &target, const std::string &spec,
                        std::string_view source);

/// A 128-bit hash (XXH3) of these fields.
struct KernelKey {
  uint64_t low = 0, high = 0;
  KernelKey() = default;
  KernelKey(uint64_t low, uint64_t high) : low(low), high(high) {}
  explicit KernelKey(const CacheKey &key);
  bool operator==(const KernelKey &) const = default;
};

/// An in-memory cache of the kernels that this process has compiled, which
/// drops the least recently used ones. Thread-safe. No lock is held while a
/// kernel is compiled; a thread that asks for a kernel that another thread is
/// compiling waits for that kernel only (single flight).
class KernelCache {
public:
  /// The largest number of kernels, and the largest number of bytes of code,
  /// that the cache keeps.
  struct Limits {
    /// Number of kernels. A loaded kernel takes tens of kilobytes beside its
    /// code.
    size_t entries = 1024;
    /// Bytes of code.
    size_t bytes = 64 << 20;
  };
  KernelCache() = default;
  explicit KernelCache(Limits limits) : limits(limits) {}

  /// The cache of the process. It is never destroyed, because threads may still
  /// compile at exit.
  static KernelCache &process();

  using Result = Expected<CompiledKernelPtr>;
  /// Returns the kernel with this key. Calls `make` if the kernel is neither in
  /// the cache nor being compiled; `make` must not wait for another kernel. An
  /// error is returned to all waiting threads and is not cached. Sets `isMade`
  /// to true if this call has called `make`, and otherwise to false.
  Result get(const KernelKey &key, llvm::function_ref<Result()> make,
             bool &isMade);

  /// Returns the kernel with this key, or null if it is not in the cache.
  /// Updates the statistics like `get`, but never waits for another thread.
  CompiledKernelPtr lookUp(const KernelKey &key);
  /// Adds a kernel that `lookUp` has not found, unless another thread has added
  /// it since.
  void put(const KernelKey &key, CompiledKernelPtr kernel);

  KernelCacheStats stats() const;

private:
  struct Entry {
    KernelKey key;
    CompiledKernelPtr kernel;
  };
  struct Flight {
    std::condition_variable done;
    std::optional<Result> result;
  };
  struct Hash {
    size_t operator()(const KernelKey &key) const { return key.low; }
  };

  /// These three functions must be called with the mutex held.
  CompiledKernelPtr find(const KernelKey &key);
  void insert(const KernelKey &key, CompiledKernelPtr kernel);
  void evict();
  /// Waits for a kernel that another thread compiles.
  Result await(Flight &flight, std::unique_lock<std::mutex> &lock);

  const Limits limits;
  /// Guards all fields below.
  mutable std::mutex mutex;
  /// The kernels, the most recently used one first.
  std::list<Entry> entries;
  std::unordered_map<KernelKey, std::list<Entry>::iterator, Hash> byKey;
  std::unordered_map<KernelKey, std::shared_ptr<Flight>, Hash> flights;
  KernelCacheStats counters;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELS_KERNELCACHE_H
