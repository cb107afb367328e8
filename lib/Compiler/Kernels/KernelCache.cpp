//===- KernelCache.cpp - Compiled kernels by content ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelCache.h"

#include "Session/Versions.h"

#include <xxhash.h>

namespace tandem {

CacheKey describeKernel(const Target &target, const std::string &spec,
                        std::string_view source) {
  CacheKey key("kernel");
  addCompilerVersions(key);
  return key.add("target", target.name())
      .add("processor", target.fingerprint())
      .add("machine", spec)
      .addDigest("source", source);
}

KernelKey::KernelKey(const CacheKey &key) {
  const XXH128_hash_t hash =
      XXH3_128bits(key.fields().data(), key.fields().size());
  low = hash.low64;
  high = hash.high64;
}

KernelCache &KernelCache::process() {
  static KernelCache *cache = new KernelCache;
  return *cache;
}

CompiledKernelPtr KernelCache::find(const KernelKey &key) {
  auto found = byKey.find(key);
  if (found == byKey.end())
    return nullptr;
  entries.splice(entries.begin(), entries, found->second);
  return found->second->kernel;
}

void KernelCache::evict() {
  while (entries.size() > limits.entries || counters.bytes > limits.bytes) {
    const Entry &last = entries.back();
    counters.bytes -= last.kernel->kernel.code.size();
    ++counters.evictions;
    byKey.erase(last.key);
    entries.pop_back();
  }
}

void KernelCache::insert(const KernelKey &key, CompiledKernelPtr kernel) {
  counters.bytes += kernel->kernel.code.size();
  counters.largestFrame = std::max(counters.largestFrame, kernel->kernel.frame);
  entries.push_front({key, std::move(kernel)});
  byKey[key] = entries.begin();
  evict();
}

KernelCache::Result KernelCache::await(Flight &flight,
                                       std::unique_lock<std::mutex> &lock) {
  ++counters.awaited;
  flight.done.wait(lock, [&] { return flight.result.has_value(); });
  return *flight.result;
}

KernelCache::Result KernelCache::get(const KernelKey &key,
                                     llvm::function_ref<Result()> make,
                                     bool &isMade) {
  isMade = false;
  std::unique_lock lock(mutex);
  if (CompiledKernelPtr kernel = find(key)) {
    ++counters.hits;
    return kernel;
  }
  std::shared_ptr<Flight> &slot = flights[key];
  // A copy, for the maker takes it out of the map.
  std::shared_ptr<Flight> flight = slot;
  if (flight)
    return await(*flight, lock);
  flight = slot = std::make_shared<Flight>();
  ++counters.misses;
  isMade = true;
  lock.unlock();
  Result result = make();
  lock.lock();
  if (result)
    insert(key, *result);
  flights.erase(key);
  flight->result = result;
  flight->done.notify_all();
  return result;
}

CompiledKernelPtr KernelCache::lookUp(const KernelKey &key) {
  std::lock_guard lock(mutex);
  CompiledKernelPtr kernel = find(key);
  ++(kernel ? counters.hits : counters.misses);
  return kernel;
}

void KernelCache::put(const KernelKey &key, CompiledKernelPtr kernel) {
  std::lock_guard lock(mutex);
  if (!byKey.count(key))
    insert(key, std::move(kernel));
}

KernelCacheStats KernelCache::stats() const {
  std::lock_guard lock(mutex);
  KernelCacheStats result = counters;
  result.entries = entries.size();
  return result;
}

KernelCacheStats kernelCacheStats() { return KernelCache::process().stats(); }

} // namespace tandem
