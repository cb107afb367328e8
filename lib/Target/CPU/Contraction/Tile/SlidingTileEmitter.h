//===- SlidingTileEmitter.h - Tiles of depthwise convolutions - -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_SLIDINGTILEEMITTER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_SLIDINGTILEEMITTER_H

#include "Contraction/Tile/TileEmitter.h"

namespace tandem {

/// Tiles of positions x vectors of groups with few taps. Several positions read
/// the same vector of data, each through a different tap. The vector is loaded
/// once, while the weights of all taps of the innermost dim stay in registers.
class SlidingTileEmitter : public TileEmitter {
public:
  SlidingTileEmitter(mlir::OpBuilder &builder, mlir::Location loc,
                     const TileProblem &problem)
      : TileEmitter(builder, loc, problem) {
    mostUnrolled = 0;
  }

  void prefetchAhead(const ContractionTile &which) override;

protected:
  Accumulators emitTile() override;

private:
  void emitVector(int64_t v, Offsets offsets, Accumulators &sums);
  bool isPadding(int64_t at) const;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_SLIDINGTILEEMITTER_H
