//===- PositionTileEmitter.h - Tiles of positions along vectors -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_POSITIONTILEEMITTER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_POSITIONTILEEMITTER_H

#include "Contraction/Tile/TileEmitter.h"

namespace tandem {

/// Tiles of outputs x vectors of positions: vectors of data are multiplied with
/// broadcast weights. Lanes whose data is padding for a tap are masked.
class PositionTileEmitter : public TileEmitter {
public:
  using TileEmitter::TileEmitter;

protected:
  Accumulators emitTile() override;

private:
  Accumulators addSplatBias(Accumulators sums);
  Accumulators emitMaskedTaps(llvm::ArrayRef<Level> levels, Level taps,
                              Offsets offsets, const Accumulators &sums,
                              EmitStep emitStep);
  Accumulators emitProducts(Offsets offsets, const Accumulators &sums);
  bool isMasked() const {
    return (getInner().isPadded() && !tile->isInterior) || tile->mask;
  }
  void computeMasks(mlir::Value tap);
  mlir::Value computeMask(mlir::Value first, mlir::Value size, int64_t offset);
  /// Returns the offsets of the vectors that are loaded for vector `v` of the
  /// tile.
  llvm::SmallVector<int64_t> getPartOffsets(int64_t v) const;
  bool isPartInside(int64_t offset) const;
  mlir::Value loadPositions(int64_t v, mlir::Value offset);

  /// The masks of the lanes in which the current tap reads data, not padding.
  /// There is one mask for each vector that is loaded. It is null if all lanes
  /// are known to read data.
  llvm::SmallVector<mlir::Value> masks;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_POSITIONTILEEMITTER_H
