//===- ContractionStage.h - Windows over what a task computes --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONSTAGE_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONSTAGE_H

#include "IndexBuilder.h"
#include "KernelScratch.h"
#include "Loop/LaneEmitter.h"

#include "tandem/Analysis/Contraction/ContractionWindow.h"

namespace tandem {

/// A part of a contraction's result that waits, in a task's workspace, for the
/// windows over it: a kernel that pools stores no more of it. The part moves
/// from task to task, and within a task; it is addressed by the indices of the
/// whole.
class ContractionStage : IndexBuilder {
public:
  /// From `lower` up to `upper`, of type index; how many that is can be divided
  /// by `multiple`.
  struct Range {
    mlir::Value lower, upper;
    int64_t multiple = 1;
  };

  /// `op` computes the windows.
  ContractionStage(mlir::OpBuilder &builder, mlir::Location loc,
                   const Contraction &contraction, mlir::linalg::GenericOp op);

  /// Checks that `op` reads one tensor that is not in memory (has no pointer),
  /// the result of `hero` or of `epilogue` (may be null), and returns what it
  /// computes.
  mlir::LogicalResult
  verify(mlir::Operation *hero, mlir::linalg::GenericOp epilogue,
         const llvm::DenseMap<mlir::Value, mlir::Value> &pointers);

  const ContractionWindow &getWindow() const { return window; }
  /// Of the part, in memory.
  int64_t getElementBytes() const;

  /// Sets memory aside for parts of at most `shape`, by dim of the
  /// contraction's result. `width`: lanes of the windows.
  void allocate(KernelScratch &scratch, llvm::ArrayRef<int64_t> shape,
                int64_t width);
  /// The part's first element is `first`, by dim of the contraction's result.
  void moveTo(llvm::ArrayRef<mlir::Value> first);
  /// Moves `count` indices along `dim` from `from` on to the part's beginning.
  void moveToFront(int64_t dim, mlir::Value from, mlir::Value count);
  /// The memory of `tensor` if it is that of the part or a view of it.
  std::optional<Buffer> find(mlir::Value tensor) const;
  /// Computes and stores the windows in `ranges`, by dim of the contraction's
  /// result.
  void emitWindows(llvm::ArrayRef<Range> ranges,
                   llvm::function_ref<Buffer(mlir::Value)> getBuffer);

private:
  void emitLoops(llvm::ArrayRef<Range> ranges, unsigned dim,
                 llvm::SmallVector<mlir::Value> loops,
                 llvm::function_ref<Buffer(mlir::Value)> getBuffer);
  void emitVectors(Range range, unsigned dim,
                   llvm::SmallVector<mlir::Value> loops,
                   llvm::function_ref<Buffer(mlir::Value)> getBuffer);

  const Contraction &contraction;
  mlir::linalg::GenericOp op;
  ContractionWindow window;
  /// What `op` reads, ahead of any views.
  mlir::Value staged;
  int64_t width = 1;
  llvm::SmallVector<int64_t> shape;
  mlir::Value pointer, shift;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONSTAGE_H
