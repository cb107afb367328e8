//===- Prices.cpp - What fusing costs and saves ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prices.h"

#include "tandem/Conversion/TandemToLinalg/StagedData.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tandem {

/// The share of the peak that multiply-adds reach in a loop, where each result
/// is a chain of its own, and in a register tile: what convolutions of 3 to 64
/// channels of 256 x 256 were seen to reach.
static constexpr double kLoopEfficiency = 0.6, kTileEfficiency = 0.9;
/// In a loop over the outputs of groups with several inputs each, whose lanes
/// read data from here and there. Measured on groups of 4 and 8 channels.
static constexpr double kGroupedLoopEfficiency = 0.05;
/// Of depthwise convolutions, whose loop reads a vector of weights and one of
/// data for each product, where weights of more bytes than this do not stay in
/// the first-level cache from one position to the next. Measured on the list
/// shapes_depthwise.
static constexpr double kDepthwiseLoopEfficiency = 0.25;
static constexpr int64_t kNearWeightBytes = 6 * 1024;
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

static double getLoopEfficiency(const Contraction &contraction) {
  if (contraction.groups == 1)
    return kLoopEfficiency;
  if (contraction.inputs > 1)
    return kGroupedLoopEfficiency;
  int64_t weightBytes = contraction.getReduction() * contraction.groups *
                        contraction.outputs * contraction.getElementBytes();
  return weightBytes > kNearWeightBytes ? kDepthwiseLoopEfficiency
                                        : kLoopEfficiency;
}

/// The share of the lanes that a loop uses, which runs along the result. Few
/// products are unrolled, and other elements' overlap with them.
static double getLoopLaneUse(const Contraction &contraction, int64_t width) {
  constexpr int64_t kOverlappingProducts = 8;
  if (contraction.getReduction() <= kOverlappingProducts)
    return 1;
  int64_t size = contraction.result.getShape().back();
  return double(size) / double(llvm::divideCeilSigned(size, width) * width);
}

FusionPrice priceTile(const DeviceModel &device, const OpFacts &facts,
                      const Contraction &contraction) {
  int64_t width = std::max<int64_t>(device.vectorBits / 32, 1);
  double loopEfficiency =
      getLoopEfficiency(contraction) * getLoopLaneUse(contraction, width);
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
                  contraction.getElementBytes();
  int64_t chunks = std::clamp<int64_t>(
      contraction.getPositions() / kMinPositionsPerTask, 1, kWantedTasks);
  chunks = std::max(chunks, llvm::divideCeilSigned(bytes, kMaxStagedBytes));
  double columns = double(contraction.outputs) * double(contraction.groups) /
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
