//===- CostModel.cpp - Roofline estimates ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/CostModel.h"

#include <algorithm>
#include <cmath>

namespace tandem {

double DeviceModel::byteFlopsPerNs() const {
  const double factor = hasAMXInt8 ? 32 : hasVNNI ? 4 : hasWordPairs ? 2 : 1;
  return factor * f32FlopsPerNs;
}

double DeviceModel::flopsPerNs(int64_t elementBytes) const {
  if (elementBytes >= 8)
    return f64FlopsPerNs;
  return elementBytes == 2 ? halfFlopsPerNs : f32FlopsPerNs;
}

double DeviceModel::bytesPerNs(double bytes) const {
  for (const CacheLevel &cache : caches)
    if (bytes <= static_cast<double>(cache.bytes))
      return cache.bytesPerNs;
  return memoryBytesPerNs;
}

int64_t DeviceModel::nearBytes() const {
  if (caches.empty())
    return 0;
  // The last is of all cores, unless it is the only one.
  const size_t own = caches.size() > 1 ? caches.size() - 2 : 0;
  return caches[own].bytes / cores / 4;
}

int64_t DeviceModel::keptBytes() const {
  return caches.empty()
             ? 0
             : std::max(nearBytes(), caches.back().bytes / cores / 4);
}

/// The part of `factor` that remains if `threads` of `cores` threads run: all
/// of it for one thread, and none of it for all.
static double getFactor(double factor, int64_t threads, int64_t cores) {
  if (cores <= 1)
    return 1;
  double idle =
      static_cast<double>(cores - threads) / static_cast<double>(cores - 1);
  return 1 + (factor - 1) * idle;
}

DeviceModel DeviceModel::withThreads(int64_t threads) const {
  DeviceModel model = *this;
  model.cores = std::clamp<int64_t>(threads, 1, cores);
  double share = static_cast<double>(model.cores) / static_cast<double>(cores);
  double near = getFactor(aloneFactor, model.cores, cores);
  double far = getFactor(aloneMemoryFactor, model.cores, cores);
  for (double *rate :
       {&model.f32FlopsPerNs, &model.f64FlopsPerNs, &model.halfFlopsPerNs})
    *rate *= share * near;
  for (CacheLevel &cache : model.caches)
    cache.bytesPerNs *= share * near;
  model.memoryBytesPerNs *= share * far;
  model.aloneFactor /= near;
  model.aloneMemoryFactor /= far;
  for (size_t i = 0; i + 1 < model.caches.size(); ++i)
    model.caches[i].bytes = model.caches[i].bytes / cores * model.cores;
  return model;
}

DeviceModel DeviceModel::withVectors(int64_t bits) const {
  DeviceModel model = *this;
  double factor = static_cast<double>(bits) / static_cast<double>(vectorBits);
  // Narrower ones may start two a clock where wide ones start one.
  if (bits < vectorBits) {
    model.fmasPerClock = std::min(2.0, fmasPerClock / factor);
    factor *= model.fmasPerClock / fmasPerClock;
  }
  for (double *rate :
       {&model.f32FlopsPerNs, &model.f64FlopsPerNs, &model.halfFlopsPerNs})
    *rate *= factor;
  model.vectorBits = bits;
  model.vectorRegisters = bits == 512 ? 32 : 16;
  model.hasBF16Pairs &= bits == 512;
  return model;
}

/// The share of the device's cores that `parallelism` equal parts keep busy: in
/// the last round, some cores may idle.
static double getShare(const DeviceModel &device, int64_t parallelism) {
  const auto parts = static_cast<double>(std::max<int64_t>(parallelism, 1));
  const auto cores = static_cast<double>(device.cores);
  return parts / (std::ceil(parts / cores) * cores);
}

double estimateComputeNs(const DeviceModel &device, const KernelWork &work) {
  return work.flops / (device.flopsPerNs(work.elementBytes) *
                       getShare(device, work.parallelism));
}

double estimateMemoryNs(const DeviceModel &device, const KernelWork &work) {
  return work.bytes /
         (device.bytesPerNs(work.bytes) * getShare(device, work.parallelism));
}

double estimateReadNs(const DeviceModel &device, const StridedRead &read) {
  auto valueBytes = static_cast<double>(read.valueBytes);
  double bytes = read.elements * static_cast<double>(read.elementBytes);
  if (read.stride <= 1)
    bytes = std::min(bytes, valueBytes);
  else if (read.isTiled)
    bytes *= device.acrossFactor;
  else
    bytes = read.elements *
            static_cast<double>(
                std::min(read.stride * read.elementBytes, device.lineBytes));
  return bytes / device.bytesPerNs(valueBytes);
}

double estimateNs(const DeviceModel &device, const KernelWork &work) {
  return device.launchNs + std::max(estimateComputeNs(device, work),
                                    estimateMemoryNs(device, work));
}

} // namespace tandem
