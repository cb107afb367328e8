//===- CoreModel.cpp - One core of a device -------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/ContractionTiles.h"

#include "tandem/Target/CPU/CPUShares.h"

namespace tandem {

CoreModel getCoreModel(const DeviceModel &device) {
  CoreModel core;
  core.vectorBits = static_cast<unsigned>(device.vectorBits);
  core.hasBF16 = core.vectorBits == 512 && device.hasBF16Pairs;
  core.pairsPerFma = device.pairsPerFma;
  core.hasVNNI = device.hasVNNI;
  core.hasWordPairs = device.hasWordPairs;
  core.hasAMXInt8 = device.hasAMXInt8;
  core.lineBytes = device.lineBytes;
  core.cores = device.cores;
  core.cyclesPerNs =
      device.f32FlopsPerNs / double(device.cores) / getFlopsPerCycle(core);
  double perCycle = 1 / (double(device.cores) * core.cyclesPerNs);
  if (!device.caches.empty()) {
    core.l1Bytes = device.caches.front().bytes / device.cores;
    core.lastLevelBytes = device.caches.back().bytes;
    core.lastLevelBytesPerCycle = device.caches.back().bytesPerNs * perCycle;
  }
  if (device.caches.size() > 1) {
    core.l2Bytes = device.caches[1].bytes / device.cores;
    core.l2BytesPerCycle = device.caches[1].bytesPerNs * perCycle;
  }
  core.memoryBytesPerCycle = device.memoryBytesPerNs * perCycle;
  core.partialRowStoreCycles =
      CPUShares::of(device).kernels.partialRowStoreCycles;
  return core;
}

double getFlopsPerCycle(CoreModel core) {
  return 2 * kFmasPerCycle * core.vectorBits / 32;
}

} // namespace tandem
