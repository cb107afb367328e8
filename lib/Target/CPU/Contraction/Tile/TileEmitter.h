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
/// loops over taps and inputs, of the format's compute type. Each derived class
/// is one way to multiply.
class TileEmitter : public TileMemory {
public:
  /// Emits the epilogue of a tile, whose vectors are given row by row.
  using EmitEpilogue = llvm::function_ref<void(
      const ContractionTile &, llvm::ArrayRef<mlir::Value> sums)>;

  using TileMemory::TileMemory;
  virtual ~TileEmitter() = default;

  /// Whether none of the `rows` rows from `position` on reads padding through
  /// any tap.
  bool isInterior(int64_t position, int64_t rows) const;
  /// Allows tiles to have guarded rows (ContractionTile::guardedRows). Must be
  /// called before the first such tile is emitted.
  virtual void prepareGuards(KernelScratch &) {}
  /// Prefetches the data of a later tile; see
  /// ContractionStrategy::prefetchBytes.
  virtual void prefetchAhead(const ContractionTile &) {}

  /// Returns the sums of a tile: its vectors, row by row, or, if the derived
  /// class overrides finish(), other values that finish() converts to vectors.
  llvm::SmallVector<mlir::Value> emit(const ContractionTile &which) {
    tile = &which;
    return emitTile();
  }
  /// Emits the epilogue of a tile whose sums emit() has returned, either for
  /// the whole tile or for one part of the tile after the other.
  virtual void finish(const ContractionTile &which,
                      llvm::ArrayRef<mlir::Value> sums,
                      EmitEpilogue emitEpilogue) {
    emitEpilogue(which, sums);
  }

protected:
  using Accumulators = llvm::SmallVector<mlir::Value>;
  /// A loop over taps or inputs. It runs from `lower` to `upper`, or from 0 to
  /// `count` if these are null. Steps are in elements.
  struct Level {
    int64_t count, dataStep, weightsStep;
    mlir::Value lower, upper;
  };
  using Levels = llvm::SmallVector<Level>;
  using EmitStep = llvm::function_ref<Accumulators(mlir::Value number, Offsets,
                                                   const Accumulators &)>;
  /// A range of taps of the innermost spatial dim, and the range of rows that
  /// read data, not padding, through these taps.
  struct TapRange {
    int64_t firstTap, lastTap, firstRow, lastRow;
  };
  using EmitRange = llvm::function_ref<Accumulators(
      const TapRange &, Levels outer, Offsets, const Accumulators &)>;

  virtual Accumulators emitTile() = 0;

  /// Returns the loops over the taps of all spatial dims but the innermost one.
  Levels getOuterTaps() const;
  Level getTaps(const TapRange &range) const;
  /// Returns the loop over all inputs. Each step takes `together` inputs that
  /// are side by side in the weights.
  Level getInputs(int64_t together = 1) const;
  /// Adds `taps`, a loop around the loop over `inputs`. If the inputs of
  /// successive taps follow one another in data and weights, as they often do,
  /// merges `taps` into `inputs`; otherwise appends `taps` to `levels`.
  static void appendTaps(Levels &levels, Level taps, Level &inputs);
  TapRange getAllTaps() const;

  /// Returns `sums` plus the products of all taps.
  Accumulators emitRanges(Accumulators sums, EmitRange emitRange);
  Accumulators emitLevels(llvm::ArrayRef<Level> levels, Offsets offsets,
                          const Accumulators &sums, EmitStep emitStep);
  /// Emits one loop over the steps of all levels. If `isInnermost` is set, an
  /// iteration may have several steps.
  Accumulators emitLoop(llvm::ArrayRef<Level> levels, Offsets offsets,
                        const Accumulators &sums, EmitStep emitStep,
                        bool isInnermost = false);

  /// The largest number of steps of a single loop that is unrolled completely.
  /// If 0, no iteration has more than one step.
  int64_t mostUnrolled = 4;
  /// The tile that is being emitted.
  const ContractionTile *tile = nullptr;

private:
  /// Whether row `row` of the tile reads data, not padding, through tap `tap`.
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

/// Creates the emitter for the strategy, which must not be a gaxpy. The emitter
/// may allocate memory from `scratch`.
std::unique_ptr<TileEmitter> createTileEmitter(mlir::OpBuilder &builder,
                                               mlir::Location loc,
                                               const TileProblem &problem,
                                               KernelScratch &scratch);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_TILEEMITTER_H
