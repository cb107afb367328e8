//===- ContractionTile.h - One register tile of a contraction --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CONTRACTIONTILE_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CONTRACTIONTILE_H

#include "IndexBuilder.h"
#include "KernelScratch.h"

#include "tandem/Target/CPU/ContractionStrategy.h"

#include "mlir/IR/Builders.h"

namespace tandem {

/// Which elements of the result a tile is. Indices are of type index; `group`
/// is the first group where groups run along the lanes.
struct ContractionTile {
  llvm::SmallVector<mlir::Value, 2> batch;
  /// Of the spatial dims but the innermost.
  llvm::SmallVector<mlir::Value, 2> outer;
  /// Of the innermost spatial dim; known where some rows may be padding, or
  /// lanes along positions.
  mlir::Value position;
  std::optional<int64_t> knownPosition;
  /// Where it is not: rows that may be padding.
  llvm::SmallVector<int64_t> guardedRows;
  mlir::Value group, output;
  int64_t rows = 1, vectors = 1;
  /// Which lanes of the last vector exist; null for all.
  mlir::Value mask;
};

/// What loads and stores of elements are of: integers stand for those that are
/// widened, for not all targets move halves.
mlir::Type getStoredType(const ElementFormat &format);

/// Prefetches the line that is `bytes` behind `pointer` for a time when the
/// first-level cache will have moved on. It may be anywhere.
void prefetch(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
              int64_t bytes, bool isWritten);

/// Emits the sums of a tile: accumulators that stay in registers through the
/// loops over taps and inputs, of the format's compute type.
class ContractionTileEmitter : IndexBuilder {
public:
  /// `data`, `weights` and `bias` (may be null) are pointers. `hasBF16`: see
  /// ContractionMachine.
  ContractionTileEmitter(mlir::OpBuilder &builder, mlir::Location loc,
                         const Contraction &contraction,
                         const ContractionStrategy &strategy, mlir::Value data,
                         mlir::Value weights, mlir::Value bias, bool hasBF16);

  /// Lets tiles from now on find the data elsewhere, in a near cache; `isWide`:
  /// in the compute type.
  void setData(mlir::Value pointer, bool isWide) {
    data = pointer;
    isDataWide = isWide;
    prefetchBytes = 0;
  }

  /// Prefetches the data of the tile below; see
  /// ContractionStrategy::prefetchBytes.
  void prefetchNextRow(const ContractionTile &tile);

  /// The tile's vectors, row by row.
  llvm::SmallVector<mlir::Value> emit(const ContractionTile &tile);

  /// The bias of a tile, or zeros; of one vector of outputs, as below.
  llvm::SmallVector<mlir::Value> emitInitial(const ContractionTile &tile);
  /// The data of `count` inputs from `first` on, for each of them that of all
  /// rows.
  llvm::SmallVector<mlir::Value> loadInputs(const ContractionTile &tile,
                                            mlir::Value first, int64_t count);
  /// `sums` and the products of `inputs`, which are those from `first` on.
  llvm::SmallVector<mlir::Value> addInputs(const ContractionTile &tile,
                                           mlir::Value first,
                                           llvm::ArrayRef<mlir::Value> inputs,
                                           llvm::ArrayRef<mlir::Value> sums);

  /// Whether rows from `position` on read nothing but data through all taps.
  bool isInterior(int64_t position, int64_t rows) const;

  /// Lets tiles have guarded rows; to be called before the first of them.
  void prepareGuards(KernelScratch &scratch);

private:
  /// Where operands are read, in elements from their beginnings.
  struct Offsets {
    mlir::Value data, weights;
  };
  /// Taps of the innermost spatial dim that the same rows take part in.
  struct TapRange {
    int64_t firstTap, lastTap, firstRow, lastRow;
  };
  using Accumulators = llvm::SmallVector<mlir::Value>;

  Offsets getFirstOffsets() const;
  Accumulators createInitial();
  /// Of the loops over taps and inputs; all of `count` steps but where bounds
  /// are given. Steps are in elements.
  struct Level {
    int64_t count, dataStep, weightsStep;
    mlir::Value lower, upper;
  };
  using EmitStep = llvm::function_ref<Accumulators(mlir::Value number, Offsets,
                                                   const Accumulators &)>;

  /// All products of the tile.
  Accumulators emitSums(Accumulators sums);
  Level getOuterTaps(unsigned dim) const;
  llvm::SmallVector<TapRange> getTapRanges() const;
  Accumulators emitTaps(const TapRange &range, llvm::ArrayRef<Level> outer,
                        Offsets offsets, const Accumulators &sums);
  Accumulators emitLevels(llvm::ArrayRef<Level> levels, Offsets offsets,
                          const Accumulators &sums, EmitStep emitStep);
  Accumulators emitLoop(llvm::ArrayRef<Level> levels, Offsets offsets,
                        const Accumulators &sums, EmitStep emitStep);
  Offsets getOffsets(llvm::ArrayRef<Level> levels, Offsets offsets,
                     mlir::Value number) const;
  /// Positions along the lanes: what a tap reads that is data, by vector that
  /// is loaded.
  void computeLaneMasks(mlir::Value tap);
  /// Where those vectors begin for vector `v` of the tile.
  llvm::SmallVector<int64_t> getPartOffsets(int64_t v) const;
  bool isPartInside(int64_t offset) const;
  mlir::Value loadPositions(int64_t v, mlir::Value offset);
  mlir::Value getInnerTap(mlir::Value number);
  Accumulators emitProducts(const TapRange &range, mlir::Value number,
                            Offsets offsets, const Accumulators &sums);
  /// Groups along the lanes, and few taps: see ContractionSliding.cpp.
  bool isData(int64_t at) const;
  Accumulators emitSlidingTaps(Offsets offsets, const Accumulators &sums);
  void emitSlidingVector(int64_t v, Offsets offsets, Accumulators &sums);
  /// Outputs along the lanes, inputs in pairs: see ContractionPairs.cpp.
  Accumulators emitOddInputs(llvm::ArrayRef<Level> taps, const TapRange &range,
                             Offsets offsets, const Accumulators &sums);
  Accumulators emitPairProducts(const TapRange &range, Offsets offsets,
                                bool isHalf, const Accumulators &sums);
  mlir::Value loadPairSplat(mlir::Value base, mlir::Value offset,
                            int64_t distance, bool isHalf);
  /// The vectors whose products are summed for pairs: one that has them, or the
  /// first and the second of each pair in f32.
  llvm::SmallVector<mlir::Value, 2> splitPairs(mlir::Value pairs);
  mlir::Value emitPairSum(llvm::ArrayRef<mlir::Value> a,
                          llvm::ArrayRef<mlir::Value> b, mlir::Value sum);
  /// Inputs along the lanes: one accumulator for each element of the tile.
  void computeColumns();
  Accumulators emitDots(int64_t count, const TapRange &range, Offsets offsets,
                        const Accumulators &sums);
  llvm::SmallVector<mlir::Value, 2> loadDot(mlir::Value base,
                                            mlir::Value offset,
                                            int64_t distance, mlir::Value mask);
  Accumulators emitDotStep(const TapRange &range, Offsets offsets,
                           mlir::Value mask, const Accumulators &sums);
  /// The sums of the lanes of a row's accumulators, as one vector.
  mlir::Value emitRowSums(llvm::ArrayRef<mlir::Value> row);
  Accumulators emitLaneSums(llvm::ArrayRef<mlir::Value> sums);

  const Contraction::SpatialDim &getInner() const {
    return contraction.spatial.back();
  }
  bool arePositionsMasked() const;
  bool areDots() const { return lanes == ContractionLanes::Reduction; }
  mlir::Value loadVector(mlir::VectorType type, mlir::Value pointer,
                         mlir::Value mask);
  mlir::Value loadVector(mlir::Value base, mlir::Value offset, int64_t distance,
                         mlir::Value mask);
  /// Of numbers that memory holds as `type`.
  mlir::Value loadBits(mlir::VectorType type, mlir::Value pointer,
                       mlir::Value mask);
  /// `halves`, a vector of the format's stored type, in its compute type.
  mlir::Value widenHalves(mlir::Value halves);
  /// bf16: the upper halves of `bits`, vectors of i32, as f32.
  mlir::Value widen(mlir::Value bits, bool isUpper);
  mlir::Value splat(mlir::VectorType type, mlir::Value scalar);
  /// The data of a row, or zero where that is padding for `tap`.
  mlir::Value loadGuarded(int64_t row, mlir::Value tap, Offsets offsets);
  mlir::Value loadSplat(mlir::Value base, mlir::Value offset, int64_t distance);
  /// What memory holds behind `base`, one of the operands.
  mlir::Type getTypeAt(mlir::Value base) const {
    return isDataWide && base == data ? format.compute : elementType;
  }
  mlir::Value getPointer(mlir::Value base, mlir::Value offset,
                         int64_t distance);
  /// a + b * factor.
  mlir::Value addScaled(mlir::Value a, mlir::Value b, int64_t factor) const;

  const Contraction &contraction;
  ContractionLanes lanes;
  int64_t width;
  /// See ContractionStrategy.
  int64_t prefetchBytes;
  bool hasBF16;
  ElementFormat format;
  /// What loads and stores are of: see getStoredType.
  mlir::Type elementType;
  /// Of the result, and of what is summed.
  mlir::VectorType vectorType, sumType;
  mlir::Value data, weights, bias;
  bool isDataWide = false;
  /// Memory that holds zero, for data that is padding.
  mlir::Value zero;
  // Of the tile that is being emitted.
  const ContractionTile *tile = nullptr;
  llvm::SmallVector<mlir::Value> laneMasks;
  /// The weights of each output of a tile of dot products.
  llvm::SmallVector<mlir::Value> columns;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_TILE_CONTRACTIONTILE_H
