//===- FusionCosts.cpp - What fusing costs and saves ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models/FusionCosts.h"

#include "tandem/Fusion/LoopEfficiency.h"

#include <algorithm>

namespace tandem {

static double computeNs(const DeviceModel &device, const OpFusionInfo &info,
                        double evaluations, int64_t parallelism = INT64_MAX) {
  return estimateComputeNs(device, {evaluations * info.flopsPerElement, 0,
                                    info.elementBytes, parallelism});
}

/// The bandwidth of cache `level` (from 0), or of the memory beyond the last
/// cache, in bytes per nanosecond.
static double getCacheBytesPerNs(const DeviceModel &device, size_t level) {
  return level < device.caches.size() ? device.caches[level].bytesPerNs
                                      : device.memoryBytesPerNs;
}

static double memoryNs(const DeviceModel &device, int64_t bytes,
                       int64_t parallelism = INT64_MAX) {
  return estimateMemoryNs(device, {0, double(bytes), 4, parallelism});
}

FusionCost estimateSharedCost(const DeviceModel &device,
                              const OpFusionInfo &info, int64_t shared,
                              int64_t parallelism) {
  double elements = double(info.elements);
  int64_t others = info.operandBytes - shared;
  FusionCost cost;
  cost.unfusedNs = device.launchNs + computeNs(device, info, elements) +
                   memoryNs(device, info.operandBytes + info.resultBytes);
  cost.fusedNs = computeNs(device, info, elements, parallelism) +
                 memoryNs(device, others + info.resultBytes, parallelism);
  cost.bytesSaved = shared;
  return cost;
}

FusionCost estimateTileCost(const FusionOptions &options,
                            const OpFusionInfo &info,
                            const Contraction &contraction) {
  const DeviceModel &device = options.device;
  double loopEfficiency = getLoopEfficiency(device, contraction);
  double tileEfficiency =
      options.contractions->getEfficiency(device, contraction);
  // What is written is in no cache yet.
  double memory = double(info.resultBytes) / device.memoryBytesPerNs;
  double compute = computeNs(device, info, double(info.elements));
  return {device.launchNs + std::max(memory, compute / loopEfficiency),
          device.launchNs + std::max(memory, compute / tileEfficiency), 0};
}

FusionCost estimatePrologueCost(const FusionOptions &options,
                                const OpFusionInfo &info,
                                const Contraction &contraction, bool isFirst) {
  const DeviceModel &device = options.device;
  double times = options.contractions->getPrologueRuns(device, contraction);
  double operands = memoryNs(device, info.operandBytes);
  double compute = computeNs(device, info, double(info.elements));
  double again = std::max(times - 1, 0.0);
  FusionCost cost;
  cost.unfusedNs = device.launchNs + operands + compute +
                   2 * memoryNs(device, info.resultBytes);
  cost.fusedNs =
      operands + times * compute +
      again * double(info.operandBytes) / getCacheBytesPerNs(device, 2);
  if (isFirst)
    cost.fusedNs +=
        2 * times * double(info.resultBytes) / getCacheBytesPerNs(device, 1);
  cost.bytesSaved = 2 * info.resultBytes;
  return cost;
}

FusionCost estimateWindowCost(const DeviceModel &device,
                              const OpFusionInfo &info, int64_t bytes,
                              int64_t partBytes, double repeatedNs) {
  double compute = computeNs(device, info, double(info.elements));
  double result = memoryNs(device, info.resultBytes);
  // A contraction's result is written while it computes, in part.
  constexpr double kExposedShare = 0.5;
  double part = double(bytes) /
                device.bytesPerNs(double(partBytes) * double(device.cores));
  FusionCost cost;
  cost.unfusedNs = device.launchNs + compute + result +
                   (1 + kExposedShare) * memoryNs(device, bytes);
  cost.fusedNs = compute + result + (1 + kExposedShare) * part + repeatedNs;
  cost.bytesSaved = 2 * bytes;
  return cost;
}

} // namespace tandem
