//===- GaxpyEmitter.h - Rows of weights added to sums -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_GAXPYEMITTER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_GAXPYEMITTER_H

#include "Contraction/Tile/TileMemory.h"
#include "KernelScratch.h"

namespace tandem {

/// Emits a contraction whose strategy is a gaxpy. A pass reads several rows of
/// the weights side by side, multiplies each row by its input, and adds the
/// products to sums in memory, one vector of outputs after the other. The sums
/// stay in the first-level cache.
class GaxpyEmitter : public TileMemory {
public:
  /// Called with the sums of one vector of outputs, one for each row.
  using EmitEpilogue = llvm::function_ref<void(
      const ContractionTile &, llvm::ArrayRef<mlir::Value> sums)>;

  GaxpyEmitter(mlir::OpBuilder &builder, mlir::Location loc,
               const TileProblem &problem, KernelScratch &scratch,
               EmitEpilogue emitEpilogue);

  /// Emits the vectors of outputs from `begin` to before `end`.
  void emit(mlir::Value begin, mlir::Value end);

private:
  /// `mask` says which lanes exist, and is null if all lanes do.
  using EmitVector =
      llvm::function_ref<void(mlir::Value vector, mlir::Value mask)>;

  void emitPart();
  void emitPass(mlir::Value input, int64_t count, bool isFirst);
  /// Loads the data of `count` inputs from `first` on. The result is in the
  /// order [inputs][rows].
  llvm::SmallVector<mlir::Value> loadInputs(const ContractionTile &tile,
                                            mlir::Value first, int64_t count);
  /// Adds the products of `inputs` and their weights to `sums`. `first` is the
  /// number of the first input.
  void addInputs(const ContractionTile &tile, mlir::Value first,
                 llvm::ArrayRef<mlir::Value> inputs,
                 llvm::MutableArrayRef<mlir::Value> sums);
  void forEachVector(EmitVector emitVector);
  ContractionTile getTile(mlir::Value vector, mlir::Value mask);
  llvm::SmallVector<mlir::Value> loadSums(mlir::Value vector);
  mlir::Value getSum(mlir::Value vector, int64_t row);

  EmitEpilogue emitEpilogue;
  /// The number of vectors of outputs in a part, for whose sums `memory` has
  /// room.
  int64_t vectorsOfPart;
  mlir::Value memory;
  /// The first vector of the part that is being emitted, and the end of its
  /// vectors.
  mlir::Value first, last;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_GAXPYEMITTER_H
