//===- HostDeviceModel.cpp - The model of this machine --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Analysis/HostCaches.h"
#include "tandem/Analysis/HostProcessor.h"
#include "tandem/Support/Environment.h"
#include "tandem/Support/RoundToStep.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>

namespace tandem {
namespace {

/// The clock rate under load, in GHz, rounded to the steps of measured rates so
/// that estimates do not differ between processes. It is measured because a
/// virtual machine reports at best its nominal clock. On every x86 core of the
/// last decade, a 64-bit product takes 3 cycles and an `or` takes one (Fog,
/// "Instruction tables"). The fastest run counts, because it was not
/// interrupted.
double measureClock() {
  constexpr int kRuns = 5, kSteps = 20000, kCyclesPerStep = 4;
  double best = 0;
  volatile uint64_t sink = 3;
  for (int run = 0; run < kRuns; ++run) {
    uint64_t value = sink;
    auto start = std::chrono::steady_clock::now();
    for (int step = 0; step < kSteps; ++step)
      value = value * value | 2;
    sink = value | 1;
    std::chrono::duration<double, std::nano> ns =
        std::chrono::steady_clock::now() - start;
    best = std::max(best, kSteps * kCyclesPerStep / ns.count());
  }
  return roundToStep(best, kRateSteps);
}

/// Highest clock, in GHz.
double detectClock() {
  std::ifstream limit("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (double kHz = 0; limit >> kHz && kHz > 0)
    return kHz * 1e-6;
#if defined(__x86_64__)
  return measureClock();
#else
  return 2.5;
#endif
}

/// Vector multiply-adds of `vectorBits` per clock and core.
double detectUnits(int64_t vectorBits) {
#if defined(__x86_64__)
  // Zen 4 computes 512 bits in two halves, Zen 1 256; most others have two
  // units.
  if ((vectorBits == 512 && __builtin_cpu_is("znver4")) ||
      (vectorBits == 256 && __builtin_cpu_is("znver1")))
    return 1;
#endif
  return 2;
}

/// The caches, where all cores together do `clocks` clock cycles per ns.
std::vector<CacheLevel> detectCaches(int64_t cores, double clocks) {
  // Bytes per clock and core that cores of the last ten years sustain from each
  // level, by their vendors' optimization guides.
  constexpr std::array kBytesPerClock = {32, 16, 8};
  std::vector<CacheLevel> levels;
  for (const HostCache &cache : hostCaches()) {
    const size_t level = levels.size();
    // A hyperthread has its core's caches to itself while the other one idles.
    const int64_t bytes = cache.bytes * (level < 2 ? cores : cache.count);
    if (level == kBytesPerClock.size() ||
        (level > 0 && bytes <= levels.back().bytes))
      break;
    levels.push_back({bytes, kBytesPerClock[level] * clocks});
  }
  return levels;
}

DeviceModel detect() {
  // Bytes per ns from memory, by the same guides.
  constexpr double kMemoryPerCore = 12, kMemory = 100;
  // The times of the runtime and of oneDNN: `tandem-bench bars --only=calls`,
  // and `conv` on shapes of a few operations.
  constexpr double kLaunchNs = 1000, kCallNs = 100, kLibraryCallNs = 400,
                   kLibraryWakeNs = 10000;
  // Values measured on a Zen 3, which loses nothing measurable on narrow
  // pieces, and on which the loops of many products do not fit 16 registers.
  constexpr double kNarrowPieceCycles = 3, kNarrowLoop = 0.3;
  DeviceModel model;
  model.name = "host";
  model.cores = std::max(1U, std::thread::hardware_concurrency());
  model.vectorBits = hostProcessor().vectorBits;
  model.vectorRegisters = model.vectorBits == 512 ? 32 : 16;
  auto cores = static_cast<double>(model.cores);
  double clocks = detectClock() * cores;
  model.fmasPerClock = detectUnits(model.vectorBits);
  // Products of 16 by 32 and 32 by 16 in 16 clocks (Intel 64 and IA-32
  // Architectures Optimization Reference Manual, 20.5).
  if (hasFeature(hostProcessor().features, "amx-bf16"))
    model.matrixFlopsPerClock = 1024;
  model.hasBF16Pairs = hasBF16Pairs(hostProcessor());
  model.hasVNNI = hasVNNI(hostProcessor());
  model.hasWordPairs = hasWordPairs(hostProcessor());
  model.hasAMXInt8 = hasAMXInt8(hostProcessor());
  model.f32FlopsPerNs = 2 * clocks * model.fmasPerClock *
                        static_cast<double>(model.vectorBits / 32);
  model.f64FlopsPerNs = model.f32FlopsPerNs / 2;
  model.halfFlopsPerNs = model.f32FlopsPerNs;
  model.memoryBytesPerNs = std::min(kMemoryPerCore * cores, kMemory);
  model.caches = detectCaches(model.cores, clocks);
  model.launchNs = kLaunchNs;
  model.callNs = kCallNs;
  model.libraryCallNs = kLibraryCallNs;
  model.libraryWakeNs = kLibraryWakeNs;
  if (model.vectorBits < 512) {
    model.targetNumbers["kernel_partial_row_store_cycles"] = kNarrowPieceCycles;
    model.loopShare = kNarrowLoop;
  }
  return model;
}

/// What the environment describes.
Expected<DeviceModel> findNamed(std::string_view spec) {
  if (spec == "host")
    return detectedDeviceModel();
  Expected<DeviceModel> model = findModelForHost(spec);
  if (!model)
    model.error().message = "TANDEM_DEVICE: " + model.error().message;
  return model;
}

} // namespace

const DeviceModel &detectedDeviceModel() {
  static const auto &model = *new DeviceModel(detect());
  return model;
}

Expected<DeviceModel> findModelForHost(std::string_view spec) {
  TANDEM_ASSIGN_OR_RETURN(DeviceModel model, findDeviceModel(spec));
  model = model.withVectors(hostProcessor().vectorBits);
  model.hasBF16Pairs = hasBF16Pairs(hostProcessor());
  model.hasVNNI = hasVNNI(hostProcessor());
  model.hasWordPairs = hasWordPairs(hostProcessor());
  model.hasAMXInt8 = hasAMXInt8(hostProcessor());
  return model;
}

Expected<DeviceModel> hostDeviceModel() {
  if (const char *named = lookUp(Variable::device))
    return findNamed(named);
  return measuredModel().value_or(detectedDeviceModel());
}

} // namespace tandem
