//===- WinogradEmitter.h - Convolutions of fewer products ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_WINOGRAD_WINOGRADEMITTER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_WINOGRAD_WINOGRADEMITTER_H

#include "Contraction/ContractionStage.h"
#include "Contraction/Tile/ChannelTileEmitter.h"
#include "IndexBuilder.h"

#include "tandem/Target/CPU/Winograd.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tandem {

/// Emits a convolution by Winograd's method: the transforms of data and results
/// in loops over the positions of a tile, and between them products by the
/// register tiles of other contractions. Tiles for whose data the method is not
/// accurate are computed directly (WinogradGuard.cpp).
class WinogradEmitter : IndexBuilder {
public:
  /// Applies the epilogue to the one vector of a tile of one row, and stores
  /// it.
  using EmitEpilogue =
      llvm::function_ref<void(const ContractionTile &tile, mlir::Value vector)>;

  /// Computes the elements of a position of the data from `input` on, a vector
  /// of the lanes of `mask` (null for all).
  using EmitData = llvm::function_ref<mlir::Value(
      mlir::Value position, mlir::Value input, mlir::Value mask)>;

  /// `conv` is transformed, `plain` the same of the plain weights. `data`,
  /// `weights`, `plainWeights` and `bias` (may be null) are pointers. Where
  /// `emitData` (may be null) is given, data is what it computes, 2.25 times
  /// each element, for tiles overlap, and `data` is null. `stage` (may be
  /// null), for parts of getPartShape, has the windows over a tile, which
  /// `getBuffer` is asked for.
  WinogradEmitter(mlir::OpBuilder &builder, mlir::Location loc,
                  const Contraction &conv, const Contraction &plain,
                  const WinogradPlan &plan, KernelScratch &scratch,
                  mlir::Value data, mlir::Value weights,
                  mlir::Value plainWeights, mlir::Value bias,
                  EmitEpilogue emitEpilogue, EmitData emitData,
                  ContractionStage *stage,
                  llvm::function_ref<Buffer(mlir::Value)> getBuffer);

  /// Of a tile of results, a vector of outputs.
  static llvm::SmallVector<int64_t> getPartShape(const Contraction &conv,
                                                 const WinogradPlan &plan);

  void emitTask(mlir::Value task);

private:
  using Vectors = llvm::SmallVector<mlir::Value, 6>;

  /// The first result of a tile, or an element of the data.
  struct Corner {
    mlir::Value batch, row, column;
  };
  Corner getCorner(mlir::Value tile);

  void transformData(mlir::Value tile, mlir::Value slot);
  void transformDataVector(const Corner &corner, mlir::Value slot,
                           mlir::Value vector);
  Vectors loadDataColumn(const Corner &corner, mlir::Value column,
                         mlir::Value channel);
  /// A vector of the data of a tile, or of zeros where that is padding.
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

  /// The magnitudes of a tile's data while they are loaded, and what follows
  /// from them: see WinogradGuard.cpp.
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
  /// `emitElse` may be null.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> emitThen,
              llvm::function_ref<void()> emitElse = {});

  /// Six elements of a line to six, and six products to four results: Bᵀ d and
  /// Aᵀ m of Dialect/Tandem/IR/Winograd.h.
  Vectors applyB(const Vectors &d);
  Vectors applyA(const Vectors &m);

  /// Results of a tile from `first` on, of `size` along a dim.
  mlir::Value countResults(mlir::Value first, int64_t size);

  /// Whether 0 <= a < size.
  mlir::Value isWithin(mlir::Value a, int64_t size);
  mlir::Value constant(double value);
  mlir::Value multiplyAdd(mlir::Value a, double factor, mlir::Value b);
  /// The lanes from `first` on that are below `size`; null for all.
  mlir::Value createMask(mlir::Value first, int64_t size);
  mlir::Value getPointer(mlir::Value base, mlir::Value offset);
  mlir::Value load(mlir::Value pointer, mlir::Value mask = {});
  void store(mlir::Value vector, mlir::Value base, mlir::Value offset);

  const Contraction &conv;
  const WinogradPlan &plan;
  mlir::Value data, weights, bias;
  EmitEpilogue emitEpilogue;
  EmitData emitData;
  ContractionStage *stage;
  llvm::function_ref<Buffer(mlir::Value)> getBuffer;
  mlir::VectorType type;
  /// The workspace: see WinogradPlan; one tile between its two transforms and
  /// after them; and zeros in place of padding.
  mlir::Value transformed, products, lines, results, zeros;
  /// Of the guard: magnitudes of a tile's data, a byte for each tile of a task,
  /// and a tile's data and results where it is computed directly.
  mlir::Value magnitudes, marks, directData, directResults;
  ChannelTileEmitter tileEmitter;
  Contraction directTile;
  ContractionStrategy directStrategy;
  ChannelTileEmitter directEmitter;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_WINOGRAD_WINOGRADEMITTER_H
