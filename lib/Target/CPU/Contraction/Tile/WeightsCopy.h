//===- WeightsCopy.h - Copies a tile's weights in order ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_WEIGHTSCOPY_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_WEIGHTSCOPY_H

#include "Contraction/Tile/TileMemory.h"
#include "KernelScratch.h"

namespace tandem {

/// Copies the weights of a tile of outputs to a task's workspace.
/// withCopiedWeights (Cost/CopiedWeights.h) describes the contraction that
/// reads the copy.
class WeightsCopy : TileMemory {
public:
  /// Allocates the workspace. `problem` describes the contraction that reads
  /// the original weights.
  WeightsCopy(mlir::OpBuilder &builder, mlir::Location loc,
              const TileProblem &problem, KernelScratch &scratch);

  /// Returns the address of the copy, whose elements are of getCopyType().
  mlir::Value getPointer() const { return memory; }

  /// Emits the copy for all positions of `tile`. Lanes beyond the last output
  /// become zero.
  void emit(const ContractionTile &tile);

private:
  void emitTaps(unsigned dim, mlir::Value offset, mlir::Value number,
                const ContractionTile &tile);
  void emitInputs(mlir::Value offset, mlir::Value number,
                  const ContractionTile &tile);
  /// Copies vector `v` of the weights at `from` to `to`: one input of each
  /// output, or a quad as two vectors.
  void emitVector(mlir::Value from, mlir::Value to, int64_t v,
                  const ContractionTile &tile);
  void store(mlir::Value vector, mlir::Value to);

  /// The number of inputs in a group, and the number of groups of each tap.
  int64_t together() const { return contraction.inputsTogether; }

  int64_t groups;
  mlir::Type copyType;
  mlir::Value memory;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_WEIGHTSCOPY_H
