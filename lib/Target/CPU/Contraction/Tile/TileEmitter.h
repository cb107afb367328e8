//===- TileEmitter.h - The sums of a register tile ------------ -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_TILEEMITTER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_TILEEMITTER_H

#include "Contraction/Tile/TileMemory.h"
#include "KernelScratch.h"

#include <memory>

namespace tandem {

/// Emits the sums of a tile: accumulators that stay in registers through the
/// loops over taps and inputs, of the format's compute type. A class derived
/// from this is one way to multiply.
class TileEmitter : public TileMemory {
public:
  /// Emits the epilogue of a tile, whose vectors are given row by row.
  using EmitEpilogue = llvm::function_ref<void(
      const ContractionTile &, llvm::ArrayRef<mlir::Value> sums)>;

  using TileMemory::TileMemory;
  virtual ~TileEmitter() = default;

  /// Whether rows from `position` on read nothing but data through all taps.
  bool isInterior(int64_t position, int64_t rows) const;
  /// Lets tiles have guarded rows; to be called before the first of them.
  virtual void prepareGuards(KernelScratch &) {}
  /// Prefetches the data of a later tile; see
  /// ContractionStrategy::prefetchBytes.
  virtual void prefetchAhead(const ContractionTile &) {}

  /// Returns the sums of a tile: its vectors, row by row, or what finish()
  /// makes vectors of.
  llvm::SmallVector<mlir::Value> emit(const ContractionTile &which) {
    tile = &which;
    return emitTile();
  }
  /// Emits the epilogue of a tile whose sums emit() has returned, of the whole
  /// tile or of one part of it after the other.
  virtual void finish(const ContractionTile &which,
                      llvm::ArrayRef<mlir::Value> sums,
                      EmitEpilogue emitEpilogue) {
    emitEpilogue(which, sums);
  }

protected:
  using Accumulators = llvm::SmallVector<mlir::Value>;
  /// A loop over taps or inputs; of all `count` but where bounds are given.
  /// Steps are in elements.
  struct Level {
    int64_t count, dataStep, weightsStep;
    mlir::Value lower, upper;
  };
  using Levels = llvm::SmallVector<Level>;
  using EmitStep = llvm::function_ref<Accumulators(mlir::Value number, Offsets,
                                                   const Accumulators &)>;
  /// Taps of the innermost spatial dim that the same rows take part in.
  struct TapRange {
    int64_t firstTap, lastTap, firstRow, lastRow;
  };
  using EmitRange = llvm::function_ref<Accumulators(
      const TapRange &, Levels outer, Offsets, const Accumulators &)>;

  virtual Accumulators emitTile() = 0;

  /// The taps of the dims around the innermost one.
  Levels getOuterTaps() const;
  Level getTaps(const TapRange &range) const;
  /// All inputs, of which `together` lie side by side in the weights.
  Level getInputs(int64_t together = 1) const;
  /// Appends `taps` to `levels`, or makes them part of the loop over `inputs`
  /// around which they are: both are often one run in memory.
  static void appendTaps(Levels &levels, Level taps, Level &inputs);
  TapRange getAllTaps() const;

  /// `sums` and the products of all taps.
  Accumulators emitRanges(Accumulators sums, EmitRange emitRange);
  Accumulators emitLevels(llvm::ArrayRef<Level> levels, Offsets offsets,
                          const Accumulators &sums, EmitStep emitStep);
  /// One loop over the steps of all levels, several of which are emitted one
  /// after the other where `isInnermost`.
  Accumulators emitLoop(llvm::ArrayRef<Level> levels, Offsets offsets,
                        const Accumulators &sums, EmitStep emitStep,
                        bool isInnermost = false);

  /// A single loop of up to so many steps is unrolled.
  int64_t mostUnrolled = 4;
  /// The tile that is being emitted.
  const ContractionTile *tile = nullptr;

private:
  /// Whether the data of tap `tap` of the tile's row `row` is no padding.
  bool isData(int64_t row, int64_t tap) const;
  Level getOuterTaps(unsigned dim) const;
  llvm::SmallVector<TapRange> getTapRanges() const;
  int64_t getStepsTogether(llvm::ArrayRef<Level> levels) const;
  /// Whether bytes are widened before they are multiplied (ByteProducts).
  bool areWords() const {
    return format.isBytes() && format.compute.isInteger() &&
           byteProducts != ByteProducts::Quads;
  }
  Accumulators addParts(llvm::ArrayRef<mlir::Value> partial, size_t count);
  Offsets getOffsets(llvm::ArrayRef<Level> levels, Offsets offsets,
                     mlir::Value number) const;
  Accumulators emitSequence(llvm::ArrayRef<Level> levels, Offsets offsets,
                            mlir::Value from, mlir::Value to, int64_t together,
                            const Accumulators &sums, EmitStep emitStep);
};

/// The emitter of the strategy, which is no gaxpy. It may allocate memory of
/// `scratch`.
std::unique_ptr<TileEmitter> createTileEmitter(mlir::OpBuilder &builder,
                                               mlir::Location loc,
                                               const TileProblem &problem,
                                               KernelScratch &scratch);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_TILEEMITTER_H
