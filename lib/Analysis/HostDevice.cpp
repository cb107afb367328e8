//===- HostDevice.cpp - The model of this machine -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/CostModel.h"
#include "tandem/Analysis/HostProcessor.h"

#include <algorithm>
#include <fstream>
#include <thread>

#include <unistd.h>

namespace tandem {
namespace {

/// Highest clock, in GHz. Virtual machines often tell only the present one.
double detectClock() {
  std::ifstream limit("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (double kHz = 0; limit >> kHz && kHz > 0)
    return kHz * 1e-6;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("cpu MHz", 0) == 0)
      if (double mhz = std::atof(line.c_str() + line.find(':') + 1); mhz > 0)
        return mhz * 1e-3;
  return 2.5;
}

/// Vector multiply-adds of `vectorBits` per clock and core.
double detectUnits(int64_t vectorBits) {
#if defined(__x86_64__)
  // Zen 4 runs 512 bits in two halves; most others have two units.
  if (vectorBits == 512 && __builtin_cpu_is("amd"))
    return 1;
#endif
  return 2;
}

int64_t ask(int name, int64_t otherwise) {
  long value = sysconf(name);
  return value > 0 ? value : otherwise;
}

DeviceModel detect() {
  // Bytes per clock and core from each cache, and per ns from memory: what
  // cores of the last ten years sustain, by their vendors' optimisation
  // guides.
  constexpr double kL1 = 32, kL2 = 16, kL3 = 8, kMemoryPerCore = 12,
                   kMemory = 100;
  // Of the runtime and of oneDNN: `tandem-bench bars --only=calls`, and `conv`
  // on shapes of a few operations.
  constexpr double kLaunchNs = 1000, kCallNs = 150, kLibraryCallNs = 400;
  DeviceModel model;
  model.name = "host";
  model.cores = std::max(1U, std::thread::hardware_concurrency());
  model.vectorBits = hostProcessor().vectorBits;
  model.vectorRegisters = model.vectorBits == 512 ? 32 : 16;
  auto cores = static_cast<double>(model.cores);
  double clocks = detectClock() * cores;
  model.f32FlopsPerNs = 2 * clocks * detectUnits(model.vectorBits) *
                        static_cast<double>(model.vectorBits / 32);
  model.f64FlopsPerNs = model.f32FlopsPerNs / 2;
  model.halfFlopsPerNs = model.f32FlopsPerNs;
  model.memoryBytesPerNs = std::min(kMemoryPerCore * cores, kMemory);
  int64_t l1 = ask(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
  int64_t l2 = ask(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
  int64_t l3 = ask(_SC_LEVEL3_CACHE_SIZE, 0);
  model.caches = {{l1 * model.cores, kL1 * clocks},
                  {l2 * model.cores, kL2 * clocks}};
  if (l3 > l2 * model.cores)
    model.caches.push_back({l3, kL3 * clocks});
  model.launchNs = kLaunchNs;
  model.callNs = kCallNs;
  model.libraryCallNs = kLibraryCallNs;
  return model;
}

} // namespace

const DeviceModel &hostDeviceModel() {
  static const DeviceModel model = detect();
  return model;
}

} // namespace tandem
