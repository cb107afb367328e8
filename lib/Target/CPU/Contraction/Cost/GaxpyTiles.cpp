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

/// The least and the largest number of rows of weights in a pass. With fewer
/// rows, loading and storing the sums does not pay. With more rows, a core
/// cannot follow all streams.
static constexpr int64_t kMinPassInputs = 4, kMaxPassInputs = 8;
/// kLineBytes is the size of a cache line. kPieceBytes is the smallest size of
/// a piece of a row that is worth a task. From memory, reading rows in such
/// pieces takes as long as reading packed weights.
static constexpr double kLineBytes = 64, kPieceBytes = 2048;
/// The beginning of each piece of a row costs the time of this many cache
/// lines, until the hardware recognizes a stream.
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

/// Whether the weights are a single matrix for all positions, and too large to
/// stay in the second-level cache.
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
  // Besides the data of a pass, registers hold the sums of one vector of
  // outputs, and one vector of weights or, if weights are widened, two.
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
  // The tasks of a gaxpy divide each row of the weights among them. A task of
  // dot products reads whole rows of its own.
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
