//===- Prices.cpp - What fusing costs and saves ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prices.h"

#include <algorithm>

namespace tandem {

/// The share of the peak that multiply-adds reach in a loop, where each result
/// is a chain of its own, and in a register tile: what convolutions of 3 to 64
/// channels of 256 x 256 were seen to reach.
static constexpr double kLoopEfficiency = 0.6, kTileEfficiency = 0.9;
/// In a loop over the outputs of groups with several inputs each, whose lanes
/// read data from here and there. Measured on groups of 4 and 8 channels.
static constexpr double kGroupedLoopEfficiency = 0.05;

static double computeNs(const DeviceModel &device, const OpFacts &facts,
                        double evaluations, int64_t parallelism = INT64_MAX) {
  return estimateComputeNs(device, {evaluations * facts.flopsPerElement, 0,
                                    facts.elementBytes, parallelism});
}

static double memoryNs(const DeviceModel &device, int64_t bytes,
                       int64_t parallelism = INT64_MAX) {
  return estimateMemoryNs(device, {0, double(bytes), 4, parallelism});
}

FusionPrice priceProduce(const DeviceModel &device, const OpFacts &facts,
                         int64_t readers, double evaluations) {
  // Reading and computing overlap at best; neither bound is sure to hide the
  // other, so that both are paid here.
  double operands = memoryNs(device, facts.operandBytes);
  double result = memoryNs(device, facts.resultBytes);
  FusionPrice price;
  price.unfusedNs = device.launchNs + operands +
                    computeNs(device, facts, double(facts.elements)) +
                    result * double(1 + readers);
  price.fusedNs =
      computeNs(device, facts, evaluations) + operands * double(readers);
  price.bytesSaved =
      facts.resultBytes * (1 + readers) - facts.operandBytes * (readers - 1);
  return price;
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

FusionPrice priceJoin(const DeviceModel &device, int64_t shared) {
  return {device.launchNs + 2 * memoryNs(device, shared),
          memoryNs(device, shared), shared};
}

/// The share of the lanes that a loop uses, which runs along the result. Few
/// products are unrolled, and other elements' overlap with them.
static double getLoopLaneUse(const Contraction &contraction, int64_t width) {
  constexpr int64_t kOverlappingProducts = 8;
  if (contraction.getReduction() <= kOverlappingProducts)
    return 1;
  int64_t size = contraction.result.getShape().back();
  return double(size) / double((size + width - 1) / width * width);
}

FusionPrice priceTile(const DeviceModel &device, const OpFacts &facts,
                      const Contraction &contraction) {
  bool isGrouped = contraction.groups > 1 && contraction.inputs > 1;
  int64_t width = std::max<int64_t>(device.vectorBits / 32, 1);
  double loopEfficiency =
      (isGrouped ? kGroupedLoopEfficiency : kLoopEfficiency) *
      getLoopLaneUse(contraction, width);
  double tileEfficiency = kTileEfficiency * getLaneUse(contraction, width);
  // What is written is in no cache yet.
  double memory = double(facts.resultBytes) / device.memoryBytesPerNs;
  double compute = computeNs(device, facts, double(facts.elements));
  return {device.launchNs + std::max(memory, compute / loopEfficiency),
          device.launchNs + std::max(memory, compute / tileEfficiency), 0};
}

} // namespace tandem
