//===- DotTileEmitter.h - Tiles of dot products --------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_DOTTILEEMITTER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_DOTTILEEMITTER_H

#include "Contraction/Tile/TileEmitter.h"

namespace tandem {

/// Tiles of dot products: inputs run along the lanes, and there is an
/// accumulator for each element of the tile, whose lanes are summed at the end.
class DotTileEmitter : public TileEmitter {
public:
  DotTileEmitter(mlir::OpBuilder &builder, mlir::Location loc,
                 const TileProblem &problem)
      : TileEmitter(builder, loc, problem),
        sumType(mlir::VectorType::get({strategy.sumWidth}, format.compute)) {}

protected:
  Accumulators emitTile() override;

private:
  void computeColumns();
  Accumulators emitInputs(int64_t count, const TapRange &range, Offsets offsets,
                          const Accumulators &sums);
  /// The products of one vector of inputs, of the lanes of `mask`.
  Accumulators emitStep(const TapRange &range, Offsets offsets,
                        mlir::Value mask, const Accumulators &sums);
  /// What is multiplied of one vector of inputs.
  llvm::SmallVector<mlir::Value, 2> loadInputs(mlir::Value base,
                                               mlir::Value offset,
                                               int64_t distance,
                                               mlir::Value mask);
  /// The sums of the lanes of a row's accumulators, as one vector.
  mlir::Value emitRowSums(llvm::ArrayRef<mlir::Value> row);
  Accumulators emitLaneSums(llvm::ArrayRef<mlir::Value> sums);

  /// An accumulator.
  mlir::VectorType sumType;
  /// The weights of each output of the tile.
  llvm::SmallVector<mlir::Value> columns;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_DOTTILEEMITTER_H
