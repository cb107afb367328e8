//===- Prices.cpp - What fusing costs and saves ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prices.h"

#include "tandem/Analysis/Contraction/StagedData.h"
#include "tandem/Fusion/LoopEfficiency.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tandem {

/// The share of the peak that multiply-adds reach in a register tile: what
/// convolutions of 3 to 64 channels of 256 x 256 were seen to reach.
static constexpr double kTileEfficiency = 0.9;
/// Of a tile, along the outputs: about what 32 registers leave room for.
static constexpr double kMaxTileVectors = 4;

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

FusionPrice priceTile(const DeviceModel &device, const OpFacts &facts,
                      const Contraction &contraction) {
  int64_t width = std::max<int64_t>(device.vectorBits / 32, 1);
  double loopEfficiency = getLoopEfficiency(device, contraction);
  double tileEfficiency = kTileEfficiency * getLaneUse(contraction, width);
  // What is written is in no cache yet.
  double memory = double(facts.resultBytes) / device.memoryBytesPerNs;
  double compute = computeNs(device, facts, double(facts.elements));
  return {device.launchNs + std::max(memory, compute / loopEfficiency),
          device.launchNs + std::max(memory, compute / tileEfficiency), 0};
}

/// How often the tasks of `contraction` compute an element of its data: those
/// of neighbouring rows both have what lies between, and where there are few
/// rows several tasks share out the outputs.
static double getStagedTimes(const DeviceModel &device,
                             const Contraction &contraction) {
  int64_t bytes = contraction.getPositions() * getStagedInputs(contraction) *
                  contraction.getFormat().bytes;
  int64_t chunks = std::clamp<int64_t>(
      contraction.getPositions() / kMinPositionsPerTask, 1, kWantedTasks);
  chunks = std::max(chunks, llvm::divideCeilSigned(bytes, kMaxStagedBytes));
  double columns = double(contraction.outputChannels) *
                   double(contraction.groups) /
                   (kMaxTileVectors * double(device.vectorBits) / 32);
  double parts =
      std::clamp(columns, 1.0, std::max(1.0, double(kWantedTasks / chunks)));
  return parts * getStagedShare(contraction, chunks);
}

FusionPrice pricePrologue(const DeviceModel &device, const OpFacts &facts,
                          const Contraction &contraction, bool isFirst) {
  double times = getStagedTimes(device, contraction);
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
