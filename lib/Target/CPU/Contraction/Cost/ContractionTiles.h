//===- ContractionTiles.h - Costs of register tiles -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_CONTRACTIONTILES_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_CONTRACTIONTILES_H

#include "tandem/Target/CPU/ContractionStrategy.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tandem {

/// Properties of cores with wide vectors of the last decade: multiply-adds and
/// loads per cycle, and the latency of a multiply-add in cycles.
inline constexpr double kFmasPerCycle = 2, kLoadsPerCycle = 2, kFmaLatency = 4;
/// The cycles that the beginning and the end of a tile take, in addition to the
/// cycles of its stores.
inline constexpr double kTileCycles = 30;
/// The largest number of vectors in a row of a tile. More vectors would hardly
/// save loads.
inline constexpr int64_t kMaxVectors = 8;

/// The largest number of steps in an iteration of a loop. The steps of an
/// iteration share the loop counter and the computation of addresses. A step of
/// 12 products with a counter and addresses of its own has 24 operations, or 30
/// if its address depends on several levels. A core whose other hardware thread
/// is busy issues three operations per cycle, so that such a step takes 8 to 10
/// cycles instead of 6.
inline constexpr int64_t kMaxStepsTogether = 4;
/// The number of sums that hide the latency of products: of multiply-adds, and
/// of products of words (vpmaddwd), which wait only for additions of integers.
inline constexpr auto kFmasInFlight = int64_t(kFmasPerCycle * kFmaLatency);
inline constexpr int64_t kWordsInFlight = 2;
/// The number of partial sums for each of `sums` sums. Successive steps add to
/// them in turn, because additions to few sums would wait for one another.
inline int64_t getPartialSums(int64_t sums, int64_t inFlight) {
  return std::clamp<int64_t>(llvm::divideCeilSigned(inFlight, sums), 1,
                             kMaxStepsTogether);
}

/// The cost of a product of two vectors. In f32 it is one multiply-add.
struct ProductRates {
  double fmas = 1, latency = kFmaLatency;
  /// The number of instructions that convert a loaded vector to f32: for
  /// vectors along the lanes, and for values that are broadcast to all lanes.
  double conversions = 0, rowConversions = conversions;
  /// The number of sums that hide the latency.
  int64_t inFlight = kFmasInFlight;
  /// The size of the weights in memory, for each lane of a vector, relative to
  /// the size of f32.
  double weightShare = 1;
};

ProductRates getRates(const Contraction &contraction,
                      VectorizedDim vectorizedDim, CoreModel core);

/// The loads of operands for each vector of a tile.
struct VectorLoads {
  /// The number of vectors that are loaded for each vector of the tile. If
  /// positions run along the lanes, it is the stride of the windows: the lanes
  /// are picked from that many adjacent vectors.
  double count = 1;
  /// The average number of cache line borders that each of these vectors
  /// crosses. A crossing takes as long as another load. Taps and most rows of
  /// positions are not aligned.
  double crossedLines = 0;
  /// Whether each row has vectors of data of its own. Otherwise all rows share
  /// the same vectors.
  bool isOfRow = false;
};

VectorLoads getVectorLoads(const Contraction &contraction,
                           VectorizedDim vectorizedDim, const CoreModel &core);

/// The cycles of one tile of `rows` x `vectors` that adds `steps` products to
/// each element.
double getTileCycles(const Contraction &contraction,
                     VectorizedDim vectorizedDim, const ProductRates &rates,
                     double rows, double vectors, const VectorLoads &ofVector,
                     double steps, const CoreModel &core);

/// Returns the cycles of a step that takes `cycles` cycles without loading
/// weights. A tile loads `vectors` vectors of weights in each of `steps` steps,
/// from the nearest cache that has room for all these weights. All rows of
/// tiles use the weights before the next weights are loaded.
double addWeightCycles(double cycles, VectorizedDim vectorizedDim,
                       double vectors, double steps, double vectorBytes,
                       const CoreModel &core);

/// The cycles that are lost because tiles of `steps` products write rows of the
/// result in `pieces` small pieces. `isWhole` says that a piece is a whole row.
double getPieceCycles(const Contraction &contraction,
                      const ContractionStrategy &tile, double pieces,
                      bool isWhole, double steps, const CoreModel &core);

/// The iteration space that tiles divide: `rows` x `vectors`, repeated `times`
/// times.
struct TileSpace {
  int64_t rows, vectors, times;
};

TileSpace getTileSpace(const Contraction &contraction,
                       VectorizedDim vectorizedDim, int64_t width);

/// Returns the width of vectors, in elements. It is less than `widest` if a
/// single narrower vector is wide enough, because some machines execute twice
/// as many narrow vectors per cycle, and fewer lanes are masked. It also
/// divides the size of blocks of outputs, if there are several.
int64_t getWidth(const Contraction &contraction, VectorizedDim vectorizedDim,
                 int64_t widest);

/// The largest divisor of `number` that is at most `most`.
int64_t getLargestDivisor(int64_t number, int64_t most);

/// The cycles of all tiles of `space`, including the smaller ones at its ends.
/// `getCycles(rows, vectors)` are the cycles of one tile.
double getSpaceCycles(const TileSpace &space, const ContractionStrategy &tile,
                      llvm::function_ref<double(int64_t, int64_t)> getCycles);

/// Whether data and result are too large to be in the second-level cache
/// already when the kernel starts. They are assumed to be there if the cache
/// has room for twice their bytes.
bool exceedsL2(const Contraction &contraction, const CoreModel &core);

/// Returns the number of rows, `distance` bytes apart, for which the
/// first-level cache can hold one line each. Rows whose distance is a multiple
/// of the cache's period compete for the few ways of one set, and the weights
/// occupy one of these ways.
int64_t getRowsInCache(int64_t distance, const CoreModel &core);

/// Whether the tile reads whole vectors of blocks of outputs. If a byte holds
/// two integers, the number of vectors must be even, and a tile of weights with
/// scales must span a whole block, whose size is the distance between two
/// inputs.
bool fitsBlock(const Contraction &contraction, const ContractionStrategy &tile);

/// Chooses the tile of a matrix unit with the least cost. Returns nothing if
/// `core` has no matrix unit for the contraction. Tasks may copy data only if
/// `mayCopy` is set.
std::optional<ContractionStrategy>
chooseMatrixTile(const Contraction &contraction, const CoreModel &core,
                 bool mayCopy);

/// The time of `tile`, a tile of a matrix unit, on all cores, as a multiple of
/// its share of the time on one core. It is more than 1 if there are fewer
/// tasks than cores, because tasks must not divide padded rows.
double getIdleFactor(const Contraction &contraction,
                     const ContractionStrategy &tile, const CoreModel &core);

/// Chooses the tile with the least cost if inputs run along the lanes. A good
/// tile has few loads per product, and enough independent products to hide
/// their latency.
ContractionStrategy chooseDotTile(const Contraction &contraction,
                                  CoreModel core);

/// Chooses the tile with the least cost if the tile slides over the data with
/// the weights in registers (slidesOverTaps). A good tile has enough
/// independent products to hide their latency, and reads neighboring cache
/// lines together.
ContractionStrategy chooseSlidingTile(const Contraction &contraction,
                                      CoreModel core);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_CONTRACTIONTILES_H
