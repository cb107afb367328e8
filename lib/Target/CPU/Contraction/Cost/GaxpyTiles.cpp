//===- GaxpyTiles.cpp - Sums in memory, weights by rows -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/ContractionTiles.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// The least and the largest number of rows of weights in a pass. Fewer rows do
/// not repay loading and storing the sums, and a core does not follow more
/// streams.
static constexpr int64_t kMinPassInputs = 4, kMaxPassInputs = 8;
/// Bytes of a cache line; and of the piece of a row that is worth a task. From
/// memory, rows in such pieces take as long as packed weights.
static constexpr double kLineBytes = 64, kPieceBytes = 2048;
/// Each piece of a row costs the time of so many lines until it is a stream.
static constexpr double kPieceLines = 10;
/// The time of reading packed weights in one stream, relative to reading the
/// rows of a pass in several streams: from memory, and from the last-level
/// cache. These factors and kPieceLines were measured with 16 to 400 MB of
/// weights.
static constexpr double kOneFromMemory = 1.33, kOneFromLastLevel = 1.05;

static double getWeightBytes(const Contraction &contraction) {
  return double(contraction.inputChannels * contraction.outputChannels *
                contraction.getFormat().bytes);
}

/// Whether the weights are a matrix that comes from beyond the second-level
/// cache and that all positions are multiplied with.
static bool isFarMatrix(const Contraction &contraction, CoreModel core) {
  const Contraction::SpatialDim &dim = contraction.spatial.back();
  return contraction.groups == 1 &&
         contraction.getReduction() == contraction.inputChannels &&
         !dim.isPadded() && contraction.getPositions() == dim.size &&
         getWeightBytes(contraction) > double(core.l2Bytes) / 2;
}

/// The time that `cores` cores take to read rows of the weights in pieces of at
/// least `pieceBytes` bytes, relative to the time in which one core reads long
/// rows.
static double getTime(double pieceBytes, int64_t tasks, int64_t cores) {
  double lines = std::max(pieceBytes, kPieceBytes) / kLineBytes;
  return (1 + kPieceLines / lines) / double(std::min(cores, tasks));
}

std::optional<ContractionStrategy> chooseGaxpy(const Contraction &contraction,
                                               CoreModel core) {
  double rowBytes =
      double(contraction.outputChannels * contraction.getFormat().bytes);
  if (contraction.sumsInRegisters || contraction.outputStride != 1 ||
      contraction.outputBlock != contraction.outputChannels ||
      contraction.inputsTogether > 1 || contraction.areBytesWidened() ||
      contraction.areWeightsScaled() || rowBytes < kPieceBytes ||
      !isFarMatrix(contraction, core))
    return std::nullopt;
  ContractionStrategy gaxpy;
  gaxpy.width = core.vectorBits / 32;
  gaxpy.rows = contraction.spatial.back().size;
  // Beside the data of a pass there are the sums of a vector, and weights that
  // are widened or not.
  int64_t others = gaxpy.rows + (contraction.getFormat().isWidened() ? 2 : 1);
  gaxpy.passInputs =
      std::min((core.getRegisters() - others) / gaxpy.rows, kMaxPassInputs);
  if (gaxpy.passInputs < kMinPassInputs)
    return std::nullopt;
  gaxpy.vectors =
      int64_t(kPieceBytes) / (gaxpy.width * contraction.getFormat().bytes);
  gaxpy.cycles = getWeightBytes(contraction) / core.lastLevelBytesPerCycle *
                 getTime(rowBytes, /*tasks=*/1, /*cores=*/1);
  return gaxpy;
}

bool isAsFastAsPacked(const ContractionStrategy &inPlace,
                      const ContractionStrategy &packed,
                      const Contraction &contraction, CoreModel core) {
  bool areDots = inPlace.vectorizedDim == VectorizedDim::InputChannel &&
                 inPlace.rows == contraction.spatial.back().size &&
                 isFarMatrix(contraction, core);
  if (!areDots && !inPlace.isGaxpy())
    return false;
  auto countTasks = [&](const ContractionStrategy &strategy) {
    return llvm::divideCeilSigned(contraction.outputChannels,
                                  strategy.getLanes());
  };
  int64_t tasks = countTasks(inPlace);
  // The tasks of a gaxpy share its rows; those of dot products have their own.
  double pieceBytes = double(contraction.getFormat().bytes) *
                      (areDots ? double(contraction.inputChannels)
                               : double(contraction.outputChannels) /
                                     double(std::min(core.cores, tasks)));
  bool isFromMemory =
      getWeightBytes(contraction) > double(core.lastLevelBytes) / 2;
  return getTime(pieceBytes, tasks, core.cores) <=
         (isFromMemory ? kOneFromMemory : kOneFromLastLevel) /
             double(std::min(core.cores, countTasks(packed)));
}

} // namespace tandem
