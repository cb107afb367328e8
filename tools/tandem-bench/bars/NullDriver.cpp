//===- NullDriver.cpp - A driver that does nothing ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/NullDriver.h"

#include "tandem/Runtime/Libraries/CUDA.h"

#include <atomic>
#include <cstdlib>

using namespace tandem;
using namespace tandem::cuda;

namespace {

/// What all handles are: not null, and never looked at.
template <typename Handle> Handle anyHandle() {
  static char place;
  return reinterpret_cast<Handle>(&place);
}

#define TANDEM_SYMBOL(member, symbol, result, parameters)                      \
  table.member = [] parameters -> result { return {}; };
#define TANDEM_OPTIONAL_SYMBOL TANDEM_SYMBOL

/// Adds the functions that hand something out.
void addHandles(Driver &table) {
  table.devicePrimaryCtxRetain = [](ContextHandle *context, DeviceNumber) {
    *context = anyHandle<ContextHandle>();
    return kSuccess;
  };
  table.ctxGetCurrent = [](ContextHandle *context) {
    *context = anyHandle<ContextHandle>();
    return kSuccess;
  };
  table.streamCreate = [](StreamHandle *stream, unsigned) {
    *stream = anyHandle<StreamHandle>();
    return kSuccess;
  };
  table.eventCreate = [](EventHandle *event, unsigned) {
    *event = anyHandle<EventHandle>();
    return kSuccess;
  };
  table.moduleLoadDataEx = [](ModuleHandle *module, const void *, unsigned,
                              JitOption *, void **) {
    *module = anyHandle<ModuleHandle>();
    return kSuccess;
  };
  table.moduleGetFunction = [](FunctionHandle *function, ModuleHandle,
                               const char *) {
    *function = anyHandle<FunctionHandle>();
    return kSuccess;
  };
}

void addValues(Driver &table) {
  table.deviceGetCount = [](int *count) {
    *count = 1;
    return kSuccess;
  };
  table.deviceGet = [](DeviceNumber *device, int ordinal) {
    *device = ordinal;
    return kSuccess;
  };
  // Compute capability 9.0, whatever is asked.
  table.deviceGetAttribute = [](int *value, Attribute attribute, DeviceNumber) {
    constexpr Attribute kComputeCapabilityMinor = 76;
    *value = attribute == kComputeCapabilityMinor ? 0 : 9;
    return kSuccess;
  };
  // Nothing reads or writes it.
  table.memAlloc = [](DevicePointer *pointer, size_t bytes) {
    static std::atomic<DevicePointer> next{1ull << 40};
    constexpr size_t kAlignment = 256;
    *pointer =
        next.fetch_add((bytes + kAlignment - 1) / kAlignment * kAlignment);
    return kSuccess;
  };
  table.memHostAlloc = [](void **pointer, size_t bytes, unsigned) {
    *pointer = std::malloc(bytes);
    return *pointer ? kSuccess : 2; // CUDA_ERROR_OUT_OF_MEMORY
  };
  table.memFreeHost = [](void *pointer) {
    std::free(pointer);
    return kSuccess;
  };
  table.eventElapsedTime = [](float *milliseconds, EventHandle, EventHandle) {
    *milliseconds = 0;
    return kSuccess;
  };
}

Driver makeDriver() {
  Driver table;
  table.version = "13.0";
#include "tandem/Runtime/Libraries/Driver.def"
  addHandles(table);
  addValues(table);
  return table;
}

NVRTC makeNVRTC() {
  NVRTC table;
  table.version = "13.0";
#include "tandem/Runtime/Libraries/NVRTC.def"
  const auto empty = [](_nvrtcProgram *, size_t *bytes) {
    *bytes = 0;
    return kSuccess;
  };
  table.getPTXSize = table.getCUBINSize = table.getLogSize = empty;
  table.getErrorString = [](Result) { return "an error"; };
  return table;
}

} // namespace

void tandem::bench::useNullDriver() {
  static const Expected<Driver> driver = makeDriver();
  static const Expected<NVRTC> nvrtc = makeNVRTC();
  replaceLibraries(driver, nvrtc);
}
