//===- Prices.cpp - What fusing costs and saves ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prices.h"

#include "tandem/Fusion/LoopEfficiency.h"

#include <algorithm>

namespace tandem {

static double computeNs(const DeviceModel &device, const OpFacts &facts,
                        double evaluations, int64_t parallelism = INT64_MAX) {
  return estimateComputeNs(device, {evaluations * facts.flopsPerElement, 0,
                                    facts.elementBytes, parallelism});
}

/// Of cache `level` from 0, or what lies beyond the last.
static double getCacheBytesPerNs(const DeviceModel &device, size_t level) {
  return level < device.caches.size() ? device.caches[level].bytesPerNs
                                      : device.memoryBytesPerNs;
}

static double memoryNs(const DeviceModel &device, int64_t bytes,
                       int64_t parallelism = INT64_MAX) {
  return estimateMemoryNs(device, {0, double(bytes), 4, parallelism});
}

FusionPrice priceShared(const DeviceModel &device, const OpFacts &facts,
                        int64_t shared, int64_t parallelism) {
  double elements = double(facts.elements);
  int64_t others = facts.operandBytes - shared;
  FusionPrice price;
  price.unfusedNs = device.launchNs + computeNs(device, facts, elements) +
                    memoryNs(device, facts.operandBytes + facts.resultBytes);
  price.fusedNs = computeNs(device, facts, elements, parallelism) +
                  memoryNs(device, others + facts.resultBytes, parallelism);
  price.bytesSaved = shared;
  return price;
}

FusionPrice priceTile(const FusionOptions &options, const OpFacts &facts,
                      const Contraction &contraction) {
  const DeviceModel &device = options.device;
  double loopEfficiency = getLoopEfficiency(device, contraction);
  double tileEfficiency =
      options.contractions->getEfficiency(device, contraction);
  // What is written is in no cache yet.
  double memory = double(facts.resultBytes) / device.memoryBytesPerNs;
  double compute = computeNs(device, facts, double(facts.elements));
  return {device.launchNs + std::max(memory, compute / loopEfficiency),
          device.launchNs + std::max(memory, compute / tileEfficiency), 0};
}

FusionPrice pricePrologue(const FusionOptions &options, const OpFacts &facts,
                          const Contraction &contraction, bool isFirst) {
  const DeviceModel &device = options.device;
  double times = options.contractions->getPrologueRuns(device, contraction);
  double operands = memoryNs(device, facts.operandBytes);
  double compute = computeNs(device, facts, double(facts.elements));
  double again = std::max(times - 1, 0.0);
  FusionPrice price;
  price.unfusedNs = device.launchNs + operands + compute +
                    2 * memoryNs(device, facts.resultBytes);
  price.fusedNs =
      operands + times * compute +
      again * double(facts.operandBytes) / getCacheBytesPerNs(device, 2);
  if (isFirst)
    price.fusedNs +=
        2 * times * double(facts.resultBytes) / getCacheBytesPerNs(device, 1);
  price.bytesSaved = 2 * facts.resultBytes;
  return price;
}

FusionPrice priceWindow(const DeviceModel &device, const OpFacts &facts,
                        int64_t bytes, int64_t partBytes, double repeatedNs) {
  double compute = computeNs(device, facts, double(facts.elements));
  double result = memoryNs(device, facts.resultBytes);
  // A contraction's result is written while it computes, in part.
  constexpr double kExposedShare = 0.5;
  double part = double(bytes) /
                device.bytesPerNs(double(partBytes) * double(device.cores));
  FusionPrice price;
  price.unfusedNs = device.launchNs + compute + result +
                    (1 + kExposedShare) * memoryNs(device, bytes);
  price.fusedNs = compute + result + (1 + kExposedShare) * part + repeatedNs;
  price.bytesSaved = 2 * bytes;
  return price;
}

} // namespace tandem
