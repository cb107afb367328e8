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

// The attribute numbers of cuda.h.
constexpr Attribute kMultiprocessors = 16;
constexpr Attribute kComputeCapabilityMajor = 75;
constexpr Attribute kComputeCapabilityMinor = 76;

/// Whether all calls fail from then on, until the process ends: ECC errors,
/// illegal accesses, time-outs, asserts, and what else ends kernels.
bool sticks(Result result) {
  return result == 214 || result == 700 || result == 702 || result == 710 ||
         (result >= 714 && result <= 719);
}

} // namespace

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
  int count = 0;
  TANDEM_RETURN_IF_ERROR(
      call(table.deviceGetCount(&count), "cuDeviceGetCount"));
  if (number >= count)
    return fail("device",
                "there is no device '" + title + "'; the driver has " +
                    std::to_string(count),
                "they are numbered from 0");
  TANDEM_RETURN_IF_ERROR(call(table.deviceGet(&device, number), "cuDeviceGet"));
  TANDEM_RETURN_IF_ERROR(
      call(table.deviceGetAttribute(&major, kComputeCapabilityMajor, device),
           "cuDeviceGetAttribute"));
  TANDEM_RETURN_IF_ERROR(
      call(table.deviceGetAttribute(&minor, kComputeCapabilityMinor, device),
           "cuDeviceGetAttribute"));
  architecture = "sm_" + std::to_string(10 * major + minor);
  int multiprocessors = 0;
  char model[256] = "";
  TANDEM_RETURN_IF_ERROR(
      call(table.deviceGetAttribute(&multiprocessors, kMultiprocessors, device),
           "cuDeviceGetAttribute"));
  TANDEM_RETURN_IF_ERROR(call(table.deviceGetName(model, sizeof model, device),
                              "cuDeviceGetName"));
  description = std::string(model) + ", " + architecture + ", " +
                std::to_string(multiprocessors) + " multiprocessors";
  return call(table.devicePrimaryCtxRetain(&handle, device),
              "cuDevicePrimaryCtxRetain");
}

GPUProperties Context::properties() const {
  // The attribute numbers are those of cuda.h.
  constexpr std::pair<Attribute, int64_t GPUProperties::*> kCounts[] = {
      {kMultiprocessors, &GPUProperties::multiprocessors},
      {13, &GPUProperties::clockKHz},
      {36, &GPUProperties::memoryClockKHz},
      {37, &GPUProperties::memoryBusBits},
      {38, &GPUProperties::l2Bytes},
      {39, &GPUProperties::threadsPerMultiprocessor},
      {81, &GPUProperties::sharedBytesPerMultiprocessor},
      {97, &GPUProperties::sharedBytesPerBlock}};
  GPUProperties properties;
  DeviceNumber device = 0;
  if (table.deviceGet(&device, number) != kSuccess)
    return properties;
  char model[256] = "";
  if (table.deviceGetName(model, sizeof model, device) == kSuccess)
    properties.name = model;
  for (auto [attribute, count] : kCounts) {
    int value = 0;
    if (table.deviceGetAttribute(&value, attribute, device) == kSuccess)
      properties.*count = value;
  }
  return properties;
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
  if (sticks(result))
    return tl::unexpected(lose(result, phase, what));
  return fail(std::string(phase), std::string(what) + ": " + nameOf(result),
              std::string(hint));
}

Error Context::lose(Result result, std::string_view phase,
                    std::string_view what) {
  std::lock_guard lock(mutex);
  std::string steps;
  for (const StepLog *log : logs)
    if (std::string running = log->describe(); !running.empty())
      steps += (steps.empty() ? "" : ", ") + running;
  const std::string message =
      (steps.empty() ? std::string(what) : steps) + ": " + nameOf(result);
  if (!isLost) // The first is the cause.
    lostBy = message;
  isLost.store(true, std::memory_order_release);
  const bool isSure = steps.find(", ") == std::string::npos;
  return Error{message,
               std::string(phase),
               {},
               isSure ? "" : "TANDEM_CUDA_SYNC=1 tells which"};
}

void Context::addLog(const StepLog &log) {
  std::lock_guard lock(mutex);
  logs.push_back(&log);
}

void Context::removeLog(const StepLog &log) {
  std::lock_guard lock(mutex);
  std::erase(logs, &log);
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
  deferredReleases.collect(/*waits=*/true);
  std::lock_guard lock(trimming);
  for (const auto &[owner, trim] : caches)
    trim();
}
