//===- ContractionEpilogue.h - What follows the sums of a tile -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONEPILOGUE_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONEPILOGUE_H

#include "Contraction/Tile/ContractionTile.h"
#include "KernelScratch.h"
#include "Loop/LaneEmitter.h"

#include "tandem/Target/CPU/ContractionStrategy.h"

namespace tandem {

/// What becomes of the elements of a contraction's result before they are
/// stored: the body of a linalg.generic, or nothing.
class ContractionEpilogue {
public:
  /// `hero` is the contraction; `op` may be null. `isReturned`: what `op`
  /// computes is what the kernel returns.
  ContractionEpilogue(const Contraction &contraction, mlir::Operation *hero,
                      mlir::linalg::GenericOp op, bool isReturned)
      : contraction(contraction), hero(hero), op(op), isReturned(isReturned) {}

  /// Checks that what is read, but for the hero's result, and what is written
  /// is in memory (has a pointer), element by element of the hero's result.
  mlir::LogicalResult
  verify(const llvm::DenseMap<mlir::Value, mlir::Value> &pointers);

  /// Whether it steps through what it reads as through the result, or not at
  /// all, so that dims of the result may be stepped through as through one.
  bool canFlatten();

  /// Where it has functions, whose code is long, tiles of `strategy` go through
  /// it in a loop, by way of memory of `scratch`.
  void prepareLoop(KernelScratch &scratch, const ContractionStrategy &strategy);

  /// Applies it to the sums of a tile, row by row, and stores what is returned.
  void emit(mlir::OpBuilder &builder, mlir::Location loc,
            const ContractionStrategy &strategy, const ContractionTile &tile,
            llvm::ArrayRef<mlir::Value> sums,
            llvm::function_ref<Buffer(mlir::Value)> getBuffer);

private:
  /// A vector of a tile: its row, and its first lane within that.
  struct Place {
    mlir::Value row, lane;
  };

  llvm::SmallVector<mlir::Value> getIndices(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            const ContractionStrategy &strategy,
                                            const ContractionTile &tile,
                                            Place place) const;
  /// The hero's result as it is indexed: without dims of size 1. Its pointer is
  /// null where it is not stored.
  Buffer getHeroBuffer(llvm::function_ref<Buffer(mlir::Value)> getBuffer) const;
  /// What the tile below will write; see ContractionStrategy::prefetchBytes.
  void prefetchNextRow(mlir::OpBuilder &builder, mlir::Location loc,
                       const ContractionStrategy &strategy,
                       const ContractionTile &tile,
                       llvm::function_ref<Buffer(mlir::Value)> getBuffer) const;
  void emitVector(mlir::OpBuilder &builder, mlir::Location loc,
                  const ContractionStrategy &strategy,
                  const ContractionTile &tile, Place place, mlir::Value sum,
                  mlir::Value mask,
                  llvm::function_ref<Buffer(mlir::Value)> getBuffer);
  void emitLoop(mlir::OpBuilder &builder, mlir::Location loc,
                const ContractionStrategy &strategy,
                const ContractionTile &tile, llvm::ArrayRef<mlir::Value> sums,
                llvm::function_ref<Buffer(mlir::Value)> getBuffer);

  const Contraction &contraction;
  mlir::Operation *hero;
  mlir::linalg::GenericOp op;
  bool isReturned;
  /// The sums of a tile, where a loop goes through them.
  mlir::Value memory;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONEPILOGUE_H
