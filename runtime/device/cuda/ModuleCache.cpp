//===- ModuleCache.cpp - Code that a driver has loaded --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleCache.h"

#include <xxhash.h>

using namespace tandem;
using namespace tandem::cuda;

// The option numbers of cuda.h.
static constexpr JitOption kErrorLogBuffer = 5;
static constexpr JitOption kErrorLogBufferBytes = 6;

Expected<ModuleHandle> cuda::loadModule(Context &context,
                                        const std::string &image,
                                        std::string_view failure) {
  TANDEM_RETURN_IF_ERROR(context.enter());
  std::string log(4096, '\0');
  JitOption options[] = {kErrorLogBuffer, kErrorLogBufferBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  ModuleHandle module = nullptr;
  // The driver takes PTX as a text that ends in a NUL.
  const Result result = context.driver().moduleLoadDataEx(
      &module, image.c_str(), std::size(options), options, values);
  TANDEM_RETURN_IF_ERROR(context.check(result, "load", failure, log.c_str()));
  return module;
}

/// What is enqueued may still run its code.
Module::~Module() {
  if (context.enter())
    context.deferred().add([&driver = context.driver(), handle = handle] {
      driver.moduleUnload(handle);
    });
}

Expected<FunctionHandle> Module::find(const std::string &symbol) const {
  TANDEM_RETURN_IF_ERROR(context.enter());
  FunctionHandle function = nullptr;
  TANDEM_RETURN_IF_ERROR(context.check(
      context.driver().moduleGetFunction(&function, handle, symbol.c_str()),
      "load", "kernel '" + symbol + "' is not in its code"));
  return function;
}

Expected<std::shared_ptr<const Module>>
ModuleCache::load(const std::string &image, std::string_view failure) {
  const XXH128_hash_t hash = XXH3_128bits(image.data(), image.size());
  std::lock_guard lock(mutex);
  std::erase_if(modules,
                [](const auto &entry) { return entry.second.expired(); });
  std::weak_ptr<const Module> &known = modules[{hash.high64, hash.low64}];
  if (std::shared_ptr<const Module> module = known.lock())
    return module;
  TANDEM_ASSIGN_OR_RETURN(ModuleHandle handle,
                          loadModule(context, image, failure));
  auto module = std::make_shared<const Module>(context, handle);
  known = module;
  return module;
}
