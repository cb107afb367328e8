//===- Process.cpp - What the C API says of library and process -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include <atomic>

using namespace tandem;

uint32_t tandemAPIVersion(void) { return TANDEM_C_API_VERSION; }
const char *tandemVersion(void) { return TANDEM_VERSION; }

/// The names of the devices, each followed by a NUL.
static const std::vector<std::string> &deviceNames() {
  static const auto &names = *new std::vector<std::string>([] {
    std::vector<std::string> names;
    for (const DeviceInfo &device : devices())
      names.emplace_back(device.name);
    return names;
  }());
  return names;
}

size_t tandemNumDevices(void) {
  size_t count = 0;
  tandemErrorRelease(capi::guarded([&]() -> Status {
    count = deviceNames().size();
    return {};
  }));
  return count;
}

const char *tandemDeviceName(size_t index) {
  return index < tandemNumDevices() ? deviceNames()[index].c_str() : nullptr;
}

const char *capi::deviceNameOf(const Device *memory) {
  if (!memory)
    return nullptr;
  for (const std::string &name : deviceNames())
    if (Expected<Device *> device = findDevice(name);
        device && (*device)->memory() == memory)
      return name.c_str();
  return nullptr;
}

void tandemSetNumThreads(int threads) {
  tandemErrorRelease(capi::guarded([&]() -> Status {
    setNumThreads(threads);
    return {};
  }));
}

int tandemNumThreads(void) {
  int threads = 1;
  tandemErrorRelease(capi::guarded([&]() -> Status {
    threads = numThreads();
    return {};
  }));
  return threads;
}

void tandemAllowBackgroundWork(bool isAllowed) {
  allowBackgroundWork(isAllowed);
  allowBackgroundCalibration(isAllowed);
}

void tandemSetCompileThreads(int threads) {
  tandemErrorRelease(capi::guarded([&]() -> Status {
    setCompileThreads(std::max(threads, 1));
    return {};
  }));
}
