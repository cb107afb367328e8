//===- SlidingTiles.cpp - Tiles whose data slides past weights ------------===//
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

/// The largest number of taps whose weights stay in registers beside the sums.
static constexpr int64_t kMaxSlidingTaps = 8;
/// The cycles lost for each vector of groups that is read and written alone,
/// without its neighbor in the next cache line. Measured on 512 groups that are
/// not in the second-level cache.
static constexpr double kLoneVectorCycles = 4;

/// Instructions that convert a vector of bytes to f32.
static constexpr double kByteConversions = 2;

bool slidesOverTaps(const Contraction &contraction,
                    VectorizedDim vectorizedDim) {
  return vectorizedDim == VectorizedDim::Group &&
         contraction.spatial.back().taps <= kMaxSlidingTaps;
}

/// The number of positions of the data that the taps of `rows` positions read.
static int64_t getSlidingLoads(const Contraction::SpatialDim &dim,
                               int64_t rows) {
  int64_t most = rows * dim.taps;
  return dim.stride > (dim.taps - 1) * dim.dilation
             ? most
             : std::min(most, (rows - 1) * dim.stride +
                                  (dim.taps - 1) * dim.dilation + 1);
}

ContractionStrategy chooseSlidingTile(const Contraction &contraction,
                                      CoreModel core) {
  const Contraction::SpatialDim &inner = contraction.spatial.back();
  ContractionStrategy best;
  best.vectorizedDim = VectorizedDim::Group;
  best.width = getWidth(contraction, best.vectorizedDim, core.vectorBits / 32);
  if (contraction.spatial.size() > 1 && exceedsL2(contraction, core))
    best.prefetchBytes = core.lineBytes;
  TileSpace space = getTileSpace(contraction, best.vectorizedDim, best.width);
  double passes = double(contraction.getReduction() / inner.taps);
  // Bytes are converted when they are loaded. A cache line holds several
  // vectors of bytes, so that kLoneVectorCycles does not apply to a lone vector
  // of bytes.
  const bool areBytes = contraction.getFormat().isBytes();
  const double conversions = areBytes ? kByteConversions : 0,
               loneVectorCycles = areBytes ? 0 : kLoneVectorCycles;
  auto getCycles = [&](int64_t rows, int64_t vectors) {
    double fmas = double(rows * vectors * inner.taps);
    double loads =
        double(vectors * (getSlidingLoads(inner, rows) + inner.taps));
    double stores = double(rows * vectors);
    double operations = fmas + loads * conversions;
    double cycles =
        passes * std::max({operations / kFmasPerCycle, loads / kLoadsPerCycle,
                           kFmaLatency * double(inner.taps)}) +
        2 * stores / kLoadsPerCycle + kTileCycles;
    return vectors == 1 && space.vectors > 1
               ? cycles + stores * loneVectorCycles
               : cycles;
  };
  for (int64_t vectors = 1; vectors <= std::min(kMaxVectors, space.vectors);
       ++vectors) {
    ContractionStrategy tile = best;
    tile.vectors = getEvenShare(space.vectors, vectors);
    // Besides the sums, registers hold the weights of all taps of one vector,
    // and the data of two positions.
    int64_t most = (core.getRegisters() - inner.taps - 2) / vectors;
    if (tile.vectors != vectors || most < 1)
      continue;
    tile.rows = getEvenShare(space.rows, most);
    tile.cycles = getSpaceCycles(space, tile, getCycles);
    if (best.cycles == 0 || tile.cycles < best.cycles)
      best = tile;
  }
  return best;
}

} // namespace tandem
