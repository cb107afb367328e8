//===- GaxpyTiles.cpp - Sums in memory, weights by rows -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionTiles.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// Rows of weights in a pass: fewer are not worth loading and storing the sums
/// for, more are more streams than a core follows.
static constexpr int64_t kMinPassInputs = 4, kMaxPassInputs = 8;
/// Bytes of a cache line; and of the piece of a row that is worth a task. From
/// memory, rows in such pieces take as long as packed weights.
static constexpr double kLineBytes = 64, kPieceBytes = 2048;
/// Each piece of a row costs the time of so many lines until it is a stream.
static constexpr double kPieceLines = 10;
/// The time of packed weights, one stream, beside that of the rows of a pass,
/// several: from memory and from the last level of the caches. Measured with
/// 16 to 400 MB of weights, as the above is.
static constexpr double kOneFromMemory = 1.33, kOneFromLastLevel = 1.05;

static double getWeightBytes(const Contraction &contraction) {
  return double(contraction.inputs * contraction.outputs *
                contraction.getElementBytes());
}

/// Tasks that run at a time, and the time of the whole by them, in units of
/// that in which one core streams long rows.
static double getTime(const ContractionStrategy &gaxpy, int64_t outputs,
                      double rowBytes, int64_t cores) {
  int64_t tasks = llvm::divideCeilSigned(outputs, gaxpy.getLanes());
  double workers = double(std::min(cores, tasks));
  double lines = std::max(rowBytes / workers, kPieceBytes) / kLineBytes;
  return (1 + kPieceLines / lines) / workers;
}

std::optional<ContractionStrategy> chooseGaxpy(const Contraction &contraction,
                                               ContractionMachine machine) {
  const Contraction::SpatialDim &dim = contraction.spatial.back();
  double rowBytes = double(contraction.outputs * contraction.getElementBytes());
  if (contraction.sumsInRegisters || contraction.outputStride != 1 ||
      contraction.outputBlock != contraction.outputs ||
      contraction.hasInputPairs || contraction.groups != 1 ||
      contraction.getReduction() != contraction.inputs || dim.isPadded() ||
      contraction.getPositions() != dim.size || rowBytes < kPieceBytes ||
      getWeightBytes(contraction) <= double(machine.l2Bytes) / 2)
    return std::nullopt;
  ContractionStrategy gaxpy;
  gaxpy.width = machine.vectorBits / 32;
  gaxpy.rows = dim.size;
  // Beside the data of a pass there are the sums of a vector, and weights that
  // are widened or not.
  int64_t others = gaxpy.rows + (contraction.isBF16() ? 2 : 1);
  gaxpy.passInputs =
      std::min((machine.getRegisters() - others) / gaxpy.rows, kMaxPassInputs);
  if (gaxpy.passInputs < kMinPassInputs)
    return std::nullopt;
  gaxpy.vectors =
      int64_t(kPieceBytes) / (gaxpy.width * contraction.getElementBytes());
  double vectors =
      getWeightBytes(contraction) / (double(machine.vectorBits) / 8);
  gaxpy.cycles = vectors / kFarVectorsPerCycle *
                 getTime(gaxpy, contraction.outputs, rowBytes, /*cores=*/1);
  return gaxpy;
}

bool isAsFastAsPacked(const ContractionStrategy &gaxpy,
                      const ContractionStrategy &packed,
                      const Contraction &contraction,
                      ContractionMachine machine) {
  double bytes = getWeightBytes(contraction);
  double packedTime = bytes > double(machine.lastLevelBytes) / 2
                          ? kOneFromMemory
                          : kOneFromLastLevel;
  int64_t tasks =
      llvm::divideCeilSigned(contraction.outputs, packed.getLanes());
  packedTime /= double(std::min(machine.cores, tasks));
  double rowBytes = double(contraction.outputs * contraction.getElementBytes());
  return getTime(gaxpy, contraction.outputs, rowBytes, machine.cores) <=
         packedTime;
}

} // namespace tandem
