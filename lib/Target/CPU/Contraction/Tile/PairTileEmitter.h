//===- PairTileEmitter.h - Tiles of pairs or quads of inputs -- -*- C++ -*-===//
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

/// Tiles of positions x vectors of outputs whose weights have groups of inputs
/// side by side: pairs of bf16, or quads of integers of 8 bits. Either are 32
/// bits. Vectors of groups of weights are multiplied with broadcast groups of
/// data.
class PairTileEmitter : public TileEmitter {
public:
  using TileEmitter::TileEmitter;

protected:
  Accumulators emitTile() override;

private:
  Accumulators emitGroups(llvm::ArrayRef<Level> levels, const TapRange &range,
                          Offsets offsets, const Accumulators &sums);
  /// The inputs of each tap that fill groups, and those that are left.
  Accumulators emitWithRest(llvm::ArrayRef<Level> taps, const TapRange &range,
                            Offsets offsets, const Accumulators &sums);
  /// Adds the products of one group, of which `count` inputs exist.
  Accumulators emitProducts(const TapRange &range, Offsets offsets,
                            int64_t count, const Accumulators &sums);
  llvm::SmallVector<mlir::Value, 4> loadWeights(int64_t v, mlir::Value offset,
                                                int64_t count);
  llvm::SmallVector<mlir::Value, 4> loadData(int64_t row, mlir::Value offset,
                                             int64_t count);
  /// A group of `count` inputs as one number, with zeros for the others.
  mlir::Value loadGroup(mlir::Value offset, int64_t distance, int64_t count);
  /// What is multiplied of `groups`, a vector of i32.
  llvm::SmallVector<mlir::Value, 4> split(mlir::Value groups, bool isSigned);
  /// The inputs of a group.
  int64_t together() const { return contraction.inputsTogether; }
  /// The type of a vector of groups.
  mlir::VectorType getGroupType() const;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_PAIRTILEEMITTER_H
