//===- ModuleCache.h - Code that a driver has loaded ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_CUDA_MODULECACHE_H
#define TANDEM_RUNTIME_DEVICE_CUDA_MODULECACHE_H

#include "Context.h"

#include <map>
#include <memory>

namespace tandem::cuda {

/// Loads PTX or a cubin. The error says `failure`, CUDA's name for the reason,
/// and what the driver logged; it has phase "load".
Expected<ModuleHandle> loadModule(Context &context, const std::string &image,
                                  std::string_view failure);

/// A loaded PTX or cubin, which is unloaded when what is enqueued is done.
class Module {
public:
  Module(Context &context, ModuleHandle handle)
      : context(context), handle(handle) {}
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// The error has phase "load".
  Expected<FunctionHandle> find(const std::string &symbol) const;

private:
  Context &context;
  const ModuleHandle handle;
};

/// Modules by their image, one of each as long as somebody uses it: kernels
/// that were compiled together come in one cubin. Thread-safe.
class ModuleCache {
public:
  explicit ModuleCache(Context &context) : context(context) {}

  /// Returns the module of `image`, loaded by loadModule if it is not in use
  /// yet.
  Expected<std::shared_ptr<const Module>> load(const std::string &image,
                                               std::string_view failure);

private:
  /// A 128-bit hash (XXH3) of an image.
  using Key = std::pair<uint64_t, uint64_t>;

  Context &context;
  std::mutex mutex; // guards modules; held while one is loaded
  std::map<Key, std::weak_ptr<const Module>> modules;
};

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_DEVICE_CUDA_MODULECACHE_H
