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

/// Emits a contraction whose strategy is a gaxpy. A pass reads some rows of the
/// weights side by side, each times its input, and adds them to sums in memory,
/// which the first-level cache holds: one vector of outputs after the other.
class GaxpyEmitter : public TileMemory {
public:
  /// Is called with the sums of one vector of outputs, of each row.
  using EmitEpilogue = llvm::function_ref<void(
      const ContractionTile &, llvm::ArrayRef<mlir::Value> sums)>;

  GaxpyEmitter(mlir::OpBuilder &builder, mlir::Location loc,
               const TileProblem &problem, KernelScratch &scratch,
               EmitEpilogue emitEpilogue);

  /// Vectors of outputs from `begin` up to `end`.
  void emit(mlir::Value begin, mlir::Value end);

private:
  /// `mask`: which lanes exist; null for all.
  using EmitVector =
      llvm::function_ref<void(mlir::Value vector, mlir::Value mask)>;

  void emitPart();
  void emitPass(mlir::Value input, int64_t count, bool isFirst);
  /// The data of `count` inputs from `first` on, for each of them that of all
  /// rows.
  llvm::SmallVector<mlir::Value> loadInputs(const ContractionTile &tile,
                                            mlir::Value first, int64_t count);
  /// Adds to `sums` the products of `inputs`, which are those from `first` on.
  void addInputs(const ContractionTile &tile, mlir::Value first,
                 llvm::ArrayRef<mlir::Value> inputs,
                 llvm::MutableArrayRef<mlir::Value> sums);
  void forEachVector(EmitVector emitVector);
  ContractionTile getTile(mlir::Value vector, mlir::Value mask);
  llvm::SmallVector<mlir::Value> loadSums(mlir::Value vector);
  mlir::Value getSum(mlir::Value vector, int64_t row);

  EmitEpilogue emitEpilogue;
  /// Vectors whose sums the memory has room for.
  int64_t vectorsOfPart;
  mlir::Value memory;
  /// The first vector of the part that is being emitted, and the end of its
  /// vectors.
  mlir::Value first, last;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_GAXPYEMITTER_H
