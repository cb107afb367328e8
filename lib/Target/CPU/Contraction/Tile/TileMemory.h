//===- TileMemory.h - What a register tile reads, and where -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_TILEMEMORY_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_TILEMEMORY_H

#include "Contraction/Tile/ByteQuads.h"
#include "Contraction/Tile/ContractionTile.h"
#include "IndexBuilder.h"
#include "Prefetch.h"

#include "tandem/Target/CPU/ContractionStrategy.h"

namespace tandem {

/// The type of elements in loads and stores. Elements that are widened are
/// loaded as integers, because not all targets have loads and stores of 16-bit
/// floats.
mlir::Type getStoredType(const ElementFormat &format);
/// Converts integers of 8 bits, one or a vector of them, to `type`, whose
/// elements are f32 or i32.
mlir::Value widenBytes(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value bytes, mlir::Type type, bool isUnsigned);

/// Whether each vector of `width` weights ends before the weights do. Packed
/// weights have all lanes.
bool haveAllLanes(const Contraction &contraction, int64_t width);

/// The description and the operands of a contraction, which all its tiles
/// share. The objects that it refers to must outlive the emitters of the tiles.
struct TileProblem {
  const Contraction &contraction;
  const ContractionStrategy &strategy;
  /// Pointers to the operands. The pointer to the bias may be null.
  mlir::Value data, weights, bias = {};
  /// Pointer to Contraction::scales; null if there are none.
  mlir::Value scales = {};
  /// Whether tiles multiply pairs of bf16 with the instruction of AVX-512 BF16
  /// (CoreModel::usesPairs).
  bool usesPairs = false;
  /// How integers of 8 bits are multiplied.
  ByteProducts byteProducts = ByteProducts::Lanes;
  /// Whether the weights are copies (getCopyType).
  bool areWeightsWide = false;
};

/// Emits loads of a contraction's operands. Loaded values have the format's
/// compute type unless a comment says otherwise. Offsets and distances are in
/// elements.
class TileMemory : protected IndexBuilder {
public:
  TileMemory(mlir::OpBuilder &builder, mlir::Location loc,
             const TileProblem &problem);

  /// Makes tiles that are emitted from now on read the data at `pointer`, which
  /// a task has staged in a near cache. `isWide` says that the staged data has
  /// been widened (getCopyType).
  void setData(mlir::Value pointer, bool isWide) {
    data = pointer;
    dataType = isWide ? getCopyType(format) : elementType;
    isDataStaged = true;
  }

protected:
  /// The offsets at which operands are read, in elements from their beginnings.
  struct Offsets {
    mlir::Value data, weights;
  };

  const Contraction::SpatialDim &getInner() const {
    return contraction.spatial.back();
  }

  /// Returns the offsets of the tile's first row and lane at tap 0. The data
  /// offset may be before the beginning of the data, where there is padding.
  Offsets getFirstOffsets(const ContractionTile &tile) const;
  /// The offset of the scales of the tile's first lane, for the first inputs.
  mlir::Value getScalesOffset(const ContractionTile &tile) const;
  mlir::Value getBiasOffset(const ContractionTile &tile) const;
  /// Returns `offset`, or, if the data ends less than `reach` elements after
  /// it, the last offset that has so many elements after it. Prefetching an
  /// unmapped address would walk the page tables each time, because the TLB
  /// does not cache such addresses.
  mlir::Value keepInData(mlir::Value offset, int64_t reach) const;
  mlir::Value getPointer(mlir::Value base, mlir::Value offset,
                         int64_t distance);
  /// Returns the mask of the lanes of vector `v` for which there are weights;
  /// null for all lanes (haveAllLanes). Masks are avoided where possible,
  /// because a masked load takes ten cycles on a Zen 1.
  mlir::Value getWeightsMask(const ContractionTile &tile, int64_t v) const;

  mlir::Value loadVector(mlir::Value base, mlir::Value offset, int64_t distance,
                         mlir::Value mask);
  mlir::Value loadVector(mlir::VectorType type, mlir::Value pointer,
                         mlir::Value mask);
  /// Loads a vector of `type` without converting its elements.
  mlir::Value loadBits(mlir::VectorType type, mlir::Value pointer,
                       mlir::Value mask);
  /// Loads vector `v` of the weights: the products of the integers at `offset`
  /// and the scales at `scalesOffset`.
  mlir::Value loadScaled(mlir::Value offset, mlir::Value scalesOffset,
                         int64_t v, mlir::Value mask);
  /// Loads one element into all lanes of a vector.
  mlir::Value loadSplat(mlir::Value base, mlir::Value offset, int64_t distance);
  mlir::Value splat(mlir::VectorType type, mlir::Value scalar);
  mlir::Value createZero(mlir::VectorType type);
  /// Returns one vector of zeros for each vector of a tile.
  llvm::SmallVector<mlir::Value> createZeros(const ContractionTile &tile);
  /// Loads the bias for each vector of a tile, row by row. Returns zeros if
  /// there is no bias. Channels must run along the lanes.
  llvm::SmallVector<mlir::Value> loadBias(const ContractionTile &tile);
  /// Adds the bias to the sums of products. It is added last: sums that start
  /// from a bias much larger than the products lose their low bits in every
  /// addition.
  llvm::SmallVector<mlir::Value> addBias(const ContractionTile &tile,
                                         llvm::ArrayRef<mlir::Value> sums);
  /// `sum` + `a` * `b`, vectors of the sums.
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value sum);

  /// Keeps LLVM from moving later loads ahead of earlier ones. LLVM groups
  /// adjacent loads, for whose values a tile has no registers, so that sums
  /// would be spilled.
  void separateLoads();

  /// a + b * factor.
  mlir::Value addScaled(mlir::Value a, mlir::Value b, int64_t factor) const;

  const Contraction &contraction;
  const ContractionStrategy &strategy;
  /// Lanes of a vector of the result.
  int64_t width;
  ElementFormat format;
  /// The element types of loads: `dataType` for the data, `weightsType` for the
  /// weights, and `elementType` for all other operands.
  mlir::Type elementType, dataType, weightsType;
  /// A vector of the result.
  mlir::VectorType vectorType;
  mlir::Value data, weights, bias, scales;
  bool isDataStaged = false, usesPairs;
  ByteProducts byteProducts;

private:
  /// Loads vector `v` of the integers at `offset` and converts it to f32. The
  /// integers are bytes, or pairs of 4-bit integers (Contraction::integerBits).
  mlir::Value loadIntegers(mlir::Value offset, int64_t v, mlir::Value mask);
  mlir::Value loadPaired(mlir::Value offset, int64_t v);
  /// Returns `offset`, moved to output `output` of weights or scales whose
  /// blocks of outputs are `blockStride` apart.
  mlir::Value addOutput(mlir::Value offset, mlir::Value output,
                        int64_t blockStride) const;
  mlir::Type getTypeAt(mlir::Value base) const {
    return base == data      ? dataType
           : base == weights ? weightsType
                             : elementType;
  }
  /// Converts `bytes`, a single byte or a vector of bytes, to the compute type.
  /// They are signed if the operand at `base` is.
  mlir::Value widenBytes(mlir::Value bytes, mlir::Value base);
  /// Converts `halves`, a vector of the stored type, to the compute type.
  mlir::Value widenHalves(mlir::Value halves);
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_TILEMEMORY_H
