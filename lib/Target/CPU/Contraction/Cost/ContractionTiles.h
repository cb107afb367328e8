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
/// The cycles that a tile takes to begin and end, beside those to store it.
inline constexpr double kTileCycles = 30;
/// The most vectors in a row of a tile: more would hardly save loads.
inline constexpr int64_t kMaxVectors = 8;

/// Steps of a loop that share a count and an address, at most. One of 12
/// products has 24 operations, or 30 where its place is one of several levels;
/// a core whose other thread is busy issues three a cycle, and takes 8 to 10
/// cycles in place of 6.
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
  /// Bytes of a weight in memory beside those of f32.
  double weightShare = 1;
};

ProductRates getRates(const Contraction &contraction,
                      VectorizedDim vectorizedDim, CoreModel core);

/// What is loaded for each vector of a tile.
struct VectorLoads {
  /// The number of vectors that are loaded for each vector of the tile. If
  /// positions run along the lanes, it is the stride of the windows: the lanes
  /// are picked from that many adjacent vectors.
  double count = 1;
  /// The average number of cache line borders that each of these vectors
  /// crosses. A crossing takes as long as another load. Taps and most rows of
  /// positions are not aligned.
  double crossedLines = 0;
  /// Whether each row has data of its own, not all of them the same.
  bool isOfRow = false;
};

VectorLoads getVectorLoads(const Contraction &contraction,
                           VectorizedDim vectorizedDim, const CoreModel &core);

/// The cycles of one tile of `rows` x `vectors` that sums `steps` products to
/// each element.
double getTileCycles(const Contraction &contraction,
                     VectorizedDim vectorizedDim, const ProductRates &rates,
                     double rows, double vectors, const VectorLoads &ofVector,
                     double steps, const CoreModel &core);

/// The cycles of a step, if its other work takes `cycles` cycles and the
/// weights, `vectors` vectors in each of `steps` steps, are loaded from the
/// nearest cache that has room for those of one tile. All rows of tiles use
/// these weights before the next ones are loaded.
double addWeightCycles(double cycles, VectorizedDim vectorizedDim,
                       double vectors, double steps, double vectorBytes,
                       const CoreModel &core);

/// The cycles that are lost because tiles of `steps` products write rows of the
/// result in `pieces` small pieces. `isWhole` says that a piece is a whole row.
double getPieceCycles(const Contraction &contraction,
                      const ContractionStrategy &tile, double pieces,
                      bool isWhole, double steps, const CoreModel &core);

/// The iteration space that a tile walks over: rows, vectors, and how many
/// times all of these are computed.
struct TileSpace {
  int64_t rows, vectors, times;
};

TileSpace getTileSpace(const Contraction &contraction,
                       VectorizedDim vectorizedDim, int64_t width);

/// The width of vectors, in elements: less than `widest` where a narrower
/// vector holds everything, because some machines execute twice as many narrow
/// vectors, and fewer lanes are masked.
int64_t getWidth(const Contraction &contraction, VectorizedDim vectorizedDim,
                 int64_t widest);

/// The largest divisor of `number` that is at most `most`.
int64_t getLargestDivisor(int64_t number, int64_t most);

/// The cycles of all tiles of `space`, including the smaller ones at its ends.
/// `getCycles(rows, vectors)` are the cycles of one tile.
double getSpaceCycles(const TileSpace &space, const ContractionStrategy &tile,
                      llvm::function_ref<double(int64_t, int64_t)> getCycles);

/// Whether data and result are too large for the second-level cache to hold
/// them from before: it may where it has room for twice their bytes.
bool exceedsL2(const Contraction &contraction, const CoreModel &core);

/// Rows, `distance` bytes apart, that the first-level cache can hold a line of
/// each of: those a multiple of its period apart compete for the few ways of a
/// set, one of which the weights take.
int64_t getRowsInCache(int64_t distance, const CoreModel &core);

/// Chooses the tile of a matrix unit with the least cost. Returns nothing if
/// `core` has no matrix unit for the contraction. Tasks may copy data only if
/// `mayCopy` is set.
std::optional<ContractionStrategy>
chooseMatrixTile(const Contraction &contraction, const CoreModel &core,
                 bool mayCopy);

/// Chooses the tile with the least cost where inputs run along the lanes. A
/// good tile has few loads per product, and enough independent products to hide
/// their latency.
ContractionStrategy chooseDotTile(const Contraction &contraction,
                                  CoreModel core);

/// Chooses the tile with the least cost where the tile slides over the data
/// with the weights in registers (slidesOverTaps). A good tile has enough
/// independent products to hide their latency, and reads neighboring cache
/// lines together.
ContractionStrategy chooseSlidingTile(const Contraction &contraction,
                                      CoreModel core);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_CONTRACTIONTILES_H
