//===- PrologueBuffer.h - Staging the data of contractions ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_PROLOGUEBUFFER_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_PROLOGUEBUFFER_H

#include "Contraction/Cost/ContractionSchedule.h"
#include "IndexBuilder.h"
#include "KernelScratch.h"
#include "Loop/LaneEmitter.h"

namespace tandem {

/// A range of positions of the data, from `first` to before `last`: all
/// positions between the first and the last one that a task reads.
struct StagedRange {
  int64_t first, last;
};

/// The range that the rows [firstRow, lastRow] of the result read. In a single
/// row, or if there is only one spatial dim, only the positions [firstPosition,
/// lastPosition] of each row count. Both ends are included.
StagedRange getStagedRange(const Contraction &contraction, int64_t firstRow,
                           int64_t lastRow, int64_t firstPosition,
                           int64_t lastPosition);

/// Emits the computation of a vector of the data: `lanes` inputs of position
/// `position`, beginning at `input`. `mask` says which lanes exist, and is null
/// if all lanes do. `prologue` computes the data, which has `inputs` inputs per
/// position, in row-major order.
mlir::Value emitPrologue(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::linalg::GenericOp prologue, int64_t inputs,
                         int64_t lanes, mlir::Value position, mlir::Value input,
                         mlir::Value mask,
                         llvm::function_ref<Buffer(mlir::Value)> getBuffer);

/// Emits the code with which a task stages the data that it reads in its
/// workspace: it computes the data by the body of a linalg.generic (the
/// prologue), or copies it to widen it (getCopyType) or to pad its rows
/// (withPaddedRows). Unless rows are padded, the staged data has no padding,
/// and tiles skip padding as they do for data that is not staged.
class PrologueBuffer : IndexBuilder {
public:
  /// `prologue` computes the data, in row-major order, from operands that
  /// `getBuffer` finds in memory; it is null for data that is in memory itself.
  /// `lanes` is the number of lanes of an f32 vector.
  PrologueBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                 const Contraction &contraction,
                 const ContractionSchedule &schedule,
                 mlir::linalg::GenericOp prologue, int64_t lanes,
                 KernelScratch &scratch,
                 llvm::function_ref<Buffer(mlir::Value)> getBuffer);

  /// Stages the data of the task that begins with row `firstRow` and tile
  /// `firstTile` (index values). Returns the pointer that tiles use for the
  /// data. It is the address that the first element of the whole data would
  /// have. Only the elements of the task may be read through it.
  mlir::Value emit(mlir::Value firstRow, mlir::Value firstTile);

private:
  int64_t getPaddedSize() const { return padBefore + lineSize + padAfter; }
  mlir::Value toStaged(mlir::Value first) const;
  void emitLines(mlir::Value first, mlir::Value last);
  void emitLine(mlir::Value line, mlir::Value first, mlir::Value last);
  void emitPadding(mlir::Value offset, int64_t elements);
  void emitVector(mlir::ArrayRef<mlir::Value> loops, mlir::Value offset,
                  mlir::Value mask);
  mlir::Value computeVector(mlir::ArrayRef<mlir::Value> loops,
                            mlir::Value mask);
  /// Converts `vector`, which holds data, to `type`, whose elements have the
  /// type of the copy (getCopyType).
  mlir::Value widen(mlir::Value vector, mlir::VectorType type);
  mlir::Value getPointer(mlir::Value offset);

  const Contraction &contraction;
  const ContractionSchedule &schedule;
  mlir::linalg::GenericOp prologue;
  llvm::function_ref<Buffer(mlir::Value)> getBuffer;
  /// The sizes of the prologue's loops except the innermost one. Without a
  /// prologue, the innermost loop is over a row if rows are padded, and
  /// otherwise over all elements.
  llvm::SmallVector<int64_t> outerSizes;
  /// The number of elements of the innermost loop (a line), and the number of
  /// padding elements before and after each line.
  int64_t lineSize, padBefore = 0, padAfter = 0;
  /// The number of lanes of a vector.
  int64_t lanes;
  mlir::Type elementType;
  mlir::Value memory;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_PROLOGUEBUFFER_H
