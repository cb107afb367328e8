//===- SlidingTileEmitter.cpp - Tiles of depthwise convolutions -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/SlidingTileEmitter.h"

using namespace mlir;

namespace tandem {

/// Prefetches positions of rows below the tile, from the tile's own first
/// position on, without the positions on either side that it shares with its
/// neighbors. If there is no next row, the last bytes of the data are
/// prefetched.
void SlidingTileEmitter::prefetchAhead(const ContractionTile &which) {
  if (strategy.prefetchBytes == 0 || isDataStaged)
    return;
  const Contraction::SpatialDim &inner = getInner();
  const Contraction::SpatialDim &row = *std::prev(contraction.spatial.end(), 2);
  int64_t lastTap = inner.padLow * inner.dataStride;
  for (const Contraction::SpatialDim &dim :
       ArrayRef(contraction.spatial).drop_back())
    lastTap += (dim.taps - 1) * dim.dilation * dim.dataStride;
  int64_t bytes = which.vectors * width * format.bytes;
  int64_t reach = lastTap + row.stride * row.dataStride +
                  (which.rows * inner.stride - 1) * inner.dataStride +
                  which.vectors * width;
  Value first = keepInData(getFirstOffsets(which).data, reach);
  // Prefetch the rows below the tile's own among those that its taps read.
  for (int64_t tap = 0; tap < row.taps; ++tap) {
    int64_t below = row.stride - tap * row.dilation;
    for (int64_t at = 0; at < which.rows * inner.stride && below > 0; ++at) {
      Value pointer =
          getPointer(data, first,
                     lastTap + below * row.dataStride + at * inner.dataStride);
      for (int64_t byte = 0; byte < bytes; byte += strategy.prefetchBytes)
        prefetch(builder, loc, pointer, byte, /*isWritten=*/false,
                 PrefetchLevel::First);
    }
  }
}

SmallVector<Value> SlidingTileEmitter::emitTile() {
  auto emitVectors = [&](Value, Offsets at, const Accumulators &before) {
    Accumulators result = before;
    for (int64_t v = 0; v < tile->vectors; ++v) {
      if (v > 0)
        separateLoads();
      emitVector(v, at, result);
    }
    return result;
  };
  return addBias(*tile, emitLevels(getOuterTaps(), getFirstOffsets(*tile),
                                   createZeros(*tile), emitVectors));
}

/// Whether the element `at` positions after the one that tap 0 of the tile's
/// first row reads is padding. False if the tile's position is not known.
bool SlidingTileEmitter::isPadding(int64_t at) const {
  if (!tile->knownPosition)
    return false;
  const Contraction::SpatialDim &dim = getInner();
  int64_t first = *tile->knownPosition * dim.stride - dim.padLow;
  return first + at < 0 || first + at >= dim.dataSize;
}

/// Emits the products of all taps of vector `v`, for all rows, one position of
/// the data after the other.
void SlidingTileEmitter::emitVector(int64_t v, Offsets offsets,
                                    Accumulators &sums) {
  const Contraction::SpatialDim &dim = getInner();
  Value mask = tile->getMask(v);
  SmallVector<Value> ofTap;
  for (int64_t tap = 0; tap < dim.taps; ++tap)
    ofTap.push_back(loadVector(weights, offsets.weights,
                               tap * dim.weightsStride + v * width, mask));
  int64_t last = (tile->rows - 1) * dim.stride + (dim.taps - 1) * dim.dilation;
  for (int64_t at = 0; at <= last; ++at) {
    if (isPadding(at))
      continue;
    Value inputs;
    for (int64_t tap = 0; tap < dim.taps; ++tap) {
      int64_t distance = at - tap * dim.dilation;
      if (distance < 0 || distance % dim.stride != 0 ||
          distance / dim.stride >= tile->rows)
        continue;
      if (!inputs)
        inputs = loadVector(data, offsets.data, at * dim.dataStride + v * width,
                            mask);
      Value &sum = sums[distance / dim.stride * tile->vectors + v];
      sum = multiplyAdd(inputs, ofTap[tap], sum);
    }
  }
}

} // namespace tandem
