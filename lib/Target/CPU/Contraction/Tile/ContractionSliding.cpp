//===- ContractionSliding.cpp - Tiles of depthwise convolutions -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where groups run along the lanes, a vector of data is of use to as many
// positions as there are taps that see it: it is loaded once, while the weights
// of all taps of the innermost dim wait in registers.
//
//===----------------------------------------------------------------------===//

#include "Contraction/Tile/ContractionTile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {

void prefetch(OpBuilder &builder, Location loc, Value pointer, int64_t bytes,
              bool isWritten) {
  constexpr unsigned kToSecondLevel = 2, kDataCache = 1;
  Value line = LLVM::GEPOp::create(
      builder, loc, pointer.getType(), builder.getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(bytes)));
  LLVM::Prefetch::create(builder, loc, line, isWritten, kToSecondLevel,
                         kDataCache);
}

/// Whether position `at` of the data, from tap 0 of the tile's first row, is no
/// padding. All are data where the tile's position is not known.
bool ContractionTileEmitter::isData(int64_t at) const {
  if (!tile->knownPosition)
    return true;
  const Contraction::SpatialDim &dim = getInner();
  int64_t first = *tile->knownPosition * dim.stride - dim.padLow;
  return first + at >= 0 && first + at < dim.dataSize;
}

/// Positions are those that begin with the tile's, without the ones on either
/// side that its neighbours share. Where there is no next row it is anything.
void ContractionTileEmitter::prefetchNextRow(const ContractionTile &tile) {
  if (prefetchBytes == 0)
    return;
  this->tile = &tile;
  Offsets first = getFirstOffsets();
  const Contraction::SpatialDim &inner = getInner();
  const Contraction::SpatialDim &row = *std::prev(contraction.spatial.end(), 2);
  int64_t lastTap = inner.padLow * inner.dataStride;
  for (const Contraction::SpatialDim &dim :
       ArrayRef(contraction.spatial).drop_back())
    lastTap += (dim.taps - 1) * dim.dilation * dim.dataStride;
  int64_t elementBytes = format.bytes;
  int64_t bytes = tile.vectors * width * elementBytes;
  // Of the rows that its taps read, those below the tile's own.
  for (int64_t tap = 0; tap < row.taps; ++tap) {
    int64_t below = row.stride - tap * row.dilation;
    for (int64_t at = 0; at < tile.rows * inner.stride && below > 0; ++at) {
      Value pointer =
          getPointer(data, first.data,
                     lastTap + below * row.dataStride + at * inner.dataStride);
      for (int64_t byte = 0; byte < bytes; byte += prefetchBytes)
        prefetch(builder, loc, pointer, byte, /*isWritten=*/false);
    }
  }
}

SmallVector<Value>
ContractionTileEmitter::emitSlidingTaps(Offsets offsets,
                                        const Accumulators &sums) {
  Accumulators result = sums;
  for (int64_t v = 0; v < tile->vectors; ++v)
    emitSlidingVector(v, offsets, result);
  return result;
}

/// All taps of vector `v` of each row, from one position of the data to the
/// next.
void ContractionTileEmitter::emitSlidingVector(int64_t v, Offsets offsets,
                                               Accumulators &sums) {
  const Contraction::SpatialDim &dim = getInner();
  Value mask = v + 1 == tile->vectors ? tile->mask : Value();
  Accumulators ofTap;
  for (int64_t tap = 0; tap < dim.taps; ++tap)
    ofTap.push_back(loadVector(weights, offsets.weights,
                               tap * dim.weightsStride + v * width, mask));
  int64_t last = (tile->rows - 1) * dim.stride + (dim.taps - 1) * dim.dilation;
  for (int64_t at = 0; at <= last; ++at) {
    if (!isData(at))
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
      sum = LLVM::FMulAddOp::create(builder, loc, vectorType, inputs,
                                    ofTap[tap], sum);
    }
  }
}

} // namespace tandem
