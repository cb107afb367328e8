//===- ContractionEpilogue.h - The epilogue of a contraction ----*- C++ -*-===//
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

#include <functional>

namespace tandem {

/// The epilogue of a contraction: the elementwise computation on its result
/// before it is stored. It is given by the body of a linalg.generic; without
/// one, results are stored as they are.
class ContractionEpilogue {
public:
  /// Has the meaning of KernelFrame::streamResult.
  using StreamQuery = std::function<bool(mlir::RankedTensorType type,
                                         int64_t lanes, int64_t rowSize)>;

  /// `hero` is the contraction, `op` the linalg.generic, which may be null.
  /// `isReturned` says that the kernel returns the result of `op`.
  ContractionEpilogue(const Contraction &contraction, mlir::Operation *hero,
                      mlir::linalg::GenericOp op, bool isReturned,
                      StreamQuery streamResult)
      : contraction(contraction), hero(hero), op(op), isReturned(isReturned),
        streamResult(std::move(streamResult)) {}

  /// Declares that the sums of all tiles come from instructions that multiply
  /// pairs of bf16. Such sums are never subnormal, so they may be rounded by an
  /// instruction that treats subnormal numbers as zeros.
  void setSumsOfPairs() { areSumsOfPairs = true; }

  /// Checks that all values that are read, except the hero's result, and all
  /// that are written are in memory (have a pointer), and that they are
  /// accessed element by element of the hero's result.
  mlir::LogicalResult
  verify(const llvm::DenseMap<mlir::Value, mlir::Value> &pointers);

  /// Whether dims of the result may be merged: the epilogue steps through each
  /// operand as it steps through the result, or not at all.
  bool canFlatten();

  /// If the epilogue calls math functions, whose code is long, prepares to
  /// apply it to the vectors of a tile in a loop. The tile is then stored in
  /// memory of `scratch`, which this allocates.
  void prepareLoop(KernelScratch &scratch, const ContractionStrategy &strategy);

  /// Applies the epilogue to the sums of a tile, row by row, and stores the
  /// results.
  void emit(mlir::OpBuilder &builder, mlir::Location loc,
            const ContractionStrategy &strategy, const ContractionTile &tile,
            llvm::ArrayRef<mlir::Value> sums,
            llvm::function_ref<Buffer(mlir::Value)> getBuffer);

private:
  /// The place of a vector in a tile: its row, and its first lane in that row.
  struct Place {
    mlir::Value row, lane;
  };

  llvm::SmallVector<mlir::Value> getIndices(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            const ContractionStrategy &strategy,
                                            const ContractionTile &tile,
                                            Place place) const;
  /// The hero's result in the form in which it is indexed: without dims of size
  /// 1. The pointer is null where it is not stored.
  Buffer getHeroBuffer(llvm::function_ref<Buffer(mlir::Value)> getBuffer) const;
  /// Prefetches what the tile in the next row will write
  /// (ContractionStrategy::prefetchBytes).
  void prefetchNextRow(mlir::OpBuilder &builder, mlir::Location loc,
                       const ContractionStrategy &strategy,
                       const ContractionTile &tile,
                       llvm::function_ref<Buffer(mlir::Value)> getBuffer) const;
  /// Whether vectors of the result are written with non-temporal stores.
  bool isStreamed(const ContractionStrategy &strategy, mlir::Type type) const;
  /// A vector of sums in the element type of the result, if that is narrower.
  mlir::Value roundSum(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value sum) const;
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
  bool isReturned, areSumsOfPairs = false;
  StreamQuery streamResult;
  /// The memory that holds the sums of a tile while a loop processes them.
  mlir::Value memory;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONEPILOGUE_H
