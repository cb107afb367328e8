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

/// Tiles of positions x vectors of channels. Vectors of weights are multiplied
/// with broadcast data where outputs run along the lanes; where groups do, and
/// have too many taps to slide over, with vectors of data.
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
  mlir::Value getInnerTap(mlir::Value number);
  /// The data of a row, or zero where that is padding for `tap`.
  mlir::Value loadGuarded(int64_t row, mlir::Value tap, Offsets offsets);

  /// Memory that holds zero, for data that is padding.
  mlir::Value zero;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CHANNELTILEEMITTER_H
