//===- TileCycles.cpp - Cycles of register tiles --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Cost/ContractionTiles.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tandem {

/// kOpsPerCycle is the number of operations that a core issues per cycle.
/// kStepOps is the number of operations of a step besides products and loads:
/// the digits of its number, addresses, and the loop.
static constexpr double kOpsPerCycle = 5, kStepOps = 8;
/// The latency, in cycles, of a product of pairs of bf16 (Zen 4). Half as many
/// of these products as multiply-adds begin per cycle.
static constexpr double kPairLatency = 6;
/// The latency of vpdpbusd, in cycles. As many of these instructions as
/// multiply-adds begin per cycle (Ice Lake: uops.info; Zen 4).
static constexpr double kDotLatency = 5;
/// The latency of the two additions that follow two vpmaddwd.
static constexpr double kWordsLatency = 2;
/// Pieces of kFetchedBytes bytes cost CoreModel::partialRowStoreCycles cycles.
/// The cost of larger pieces falls with their size, by the exponent
/// kPiecePower. kPartShare is the additional cost of pieces that split two
/// cache lines which are fetched together. Products hide a part of the cost if
/// a tile has more than kStepsThatHidePieces steps. Measured on 64 to 512
/// outputs that do not stay in the cache.
static constexpr double kPiecePower = 1.5, kPartShare = 0.83,
                        kStepsThatHidePieces = 200;
static constexpr int64_t kFetchedBytes = 128;
/// The cycles that a step loses for each row of data, because each row is a
/// separate stream.
static constexpr double kStreamCycles = 0.02;

ProductRates getRates(const Contraction &contraction,
                      VectorizedDim vectorizedDim, CoreModel core) {
  // Scaled weights are widened, converted to f32 and multiplied by a scale. Two
  // vectors of integers of 4 bits share one widened vector. AVX-512 looks up
  // their values in a table; other processors need one or two shifts.
  if (contraction.areWeightsScaled()) {
    const bool isShifted =
        contraction.areIntegersPaired() && core.vectorBits < 512;
    return {1, kFmaLatency,   isShifted ? 4.0 : 3.0,
            0, kFmasInFlight, getScaledBytes(contraction) / sizeof(float)};
  }
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

/// How much of the time of loading weights products hide, if the weights are
/// one stream from the second-level cache. The two times are combined by the
/// norm of order kOverlapNorm. If they are equal, a fifth is lost: a Zen 3 then
/// reads 26 of 30 bytes per cycle, and a Zen 4 takes 1.25 times as long for
/// tiles of 2 x 8 as for 7 x 2. If the weights come from beyond the
/// second-level cache, kNotHiddenBeyond is the share of the loading time that
/// is not hidden either.
static constexpr double kOverlapNorm = 4, kNotHiddenBeyond = 0.13;

/// Combines two times, the longer of which mostly hides the shorter one.
static double overlap(double cycles, double others) {
  return std::pow(std::pow(cycles, kOverlapNorm) +
                      std::pow(others, kOverlapNorm),
                  1 / kOverlapNorm);
}

double addWeightCycles(double cycles, VectorizedDim vectorizedDim,
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
  const double weightBytes = contraction.getWeightBytes();
  const double distance =
      double(std::max<int64_t>(contraction.inputWeightsStride, 1)) *
      weightBytes;
  const bool areApart = contraction.outputStride != 1 && distance > weightBytes;
  const double perStep =
      rows *
      (areApart ? std::min(distance, double(core.lineBytes)) : weightBytes);
  const double ofPass =
      perStep * (areApart ? double(contraction.inputChannels) : steps);
  // The bytes of the weights that the tile uses, and of the weights of all
  // outputs.
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

VectorLoads getVectorLoads(const Contraction &contraction,
                           VectorizedDim vectorizedDim, const CoreModel &core) {
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

/// The number of loads of a row of data in a step. If a product takes a group
/// of inputs that are not adjacent, each input is loaded separately.
static int64_t countLoadsOfRow(const Contraction &contraction,
                               VectorizedDim vectorizedDim) {
  return hasPairs(contraction, vectorizedDim) &&
                 contraction.inputChannels > 1 &&
                 contraction.inputDataStride != 1
             ? contraction.getFormat().packedInputs
             : 1;
}

double getTileCycles(const Contraction &contraction,
                     VectorizedDim vectorizedDim, const ProductRates &rates,
                     double rows, double vectors, const VectorLoads &ofVector,
                     double steps, const CoreModel &core) {
  double fmas = rows * vectors;
  double vectorLoads = (ofVector.isOfRow ? fmas : vectors) * ofVector.count;
  // A tile of groups loads data for each product.
  double rowsOfData = vectorizedDim == VectorizedDim::Group ? fmas : rows;
  const auto loadsOfRow = double(countLoadsOfRow(contraction, vectorizedDim));
  double rowLoads = rowsOfData * loadsOfRow;
  double loads = vectorLoads * (1 + ofVector.crossedLines) + rowLoads;
  double shuffles = vectorLoads * (1 - 1 / ofVector.count);
  double conversions =
      vectorLoads * rates.conversions + rowsOfData * rates.rowConversions;
  double operations = fmas * rates.fmas + conversions + 2 * shuffles;
  // Each further input of a group is inserted by a shift and an or.
  double merges = 2 * rowsOfData * (loadsOfRow - 1);
  double issued = operations + vectorLoads + rowLoads + merges + kStepOps;
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

/// The bytes of an element of the result. Sums of products of bytes are i32.
static int64_t getResultBytes(const Contraction &contraction) {
  constexpr int64_t kSumBytes = 4;
  return contraction.areBytesWidened() ? kSumBytes
                                       : contraction.getFormat().bytes;
}

double getPieceCycles(const Contraction &contraction,
                      const ContractionStrategy &tile, double pieces,
                      bool isWhole, double steps, const CoreModel &core) {
  int64_t bytes = getResultBytes(contraction) * tile.getLanes();
  // If positions run along the lanes, the next tile writes the next piece of
  // the row immediately afterwards.
  bool isFollowed = tile.vectorizedDim == VectorizedDim::Spatial &&
                    bytes >= 2 * kFetchedBytes;
  if (isWhole || isFollowed || tile.vectorizedDim == VectorizedDim::Group)
    return 0;
  double share = std::pow(double(kFetchedBytes) / double(bytes), kPiecePower);
  if (bytes % kFetchedBytes != 0)
    share += kPartShare;
  return pieces * share * core.partialRowStoreCycles *
         std::min(1.0, kStepsThatHidePieces / steps);
}

} // namespace tandem
