//===- KernelCache.h - Compiled kernels by content --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_KERNELCACHE_H
#define TANDEM_LIB_COMPILER_KERNELCACHE_H

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

/// Code that is ready to be called; shared by the programs that launch it.
struct CompiledKernel {
  fb::KernelT kernel;
  /// Null on devices that load kernels together.
  std::shared_ptr<const LoadedKernel> loaded;
};

using CompiledKernelPtr = std::shared_ptr<const CompiledKernel>;

/// What decides a kernel's code: a 128-bit hash (XXH3) of its canonical form,
/// the device with the processor's features, and the versions of Tandem's
/// format and of LLVM.
struct KernelKey {
  uint64_t low = 0, high = 0;
  bool operator==(const KernelKey &) const = default;
};

KernelKey makeKey(const Target &target, const std::string &spec,
                  std::string_view source);

/// Kernels that this process has compiled, least recently used first out.
/// Thread-safe. No lock is held while a kernel is made: who asks for one that
/// is being made waits for it alone (single flight).
class KernelCache {
public:
  struct Limits {
    /// A loaded kernel takes tens of kilobytes beside its code.
    size_t entries = 1024;
    /// Of code.
    size_t bytes = 64 << 20;
  };
  KernelCache() = default;
  explicit KernelCache(Limits limits) : limits(limits) {}

  /// The one of the process. Never destroyed: threads may compile at exit.
  static KernelCache &process();

  using Result = Expected<CompiledKernelPtr>;
  /// The kernel of that key, from `make` where it is neither there nor on its
  /// way; `make` must not wait for another kernel. An error goes to all that
  /// wait and is not kept. `isMade` tells whether this call has made it.
  Result get(const KernelKey &key, llvm::function_ref<Result()> make,
             bool &isMade);

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

  /// With the mutex held, as the two below.
  CompiledKernelPtr find(const KernelKey &key);
  void insert(const KernelKey &key, CompiledKernelPtr kernel);
  void evict();
  /// Waits for another thread's kernel.
  Result await(Flight &flight, std::unique_lock<std::mutex> &lock);

  const Limits limits;
  /// Guards all that follows.
  mutable std::mutex mutex;
  /// The most recently used in front.
  std::list<Entry> entries;
  std::unordered_map<KernelKey, std::list<Entry>::iterator, Hash> byKey;
  std::unordered_map<KernelKey, std::shared_ptr<Flight>, Hash> flights;
  KernelCacheStats counters;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELCACHE_H
