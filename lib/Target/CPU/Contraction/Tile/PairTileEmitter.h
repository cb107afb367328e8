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
/// side by side. A group is a pair of bf16 or a quad of integers of 8 bits, and
/// takes 32 bits. Vectors of groups of weights are multiplied with broadcast
/// groups of data. Quads may have been copied and widened (getCopyType).
class PairTileEmitter : public TileEmitter {
public:
  using TileEmitter::TileEmitter;

protected:
  Accumulators emitTile() override;

private:
  Accumulators emitGroups(llvm::ArrayRef<Level> levels, const TapRange &range,
                          Offsets offsets, const Accumulators &sums);
  /// Emits, for each tap, the inputs that fill groups, and then the remaining
  /// inputs.
  Accumulators emitWithRest(llvm::ArrayRef<Level> taps, const TapRange &range,
                            Offsets offsets, const Accumulators &sums);
  /// The halves of widened quads to load: 0 for the even bytes, 1 for the odd
  /// bytes, or both.
  using Halves = llvm::ArrayRef<int64_t>;

  /// Adds the products of one group, of which `count` inputs exist.
  Accumulators emitProducts(const TapRange &range, Offsets offsets,
                            int64_t count, const Accumulators &sums);
  /// Like emitProducts above, but takes only `halves` of operands that are
  /// widened.
  Accumulators emitProducts(const TapRange &range, Offsets offsets,
                            int64_t count, Halves halves,
                            const Accumulators &sums);
  llvm::SmallVector<mlir::Value, 4> loadWeights(int64_t v, mlir::Value offset,
                                                int64_t count, Halves halves);
  llvm::SmallVector<mlir::Value, 4> loadData(int64_t row, mlir::Value offset,
                                             int64_t count, Halves halves);
  /// Loads a group of data as one integer. It has `count` inputs and zeros in
  /// place of the others.
  mlir::Value loadGroup(mlir::Value offset, int64_t distance, int64_t count);
  /// Reinterprets `groups`, a vector of i32, as pairs of i16.
  mlir::Value toWords(mlir::Value groups);
  /// Returns the vectors to multiply for `groups`, a vector of i32, by
  /// splitQuads or splitPairs.
  llvm::SmallVector<mlir::Value, 4> split(mlir::Value groups, bool isSigned);
  /// Whether an operand of `type` has been copied and widened.
  bool isWide(mlir::Type type) const {
    return format.isBytes() && type.isInteger(16);
  }
  /// The number of inputs in a group.
  int64_t together() const { return contraction.inputsTogether; }
  /// The type of a vector of groups.
  mlir::VectorType getGroupType() const;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_PAIRTILEEMITTER_H
