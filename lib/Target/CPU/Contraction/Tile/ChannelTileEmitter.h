//===- ChannelTileEmitter.h - Tiles of channels along vectors - -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CHANNELTILEEMITTER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CHANNELTILEEMITTER_H

#include "Contraction/Tile/TileEmitter.h"

namespace tandem {

/// Tiles of positions x vectors of channels. If outputs run along the lanes,
/// vectors of weights are multiplied by broadcast data. If groups run along the
/// lanes, and there are too many taps for a SlidingTileEmitter, vectors of
/// weights are multiplied by vectors of data.
class ChannelTileEmitter : public TileEmitter {
public:
  using TileEmitter::TileEmitter;

  void prepareGuards(KernelScratch &scratch) override;
  void prefetchAhead(const ContractionTile &which) override;

protected:
  Accumulators emitTile() override;

private:
  Accumulators emitProducts(const TapRange &range, mlir::Value number,
                            Offsets offsets, const Accumulators &sums);
  /// Like emitProducts, but loads and uses one vector of weights after the
  /// other.
  Accumulators emitVectorByVector(mlir::Value number, Offsets offsets,
                                  const Accumulators &sums);
  /// The offset of the scales for step `number`; null if there are none.
  mlir::Value getScalesOfStep(mlir::Value number) const;
  /// Loads vector `v` of the weights. If the weights have scales, `ofStep` is
  /// the offset of the scales.
  mlir::Value loadWeights(int64_t v, Offsets offsets, mlir::Value ofStep);
  mlir::Value getInnerTap(mlir::Value number);
  /// Loads the data of a row, or zero if the row reads padding through `tap`.
  mlir::Value loadGuarded(int64_t row, mlir::Value tap, Offsets offsets);

  /// Memory that holds zero, for data that is padding.
  mlir::Value zero;
  /// The offset of the tile's scales, if its weights have scales.
  mlir::Value scalesOffset;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CHANNELTILEEMITTER_H
