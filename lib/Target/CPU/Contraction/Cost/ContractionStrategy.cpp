//===- ContractionStrategy.cpp - How contractions are tiled ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/ContractionStrategy.h"

#include "Contraction/Cost/ByteProducts.h"
#include "Contraction/Cost/ContractionTiles.h"
#include "Contraction/Cost/CopiedWeights.h"
#include "Contraction/Cost/StagedData.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tandem {

/// The largest number of bytes that a tile prefetches. The data of two tiles
/// must stay in the first-level cache, beside weights, until it is read.
static constexpr int64_t kMaxPrefetchedBytes = 4096;

bool hasPairs(const Contraction &contraction, VectorizedDim vectorizedDim) {
  return contraction.inputsTogether > 1 ||
         (contraction.getFormat().packedInputs > 1 &&
          vectorizedDim == VectorizedDim::InputChannel);
}

int64_t getRowsInCache(int64_t distance, const CoreModel &core) {
  // The period is a page: the first-level cache selects a set by the address
  // bits within a page.
  constexpr int64_t kPeriodBytes = 4096, kLineBytes = 64;
  const int64_t ways = std::max<int64_t>(core.l1Bytes / kPeriodBytes, 2);
  int64_t sets =
      kPeriodBytes / std::gcd(std::max(distance, kLineBytes), kPeriodBytes);
  return sets * (ways - 1);
}

TileSpace getTileSpace(const Contraction &contraction,
                       VectorizedDim vectorizedDim, int64_t width) {
  int64_t positions = contraction.spatial.back().size;
  int64_t outer = contraction.getPositions() / positions;
  switch (vectorizedDim) {
  case VectorizedDim::OutputChannel:
  case VectorizedDim::InputChannel:
    return {positions,
            llvm::divideCeilSigned(contraction.outputChannels, width),
            outer * contraction.groups};
  case VectorizedDim::Group:
    return {positions, llvm::divideCeilSigned(contraction.groups, width),
            outer};
  case VectorizedDim::Spatial:
    return {contraction.outputChannels,
            llvm::divideCeilSigned(positions, width),
            outer * contraction.groups};
  }
  return {1, 1, 1};
}

int64_t getWidth(const Contraction &contraction, VectorizedDim vectorizedDim,
                 int64_t widest) {
  int64_t width = widest;
  while (width > 2 &&
         getTileSpace(contraction, vectorizedDim, width / 2).vectors == 1)
    width /= 2;
  // A vector never crosses the border of a block.
  if (vectorizedDim == VectorizedDim::OutputChannel &&
      contraction.outputBlock < contraction.outputChannels)
    width = std::gcd(width, contraction.outputBlock);
  return width;
}

double getSpaceCycles(const TileSpace &space, const ContractionStrategy &tile,
                      llvm::function_ref<double(int64_t, int64_t)> getCycles) {
  auto sumOverRows = [&](int64_t vectors) {
    int64_t whole = space.rows / tile.rows, rest = space.rows % tile.rows;
    double cycles = double(whole) * getCycles(tile.rows, vectors);
    if (rest)
      cycles += getCycles(rest, vectors);
    return cycles;
  };
  int64_t whole = space.vectors / tile.vectors;
  int64_t rest = space.vectors % tile.vectors;
  return double(space.times) * (double(whole) * sumOverRows(tile.vectors) +
                                (rest ? sumOverRows(rest) : 0));
}

bool exceedsL2(const Contraction &contraction, const CoreModel &core) {
  if (!contraction.data) // Winograd's products read the task's workspace.
    return false;
  auto data = cast<RankedTensorType>(contraction.data.getType());
  int64_t bytes = contraction.getFormat().bytes *
                  (data.getNumElements() + contraction.result.getNumElements());
  return 2 * bytes > core.l2Bytes;
}

/// Lets tiles prefetch data that is not in the second-level cache, if their
/// windows have a single row. Their rows are too short, and begin too often,
/// for the hardware prefetcher to detect streams: without prefetching, 1x1
/// convolutions of 64 channels take 2.6 times as long on a Zen 5. Prefetching
/// the data of the next tile would come too late, so tiles prefetch the one
/// after it.
static void choosePrefetch(ContractionStrategy &tile,
                           const Contraction &contraction,
                           const CoreModel &core) {
  const int64_t bytes =
      tile.rows * contraction.inputChannels * contraction.getFormat().bytes;
  if (tile.vectorizedDim != VectorizedDim::OutputChannel ||
      llvm::any_of(
          ArrayRef(contraction.spatial).drop_back(),
          [](const Contraction::SpatialDim &dim) { return dim.taps > 1; }) ||
      contraction.inputDataStride != 1 || bytes > kMaxPrefetchedBytes ||
      !exceedsL2(contraction, core))
    return;
  tile.prefetchBytes = core.lineBytes;
  tile.tilesAhead = 2;
}

/// The number of products that are summed to an element. A product takes a
/// group of inputs (Contraction::inputsTogether), or a single input.
static int64_t getSteps(const Contraction &contraction) {
  return contraction.getReduction() / contraction.inputChannels *
         llvm::divideCeilSigned(contraction.inputChannels,
                                contraction.inputsTogether);
}

int64_t getLargestDivisor(int64_t number, int64_t most) {
  int64_t divisor = std::min(number, most);
  while (number % divisor != 0)
    --divisor;
  return divisor;
}

bool fitsBlock(const Contraction &contraction,
               const ContractionStrategy &tile) {
  const int64_t block = contraction.outputBlock;
  const bool isBlocked = block < contraction.outputChannels;
  if (contraction.areIntegersPaired())
    return tile.vectors % 2 == 0 &&
           (!contraction.scales ||
            tile.getLanes() == contraction.inputWeightsStride);
  return !isBlocked || tile.vectorizedDim == VectorizedDim::Spatial ||
         block % tile.getLanes() == 0;
}

/// Returns the tile with the least cost among all tiles with the vectorized dim
/// and the width of `best`.
static ContractionStrategy chooseTile(const Contraction &contraction,
                                      ContractionStrategy best,
                                      const ProductRates &rates,
                                      const CoreModel &core) {
  TileSpace space = getTileSpace(contraction, best.vectorizedDim, best.width);
  bool areRowsOutputs = best.vectorizedDim == VectorizedDim::Spatial;
  bool isBlocked = contraction.outputBlock < contraction.outputChannels;
  double steps = static_cast<double>(getSteps(contraction));
  const bool areWords = multipliesWords(contraction, core, best.width);
  VectorLoads ofVector = getVectorLoads(contraction, best.vectorizedDim, core);
  const Contraction::SpatialDim &inner = contraction.spatial.back();
  int64_t rowBytes = (areRowsOutputs ? contraction.outputDataStride
                                     : inner.stride * inner.dataStride) *
                     contraction.getFormat().bytes;
  for (int64_t vectors = 1; vectors <= std::min(kMaxVectors, space.vectors);
       ++vectors) {
    ContractionStrategy tile = best;
    // Divide evenly, so that no last tile is much smaller than the others.
    tile.vectors = getEvenShare(space.vectors, vectors);
    if (tile.vectors != vectors || !fitsBlock(contraction, tile))
      continue;
    int64_t most = core.getMostRows(vectors);
    // Registers hold loaded values beside the values that they are widened to,
    // a mask, and the products of words before they are added.
    if (areWords && tile.widensData && tile.copiesWeights)
      most = (core.getRegisters() - (vectors + 1) - 1) / vectors;
    else if (rates.rowConversions > 0 || areWords)
      most = (core.getRegisters() - (vectors + 1) * int64_t(rates.fmas) -
              (areWords ? 2 : 1)) /
             vectors;
    // If each row has data of its own, registers hold masks in place of shared
    // data.
    if (ofVector.isOfRow)
      most = (core.getRegisters() - vectors - 2) / vectors;
    if (most < 1)
      break;
    if (rowBytes != 0)
      most = std::min(most, getRowsInCache(rowBytes, core));
    tile.rows = getEvenShare(space.rows, most);
    if (isBlocked && areRowsOutputs)
      tile.rows = getLargestDivisor(contraction.outputBlock, most);
    double rowCycles = getRowCycles(
        contraction, tile.getLanes() * contraction.getFormat().bytes, core);
    tile.cycles =
        getSpaceCycles(space, tile,
                       [&](int64_t rows, int64_t ofVectors) {
                         return getTileCycles(contraction, tile.vectorizedDim,
                                              rates, rows, ofVectors, ofVector,
                                              steps, core) +
                                steps * rowCycles;
                       }) +
        getPieceCycles(contraction, tile,
                       double(space.times * space.rows * space.vectors) /
                           double(tile.vectors),
                       tile.vectors == space.vectors, steps, core);
    if (best.cycles == 0 || tile.cycles < best.cycles)
      best = tile;
  }
  choosePrefetch(best, contraction, core);
  return best;
}

/// Returns the tile with the least cost among those that copy data and weights
/// as `tile` says.
static ContractionStrategy chooseWithCopies(Contraction contraction,
                                            const ContractionStrategy &tile,
                                            const CoreModel &core) {
  const ProductRates given = getRates(contraction, tile.vectorizedDim, core);
  ProductRates rates = given;
  if (tile.widensData)
    rates.rowConversions = 0;
  double cycles = 0;
  if (tile.copiesWeights) {
    cycles += getCopyCycles(contraction, tile.width, core);
    rates.conversions = 0;
    if (contraction.getFormat().compute.isInteger())
      rates.weightShare = 2; // Of words.
    contraction.sumsInRegisters = true;
  }
  ContractionStrategy best = chooseTile(contraction, tile, rates, core);
  if (tile.widensData)
    cycles += getWideningCycles(contraction, best, given);
  best.cycles += cycles;
  return best;
}

ContractionStrategy chooseContractionStrategy(const Contraction &contraction,
                                              CoreModel core, bool mayCopy) {
  ContractionStrategy tile;
  tile.vectorizedDim = *getVectorizedDim(contraction);
  if (tile.vectorizedDim == VectorizedDim::InputChannel)
    return chooseDotTile(contraction, core);
  if (slidesOverTaps(contraction, tile.vectorizedDim))
    return chooseSlidingTile(contraction, core);
  if (std::optional<ContractionStrategy> gaxpy = chooseGaxpy(contraction, core))
    return *gaxpy;
  tile.width = getWidth(contraction, tile.vectorizedDim, core.vectorBits / 32);
  ContractionStrategy best = chooseWithCopies(contraction, tile, core);
  const bool areWords = multipliesWords(contraction, core, tile.width);
  bool canWiden =
      mayCopy && canWidenData(contraction, tile.vectorizedDim, areWords);
  bool canCopy = mayCopy && (areWords || canCopyWeights(contraction));
  for (auto [widens, copies] :
       {std::pair(true, false), {false, true}, {true, true}}) {
    if ((widens && !canWiden) || (copies && !canCopy))
      continue;
    tile.widensData = widens;
    tile.copiesWeights = copies;
    ContractionStrategy other = chooseWithCopies(contraction, tile, core);
    bool isNear = !copies || areCopiedWeightsNear(contraction, other, core);
    if (isNear && other.cycles < best.cycles)
      best = other;
  }
  if (std::optional<ContractionStrategy> matrix =
          chooseMatrixTile(contraction, core, mayCopy);
      matrix &&
      matrix->cycles * getIdleFactor(contraction, *matrix, core) < best.cycles)
    return *matrix;
  return best;
}

} // namespace tandem
