//===- Context.cpp - A GPU's primary context and its errors ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <memory>

using namespace tandem;
using namespace tandem::cuda;

namespace {

// As cuda.h numbers them.
constexpr Attribute kComputeCapabilityMajor = 75;
constexpr Attribute kComputeCapabilityMinor = 76;

} // namespace

// ECC errors, illegal accesses, time-outs, asserts, and what else ends kernels.
bool Context::sticks(Result result) {
  return result == 214 || result == 700 || result == 702 || result == 710 ||
         (result >= 714 && result <= 719);
}

Expected<Context *> Context::create(int index) {
  if (!cuda::driver())
    return tl::unexpected(cuda::driver().error());
  std::unique_ptr<Context> context(new Context(*cuda::driver(), index));
  TANDEM_RETURN_IF_ERROR(context->open());
  return context.release();
}

Status Context::open() {
  DeviceNumber device = 0;
  int major = 0, minor = 0;
  auto call = [&](Result result, std::string_view what) {
    return check(result, "device", what,
                 "TANDEM_LIBCUDA names another driver; --device=cpu needs "
                 "none");
  };
  TANDEM_RETURN_IF_ERROR(call(table.init(0), "cuInit"));
  TANDEM_RETURN_IF_ERROR(call(table.deviceGet(&device, number), "cuDeviceGet"));
  TANDEM_RETURN_IF_ERROR(
      call(table.deviceGetAttribute(&major, kComputeCapabilityMajor, device),
           "cuDeviceGetAttribute"));
  TANDEM_RETURN_IF_ERROR(
      call(table.deviceGetAttribute(&minor, kComputeCapabilityMinor, device),
           "cuDeviceGetAttribute"));
  architecture = "sm_" + std::to_string(10 * major + minor);
  return call(table.devicePrimaryCtxRetain(&handle, device),
              "cuDevicePrimaryCtxRetain");
}

std::string Context::nameOf(Result result) const {
  const char *text = nullptr;
  if (table.getErrorName(result, &text) == kSuccess && text)
    return text;
  return "CUDA error " + std::to_string(result);
}

Status Context::enter() {
  if (isLost.load(std::memory_order_acquire)) [[unlikely]] {
    std::lock_guard lock(mutex);
    return fail("device", "device '" + title + "' is lost: " + lostBy,
                "only a new process can use it again");
  }
  ContextHandle current = nullptr;
  if (table.ctxGetCurrent(&current) == kSuccess && current == handle) [[likely]]
    return {};
  return check(table.ctxSetCurrent(handle), "device", "cuCtxSetCurrent");
}

Status Context::check(Result result, std::string_view phase,
                      std::string_view what, std::string_view hint) {
  if (result == kSuccess) [[likely]]
    return {};
  const std::string message = std::string(what) + ": " + nameOf(result);
  if (sticks(result)) {
    std::lock_guard lock(mutex);
    if (!isLost) // The first is the cause.
      lostBy = message;
    isLost.store(true, std::memory_order_release);
  }
  return fail(std::string(phase), message, std::string(hint));
}

void Context::addCache(const void *owner, Trim trim) {
  std::lock_guard lock(trimming);
  caches.emplace_back(owner, std::move(trim));
}

void Context::removeCache(const void *owner) {
  std::lock_guard lock(trimming);
  std::erase_if(caches,
                [&](const auto &cache) { return cache.first == owner; });
}

void Context::trimCaches() {
  std::lock_guard lock(trimming);
  for (const auto &[owner, trim] : caches)
    trim();
}
