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
#include <cmath>
#include <numeric>

using namespace mlir;

namespace tandem {

/// Operations a cycle, and those of a step besides products and loads: the
/// digits of its number, addresses, the loop.
static constexpr double kOpsPerCycle = 5, kStepOps = 8;
/// The latency, in cycles, of a product of pairs of bf16, half as many of which
/// begin per cycle (Zen 4).
static constexpr double kPairLatency = 6;
/// The latency of vpdpbusd, which begins as often as a multiply-add (Ice Lake:
/// uops.info; Zen 4).
static constexpr double kDotLatency = 5;
/// The latency of the two additions that follow two vpmaddwd.
static constexpr double kWordsLatency = 2;
/// Pieces of so many bytes cost CoreModel::partialRowStoreCycles, larger ones
/// less, by this power, and those that part two lines which the caches fetch
/// together more, by this share. Measured on 64 to 512 outputs that do not stay
/// in cache.
static constexpr double kPiecePower = 1.5, kPartShare = 0.83,
                        kStepsThatHidePieces = 200;
static constexpr int64_t kPieceBytes = 128;
/// Cycles of a step lost for each row of data: a stream of its own.
static constexpr double kStreamCycles = 0.02;
/// The most bytes that a tile prefetches: twice as many stay in a first-level
/// cache beside weights, until they are read.
static constexpr int64_t kMaxPrefetchedBytes = 4096;

bool hasPairs(const Contraction &contraction, VectorizedDim vectorizedDim) {
  return contraction.inputsTogether > 1 ||
         (contraction.getFormat().packedInputs > 1 &&
          vectorizedDim == VectorizedDim::InputChannel);
}

ProductRates getRates(const Contraction &contraction,
                      VectorizedDim vectorizedDim, CoreModel core) {
  // Scaled weights are widened, converted to f32 and multiplied by a scale.
  if (contraction.areWeightsScaled())
    return {1, kFmaLatency,   3,
            0, kFmasInFlight, getScaledBytes(contraction) / sizeof(float)};
  if (!contraction.getFormat().isWidened())
    return {};
  if (!hasPairs(contraction, vectorizedDim))
    return {1, kFmaLatency, 2};
  if (contraction.areBytesWidened())
    return core.hasVNNI && contraction.dataType.isUnsignedInteger()
               ? ProductRates{1, kDotLatency, 0}
               : ProductRates{2, kWordsLatency, 3, 2, kWordsInFlight};
  return core.usesPairs() ? ProductRates{1 / core.pairsPerFma, kPairLatency, 0}
                          : ProductRates{2, 2 * kFmaLatency, 2};
}

/// How products hide the time of weights that come in one stream from the
/// second-level cache: the norm of this order of both times. Where the two are
/// equal a fifth is lost (a Zen 3 then reads 26 of 30 bytes a cycle; a Zen 4
/// takes 1.25 times as long for tiles of 2 x 8 as for 7 x 2). Of weights from
/// beyond, this share of the time is not hidden, either.
static constexpr double kOverlapNorm = 4, kNotHiddenBeyond = 0.13;

/// Both times, of which the shorter one is mostly hidden.
static double overlap(double cycles, double others) {
  return std::pow(std::pow(cycles, kOverlapNorm) +
                      std::pow(others, kOverlapNorm),
                  1 / kOverlapNorm);
}

/// Cycles of a step whose other work takes `cycles`, with the weights that all
/// rows of tiles pass by coming from where those of a tile have room.
static double addWeightCycles(double cycles, VectorizedDim vectorizedDim,
                              double vectors, double steps, double vectorBytes,
                              const CoreModel &core) {
  double bytes = vectors * steps * vectorBytes;
  if (vectorizedDim != VectorizedDim::OutputChannel ||
      bytes <= double(core.l1Bytes))
    return cycles;
  bool isNear = bytes <= double(core.l2Bytes) / 2;
  double weights =
      vectors * vectorBytes /
      (isNear ? core.l2BytesPerCycle : core.lastLevelBytesPerCycle);
  return overlap(cycles, weights) + (isNear ? 0 : kNotHiddenBeyond * weights);
}

/// Cycles of a step whose other work takes `cycles`, if positions run along the
/// lanes and each of `rows` outputs loads one weight. Each tap passes through
/// all inputs. If the weights of an output lie apart, as with OIHW weights that
/// are not packed, each pass loads whole lines of the cache for them.
static double addStridedWeightCycles(double cycles, double rows, double steps,
                                     const Contraction &contraction,
                                     const CoreModel &core) {
  const double weightBytes = double(contraction.getWeightBytes());
  const double distance =
      double(std::max<int64_t>(contraction.inputWeightsStride, 1)) *
      weightBytes;
  const bool areApart = contraction.outputStride != 1 && distance > weightBytes;
  const double perStep =
      rows *
      (areApart ? std::min(distance, double(core.lineBytes)) : weightBytes);
  const double ofPass =
      perStep * (areApart ? double(contraction.inputChannels) : steps);
  // The weights of the tile, and those of all outputs.
  const double own = steps * weightBytes * rows,
               all = steps * weightBytes * double(contraction.outputChannels);
  const double near = double(core.l2Bytes) / 2;
  const double fromL2 = ofPass > double(core.l1Bytes) ? perStep * steps
                        : all > double(core.l1Bytes)  ? own
                                                      : 0;
  const double fromLast = all <= near     ? 0
                          : ofPass > near ? perStep * steps
                                          : own;
  return overlap(cycles, (fromL2 / core.l2BytesPerCycle +
                          fromLast / core.lastLevelBytesPerCycle) /
                             steps);
}

/// What is loaded for each vector of a tile.
struct VectorLoads {
  /// Positions along the lanes are picked from as many vectors as lie between
  /// two of them.
  double count = 1;
  /// Lines beyond the first that each of these crosses in the mean: as long as
  /// another load. Taps and most rows of positions begin anywhere.
  double crossedLines = 0;
  /// Whether each row has data of its own, not all of them the same.
  bool isOfRow = false;
};

static VectorLoads getVectorLoads(const Contraction &contraction,
                                  VectorizedDim vectorizedDim,
                                  const CoreModel &core) {
  if (vectorizedDim != VectorizedDim::Spatial)
    return {};
  int64_t width = core.vectorBits / 32;
  bool areAligned = contraction.inputDataStride % width == 0;
  for (const Contraction::SpatialDim &dim : contraction.spatial)
    areAligned &= dim.padLow == 0 && (dim.dataStride % width == 0 ||
                                      (dim.dataStride == 1 && dim.taps == 1));
  return {double(contraction.spatial.back().stride),
          areAligned ? 0 : core.getVectorBytes() / double(core.lineBytes),
          contraction.outputDataStride != 0};
}

/// Cycles of one tile that sums `steps` products to each element.
static double getTileCycles(const Contraction &contraction,
                            VectorizedDim vectorizedDim,
                            const ProductRates &rates, double rows,
                            double vectors, const VectorLoads &ofVector,
                            double steps, const CoreModel &core) {
  double fmas = rows * vectors;
  double vectorLoads = (ofVector.isOfRow ? fmas : vectors) * ofVector.count;
  // A tile of groups loads data for each product.
  double rowLoads = vectorizedDim == VectorizedDim::Group ? fmas : rows;
  double loads = vectorLoads * (1 + ofVector.crossedLines) + rowLoads;
  double shuffles = vectorLoads * (1 - 1 / ofVector.count);
  double conversions =
      vectorLoads * rates.conversions + rowLoads * rates.rowConversions;
  double operations = fmas * rates.fmas + conversions + 2 * shuffles;
  double issued = operations + vectorLoads + rowLoads + kStepOps;
  double latency =
      rates.latency / double(getPartialSums(int64_t(fmas), rates.inFlight));
  double cycles = std::max({operations / kFmasPerCycle, loads / kLoadsPerCycle,
                            latency, issued / kOpsPerCycle});
  cycles = addWeightCycles(cycles, vectorizedDim, vectors, steps,
                           rates.weightShare * core.getVectorBytes(), core) +
           kStreamCycles * rows;
  if (vectorizedDim == VectorizedDim::Spatial)
    cycles = addStridedWeightCycles(cycles, rows, steps, contraction, core);
  return steps * cycles + 2 * fmas / kLoadsPerCycle + kTileCycles;
}

/// What is lost to writing rows of the result in small pieces.
static double getPieceCycles(const ContractionStrategy &tile, double pieces,
                             bool isWhole, double steps, int64_t elementBytes,
                             const CoreModel &core) {
  int64_t bytes = elementBytes * tile.getLanes();
  // Along positions the next piece of a row follows at once.
  bool isFollowed =
      tile.vectorizedDim == VectorizedDim::Spatial && bytes >= 2 * kPieceBytes;
  if (isWhole || isFollowed || tile.vectorizedDim == VectorizedDim::Group)
    return 0;
  double share = std::pow(double(kPieceBytes) / double(bytes), kPiecePower);
  if (bytes % kPieceBytes != 0)
    share += kPartShare;
  return pieces * share * core.partialRowStoreCycles *
         std::min(1.0, kStepsThatHidePieces / steps);
}

/// The bytes of an element of the result. Sums of products of bytes are i32.
static int64_t getResultBytes(const Contraction &contraction) {
  constexpr int64_t kSumBytes = 4;
  return contraction.areBytesWidened() ? kSumBytes
                                       : contraction.getFormat().bytes;
}

int64_t getRowsInCache(int64_t distance, const CoreModel &core) {
  // A page, for it is looked up by the bits that all addresses of one share.
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
  // A vector lies within a block.
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

/// Lets tiles that read far data in one line of windows prefetch it. Their rows
/// are too short for the streams that hardware detects, and begin too often:
/// 1x1 convolutions of 64 channels take 2.6 times as long without on a Zen 5.
/// The next tile's data would come too late.
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

/// Products summed to an element, of groups of inputs or of single ones.
static int64_t getSteps(const Contraction &contraction) {
  return contraction.getReduction() / contraction.inputChannels *
         llvm::divideCeilSigned(contraction.inputChannels,
                                contraction.inputsTogether);
}

/// The largest divisor of `number` that is at most `most`.
static int64_t getLargestDivisor(int64_t number, int64_t most) {
  int64_t divisor = std::min(number, most);
  while (number % divisor != 0)
    --divisor;
  return divisor;
}

/// The tile of least cost among those of `best`'s lanes and width.
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
    // Even shares: no last tile is much smaller than the others.
    tile.vectors = getEvenShare(space.vectors, vectors);
    if (tile.vectors != vectors ||
        (isBlocked && !areRowsOutputs &&
         contraction.outputBlock % tile.getLanes() != 0))
      continue;
    int64_t most = core.getMostRows(vectors);
    // What is loaded is held beside what it is widened to, as well as a mask,
    // and the products of words before they are added.
    if (areWords && tile.widensData && tile.copiesWeights)
      most = (core.getRegisters() - (vectors + 1) - 1) / vectors;
    else if (rates.rowConversions > 0 || areWords)
      most = (core.getRegisters() - (vectors + 1) * int64_t(rates.fmas) -
              (areWords ? 2 : 1)) /
             vectors;
    // In place of data that is no other row's, masks are held.
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
        getPieceCycles(tile,
                       double(space.times * space.rows * space.vectors) /
                           double(tile.vectors),
                       tile.vectors == space.vectors, steps,
                       getResultBytes(contraction), core);
    if (best.cycles == 0 || tile.cycles < best.cycles)
      best = tile;
  }
  choosePrefetch(best, contraction, core);
  return best;
}

/// The tile of least cost with copies of data or weights as `tile` says.
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
  return best;
}

} // namespace tandem
