//===- ContractionTiles.h - What tiles of all kinds cost --------*- C++ -*-===//
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

namespace tandem {

/// Of cores of the last decade with wide vectors: multiply-adds and loads a
/// cycle, and cycles until the result of a multiply-add can be added to.
inline constexpr double kFmasPerCycle = 2, kLoadsPerCycle = 2, kFmaLatency = 4;
/// Cycles to begin and end a tile, besides those to store it.
inline constexpr double kTileCycles = 30;
/// More vectors hardly save loads.
inline constexpr int64_t kMaxVectors = 8;

/// What a product of two vectors takes: in f32, one multiply-add.
struct ProductRates {
  double fmas = 1, latency = kFmaLatency;
  /// Instructions that widen what is loaded, for each vector of those along the
  /// lanes and for each of those that all lanes share.
  double conversions = 0, rowConversions = conversions;
};

ProductRates getRates(const Contraction &contraction, ContractionLanes lanes,
                      ContractionMachine machine);

/// The sizes that a tile walks over.
struct TileSpace {
  int64_t rows, vectors, times;
};

TileSpace getTileSpace(const Contraction &contraction, ContractionLanes lanes,
                       int64_t width);

/// Narrower vectors where one of them has all there is: some machines execute
/// twice as many, and few lanes are masked.
int64_t getWidth(const Contraction &contraction, ContractionLanes lanes,
                 int64_t widest);

/// Cycles of all tiles of `space`, the last of which are smaller; `getCycles`
/// of one of so many rows and vectors.
double getSpaceCycles(const TileSpace &space, const ContractionStrategy &tile,
                      llvm::function_ref<double(int64_t, int64_t)> getCycles);

/// The tile of least cost where inputs run along the lanes: few loads for each
/// product, and products enough to hide their latency.
ContractionStrategy chooseDotTile(const Contraction &contraction,
                                  ContractionMachine machine);

/// The tile of least cost where data slides past the weights: products enough
/// to hide their latency, and lines that are read with their neighbours.
ContractionStrategy chooseSlidingTile(const Contraction &contraction,
                                      ContractionMachine machine);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_CONTRACTIONTILES_H
