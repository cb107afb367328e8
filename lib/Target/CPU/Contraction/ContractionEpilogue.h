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
  /// A function with the signature and meaning of KernelFrame::streamResult.
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

  /// Checks that the epilogue is an elementwise function of the hero's result,
  /// and that all its other operands are in memory (have a pointer). If the
  /// kernel returns the results of the epilogue, these must be in memory, too.
  mlir::LogicalResult
  verify(const llvm::DenseMap<mlir::Value, mlir::Value> &pointers);

  /// Whether dims of positions of the result may be merged. They may be merged
  /// if the epilogue does not use `linalg.index` and reads each operand either
  /// at the index of the result or independently of the position.
  bool canFlatten();

  /// A rough estimate of the time that the epilogue takes on one core, in
  /// nanoseconds.
  double estimateNs();

  /// If the epilogue calls math functions, whose code is long, prepares to
  /// apply it to the vectors of a tile in a loop. The sums of the tile are then
  /// stored in memory that this function allocates from `scratch`.
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
  /// Returns the buffer of the hero's result. Its type has no dims of size 1,
  /// because getIndices() returns no indices for them. The pointer is null if
  /// the result is not stored.
  Buffer getHeroBuffer(llvm::function_ref<Buffer(mlir::Value)> getBuffer) const;
  /// Prefetches the elements that the tile at the same position of the next row
  /// will write (ContractionStrategy::prefetchBytes).
  void prefetchNextRow(mlir::OpBuilder &builder, mlir::Location loc,
                       const ContractionStrategy &strategy,
                       const ContractionTile &tile,
                       llvm::function_ref<Buffer(mlir::Value)> getBuffer) const;
  /// Whether vectors of the result are written with non-temporal stores.
  bool isStreamed(const ContractionStrategy &strategy, mlir::Type type) const;
  /// Converts a vector of sums to the element type of the result.
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
