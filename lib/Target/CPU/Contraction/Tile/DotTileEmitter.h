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

/// Tiles of dot products. Inputs run along the lanes. Each element of the tile
/// has an accumulator of its own, whose lanes are summed at the end.
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
  /// Adds the products of one vector of inputs, in the lanes of `mask`, to
  /// `sums`.
  Accumulators emitStep(const TapRange &range, Offsets offsets,
                        mlir::Value mask, const Accumulators &sums);
  /// Loads one vector of inputs and returns the vectors to multiply: one vector
  /// of f32, or the result of splitPairs.
  llvm::SmallVector<mlir::Value, 2> loadInputs(mlir::Value base,
                                               mlir::Value offset,
                                               int64_t distance,
                                               mlir::Value mask);
  /// Sums the lanes of each accumulator of a row. Returns the sums as one
  /// vector.
  mlir::Value emitRowSums(llvm::ArrayRef<mlir::Value> row);
  Accumulators emitLaneSums(llvm::ArrayRef<mlir::Value> sums);

  /// The type of an accumulator.
  mlir::VectorType sumType;
  /// Pointers to the weights of each output of the tile.
  llvm::SmallVector<mlir::Value> columns;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_DOTTILEEMITTER_H
