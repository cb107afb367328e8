//===- PairTileEmitter.h - Tiles of pairs of bf16 ------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_PAIRTILEEMITTER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_PAIRTILEEMITTER_H

#include "Contraction/Tile/TileEmitter.h"

namespace tandem {

/// Tiles of positions x vectors of outputs whose weights have two inputs side
/// by side: pairs of weights are multiplied with broadcast pairs of data.
class PairTileEmitter : public TileEmitter {
public:
  using TileEmitter::TileEmitter;

protected:
  Accumulators emitTile() override;

private:
  Accumulators emitPairs(llvm::ArrayRef<Level> levels, const TapRange &range,
                         Offsets offsets, const Accumulators &sums);
  Accumulators emitOddInputs(llvm::ArrayRef<Level> taps, const TapRange &range,
                             Offsets offsets, const Accumulators &sums);
  /// `isHalf`: of a last input that has none beside it.
  Accumulators emitProducts(const TapRange &range, Offsets offsets, bool isHalf,
                            const Accumulators &sums);
  llvm::SmallVector<mlir::Value, 2> loadWeights(int64_t v, mlir::Value offset,
                                                bool isHalf);
  llvm::SmallVector<mlir::Value, 2> loadData(int64_t row, mlir::Value offset,
                                             bool isHalf);
  /// That of a vector of pairs.
  mlir::VectorType getPairType() const;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_PAIRTILEEMITTER_H
