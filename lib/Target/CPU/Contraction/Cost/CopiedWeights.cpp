//===- CopiedWeights.cpp - Weights that tasks put in order ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/CopiedWeights.h"

#include "Contraction/Cost/ByteProducts.h"
#include "Contraction/Cost/ContractionTiles.h"
#include "Contraction/Cost/StagedData.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// The cycles that a step loses if its weights are in a row, and a page, of
/// their own. With matrices of 768 x 768 and 4 x 128 x 768, a step of 6 x 2
/// products takes 10 cycles on a Zen 3, and 6 cycles with packed weights.
static constexpr double kRowCycles = 4;
/// The largest distance between pieces of rows, in cache lines, at which the
/// hardware prefetcher fetches the next piece.
static constexpr int64_t kNearLines = 4;
/// The cycles to load and to store a vector, in addition to the time that
/// memory takes.
static constexpr double kCyclesPerVector = 2;

static bool areInRows(const Contraction &contraction) {
  return getVectorizedDim(contraction) == VectorizedDim::OutputChannel &&
         contraction.outputStride == 1 && contraction.inputsTogether == 1 &&
         contraction.outputBlock >= contraction.outputChannels &&
         !contraction.sumsInRegisters && !contraction.areWeightsScaled();
}

bool canCopyWeights(const Contraction &contraction) {
  // Packed bytes are copied, too, so that they are converted once.
  const bool areNarrow =
      contraction.areSumsInF32 &&
      getVectorizedDim(contraction) == VectorizedDim::OutputChannel;
  return (areNarrow || areInRows(contraction)) && contraction.weights &&
         contraction.getFormat().compute.isF32();
}

bool areCopiedWeightsNear(const Contraction &contraction,
                          const ContractionStrategy &tile,
                          const CoreModel &core) {
  const int64_t bytes =
      getCopyType(contraction.getFormat()).getIntOrFloatBitWidth() / 8;
  return contraction.getReduction() * tile.getLanes() * bytes <=
         core.l2Bytes / 2;
}

bool haveRowsOwnWeights(const Contraction &contraction) {
  return llvm::any_of(contraction.batch, [](const Contraction::BatchDim &dim) {
    return dim.size > 1 && dim.weightsStride != 0;
  });
}

double getCopyCycles(const Contraction &contraction, int64_t width,
                     const CoreModel &core) {
  int64_t positions = contraction.getPositions();
  int64_t ofCopy = haveRowsOwnWeights(contraction)
                       ? contraction.spatial.back().size
                       : positions;
  double copies =
      double(positions) / double(std::min(ofCopy, kPositionsPerTask));
  double vectors =
      double(contraction.getReduction() * contraction.groups *
             llvm::divideCeilSigned(contraction.outputChannels, width));
  double bytes = double(width * contraction.getFormat().bytes);
  return copies * vectors *
         (bytes / core.lastLevelBytesPerCycle + kCyclesPerVector);
}

Contraction withCopiedWeights(Contraction contraction, int64_t lanes) {
  contraction.outputStride = 1;
  contraction.outputBlock = std::min(lanes, contraction.outputChannels);
  contraction.outputBlockStride = 0;
  contraction.inputWeightsStride = contraction.inputsTogether * lanes;
  int64_t stride = llvm::divideCeilSigned(contraction.inputChannels,
                                          contraction.inputsTogether) *
                   contraction.inputWeightsStride;
  for (Contraction::SpatialDim &dim : llvm::reverse(contraction.spatial)) {
    dim.weightsStride = stride;
    stride *= dim.taps;
  }
  contraction.groupWeightsStride = 0;
  for (Contraction::BatchDim &dim : contraction.batch)
    dim.weightsStride = 0;
  return contraction;
}

double getRowCycles(const Contraction &contraction, int64_t bytes,
                    const CoreModel &core) {
  int64_t steps = contraction.getReduction();
  int64_t distance =
      contraction.inputWeightsStride * contraction.getFormat().bytes;
  bool areKept = steps * std::max(bytes, core.lineBytes) <= core.l1Bytes &&
                 steps <= getRowsInCache(distance, core);
  return areInRows(contraction) && !areKept && distance > bytes &&
                 distance > kNearLines * core.lineBytes
             ? kRowCycles
             : 0;
}

} // namespace tandem
