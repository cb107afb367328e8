//===- ContractionStaging.h - Data that tasks compute first ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONSTAGING_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONSTAGING_H

#include "Contraction/Cost/ContractionSchedule.h"
#include "IndexBuilder.h"
#include "KernelScratch.h"
#include "Loop/LaneEmitter.h"

namespace tandem {

/// Positions of the data from the first to before the last: those that a task
/// reads, and what lies between them.
struct StagedRange {
  int64_t first, last;
};

/// What the rows [firstRow, lastRow] read; of one row, or where there is but
/// one spatial dim, its positions [firstPosition, lastPosition] in the first
/// and the last row. Ends are part of them.
StagedRange getStagedRange(const Contraction &contraction, int64_t firstRow,
                           int64_t lastRow, int64_t firstPosition,
                           int64_t lastPosition);

/// Computes the elements of `position` of the data from `input` on, a vector of
/// `lanes` of which `mask` (may be null) says which there are. `prologue`
/// computes the data, of `inputs` a position, in row-major order.
mlir::Value emitPrologue(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::linalg::GenericOp prologue, int64_t inputs,
                         int64_t lanes, mlir::Value position, mlir::Value input,
                         mlir::Value mask,
                         llvm::function_ref<Buffer(mlir::Value)> getBuffer);

/// Lets a task compute the data that it reads into its workspace, by the body
/// of a linalg.generic, the prologue, or copy it to widen it. The data has no
/// padding there; tiles leave that out as ever.
class ContractionStaging : IndexBuilder {
public:
  /// `prologue` computes the data, in row-major order, from what `getBuffer`
  /// finds in memory; null for data that is there. `lanes` are those of a
  /// vector of f32.
  ContractionStaging(mlir::OpBuilder &builder, mlir::Location loc,
                     const Contraction &contraction,
                     const ContractionSchedule &schedule,
                     mlir::linalg::GenericOp prologue, int64_t lanes,
                     KernelScratch &scratch,
                     llvm::function_ref<Buffer(mlir::Value)> getBuffer);

  /// Computes what the task reads that begins with these (indices). Gives the
  /// pointer at which its tiles find the data: that of the first element of
  /// all, where only those of the task are to be read.
  mlir::Value emit(mlir::Value firstRow, mlir::Value firstTile);

private:
  void emitLines(mlir::Value first, mlir::Value last);
  void emitLine(mlir::Value line, mlir::Value first, mlir::Value last);
  void emitVector(mlir::ArrayRef<mlir::Value> loops, mlir::Value offset,
                  mlir::Value mask);
  mlir::Value computeVector(mlir::ArrayRef<mlir::Value> loops,
                            mlir::Value mask);
  mlir::Value getPointer(mlir::Value offset);

  const Contraction &contraction;
  const ContractionSchedule &schedule;
  mlir::linalg::GenericOp prologue;
  llvm::function_ref<Buffer(mlir::Value)> getBuffer;
  /// Sizes of the prologue's loops, or one of all elements; the innermost
  /// apart.
  llvm::SmallVector<int64_t> outerSizes;
  int64_t lineSize;
  /// Of a vector.
  int64_t lanes;
  mlir::Type elementType;
  mlir::Value memory;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONSTAGING_H
