//===- WinogradEmitter.h - Emitting Winograd's method -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_WINOGRAD_WINOGRADEMITTER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_WINOGRAD_WINOGRADEMITTER_H

#include "Contraction/FusedPooling.h"
#include "Contraction/Tile/ChannelTileEmitter.h"
#include "IndexBuilder.h"

#include "tandem/Target/CPU/Winograd.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tandem {

/// Emits a convolution by Winograd's method: the transforms of data and results
/// as loops over the positions of a tile, and between them matrix products with
/// the same register tiles as other contractions. Tiles with data for which the
/// method is not accurate are computed directly (WinogradGuard.cpp).
class WinogradEmitter : IndexBuilder {
public:
  /// Applies the epilogue to a tile of a single vector, and stores it.
  using EmitEpilogue =
      llvm::function_ref<void(const ContractionTile &tile, mlir::Value vector)>;

  /// Emits the computation of a vector of the data at `position`, from input
  /// channel `input` on, in the lanes of `mask` (null for all lanes).
  using EmitData = llvm::function_ref<mlir::Value(
      mlir::Value position, mlir::Value input, mlir::Value mask)>;

  /// `conv` describes the convolution with transformed weights, `plain`
  /// with plain weights. `data`, `weights`, `plainWeights` and `bias` (which
  /// may be null) are pointers. If `emitData` is not null, it computes the
  /// data, and `data` is null; each element is then computed 2.25 times,
  /// because tiles overlap. `pooling`, if not null, holds parts of shape
  /// getPartShape for the windows over a tile, whose operands and results
  /// `getBuffer` finds.
  WinogradEmitter(mlir::OpBuilder &builder, mlir::Location loc,
                  const TransformedConv &conv, const Contraction &plain,
                  const WinogradPlan &plan, KernelScratch &scratch,
                  mlir::Value data, mlir::Value weights,
                  mlir::Value plainWeights, mlir::Value bias,
                  EmitEpilogue emitEpilogue, EmitData emitData,
                  FusedPooling *pooling,
                  llvm::function_ref<Buffer(mlir::Value)> getBuffer);

  /// The shape of the part of the result that the pooling keeps: one tile of a
  /// vector of outputs.
  static llvm::SmallVector<int64_t> getPartShape(const Contraction &conv,
                                                 const WinogradPlan &plan);

  /// Emits the code of a task. `task` is a number below WinogradPlan::tasks.
  void emitTask(mlir::Value task);

private:
  using Vectors = llvm::SmallVector<mlir::Value, 6>;

  /// The position of the first result of a tile, or of an element of the data.
  struct Corner {
    mlir::Value batch, row, column;
  };
  Corner getCorner(mlir::Value tile);

  void transformData(mlir::Value tile, mlir::Value slot);
  void transformDataVector(const Corner &corner, mlir::Value slot,
                           mlir::Value vector);
  Vectors loadDataColumn(const Corner &corner, mlir::Value column,
                         mlir::Value channel);
  /// Loads a vector of a tile's data, or zeros if the position is padding.
  mlir::Value loadPosition(const Corner &corner, mlir::Value row,
                           mlir::Value column, mlir::Value channel,
                           mlir::Value mask);
  mlir::Value loadData(const Corner &at, mlir::Value isData,
                       mlir::Value channel, mlir::Value mask);
  mlir::Value computeData(const Corner &at, mlir::Value isData,
                          mlir::Value channel, mlir::Value mask);
  void multiply(mlir::Value block, mlir::Value count);
  void storeProducts(mlir::Value position, mlir::Value firstSlot,
                     llvm::ArrayRef<mlir::Value> sums);
  void transformResults(mlir::Value block, mlir::Value tile, mlir::Value slot);
  void transformResultVector(mlir::Value block, const Corner &corner,
                             mlir::Value slot, mlir::Value vector,
                             mlir::Value isDirect);
  void transformProductColumns(mlir::Value slot, mlir::Value lane);
  void storeResults(const Corner &corner, mlir::Value output, mlir::Value lane,
                    mlir::Value bias, mlir::Value isDirect);
  void emitResultRow(mlir::Value row, mlir::Value lane, mlir::Value isDirect);
  void moveStage(const Corner &corner, mlir::Value output);
  void emitWindows(const Corner &corner, mlir::Value output);

  /// The guard, in WinogradGuard.cpp: records the magnitudes of a tile's data
  /// while it is loaded, and decides whether the tile must be computed
  /// directly.
  mlir::Value getMagnitudes(mlir::Value vector);
  mlir::Value getLarger(mlir::Value a, mlir::Value b);
  void resetMagnitudes();
  void recordMagnitudes(mlir::Value column, const Vectors &loaded);
  mlir::Value loadMagnitudes(mlir::Value column, mlir::Value number);
  mlir::Value reduceMagnitudes(mlir::Value vector);
  void recordLarger(mlir::Value value, mlir::Value base, mlir::Value at);
  mlir::Value findSmallestCentral(const Corner &corner);
  mlir::Value findSmallestWindow(const Corner &corner);
  mlir::Value findLargestOfWindow(mlir::Value row, mlir::Value column);
  mlir::Value isExtreme(mlir::Value largest);
  mlir::Value isUneven(mlir::Value largest, mlir::Value smallest);
  void markTile(const Corner &corner, mlir::Value slot);
  void setMark(mlir::Value slot, mlir::Value mark);

  mlir::Value getMark(mlir::Value slot);
  mlir::Value isMarked(mlir::Value slot);
  static int64_t getMagnitudeElements(const WinogradPlan &plan);
  static Contraction describeDirectTile(const Contraction &plain,
                                        const WinogradPlan &plan);
  static ContractionStrategy getDirectStrategy(const WinogradPlan &plan);
  void emitDirectTile(mlir::Value block, const Corner &corner);
  void copyData(const Corner &corner);
  /// Emits an scf.if. `emitElse` may be null.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> emitThen,
              llvm::function_ref<void()> emitElse = {});

  /// Apply the matrices of WinogradKernel.h to a line of a tile: Bᵀ
  /// d transforms six elements of data to six, Aᵀ m six products to four
  /// results.
  Vectors applyB(const Vectors &d);
  Vectors applyA(const Vectors &m);

  /// The number of results of a tile that begins at `first`, along a dim of
  /// `size` results.
  mlir::Value countResults(mlir::Value first, int64_t size);

  /// Whether 0 <= a < size.
  mlir::Value isWithin(mlir::Value a, int64_t size);
  mlir::Value constant(double value);
  mlir::Value multiplyAdd(mlir::Value a, double factor, mlir::Value b);
  /// A mask of the lanes, from index `first` on, that are below `size`; null if
  /// these are all lanes.
  mlir::Value createMask(mlir::Value first, int64_t size);
  mlir::Value getPointer(mlir::Value base, mlir::Value offset);
  mlir::Value load(mlir::Value pointer, mlir::Value mask = {});
  void store(mlir::Value vector, mlir::Value base, mlir::Value offset);

  const Contraction &conv;
  float largestData;
  const WinogradPlan &plan;
  mlir::Value data, weights, bias;
  EmitEpilogue emitEpilogue;
  EmitData emitData;
  FusedPooling *pooling;
  llvm::function_ref<Buffer(mlir::Value)> getBuffer;
  mlir::VectorType type;
  /// The buffers of the workspace: transformed data and products
  /// (WinogradPlan), one tile between the two steps of its transform and after
  /// them, and zeros that stand for padding.
  mlir::Value transformed, products, lines, results, zeros;
  /// The buffers of the guard: the magnitudes of a tile's data, one byte for
  /// each tile of a task, and the data and results of a tile that is computed
  /// directly.
  mlir::Value magnitudes, marks, directData, directResults;
  ChannelTileEmitter tileEmitter;
  Contraction directTile;
  ContractionStrategy directStrategy;
  ChannelTileEmitter directEmitter;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_WINOGRAD_WINOGRADEMITTER_H
