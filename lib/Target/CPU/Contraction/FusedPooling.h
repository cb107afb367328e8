//===- FusedPooling.h - The part of a result that is pooled -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_FUSEDPOOLING_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_FUSEDPOOLING_H

#include "IndexBuilder.h"
#include "KernelScratch.h"
#include "Loop/LaneEmitter.h"

#include "tandem/Analysis/Contraction/ContractionWindow.h"

namespace tandem {

/// The part of a contraction's result that a task keeps in its workspace until
/// the windows over it have been computed. A kernel with windows does not store
/// its contraction's result. Each task has a part of its own, which may move
/// along the result during the task. The part is addressed with the indices of
/// the whole result.
class FusedPooling : IndexBuilder {
public:
  /// A range of indices from `lower` to before `upper`, of type index. Its
  /// length is a multiple of `multiple`.
  struct Range {
    mlir::Value lower, upper;
    int64_t multiple = 1;
  };

  /// `op` is the linalg.generic that computes the windows.
  FusedPooling(mlir::OpBuilder &builder, mlir::Location loc,
               const Contraction &contraction, mlir::linalg::GenericOp op);

  /// Checks that `op` reads one tensor that is not in memory (has no pointer),
  /// namely the result of `hero` or of `epilogue` (which may be null), and that
  /// the kernel returns the result of `op`.
  mlir::LogicalResult
  verify(mlir::Operation *hero, mlir::linalg::GenericOp epilogue,
         const llvm::DenseMap<mlir::Value, mlir::Value> &pointers);

  const ContractionWindow &getWindow() const { return window; }
  /// The size of an element of the part, in bytes.
  int64_t getElementBytes() const;

  /// Allocates memory for parts of at most `shape`, by dim of the contraction's
  /// result. `width` is the number of lanes with which windows are computed.
  void allocate(KernelScratch &scratch, llvm::ArrayRef<int64_t> shape,
                int64_t width);
  /// Sets the index of the part's first element, by dim of the contraction's
  /// result.
  void moveTo(llvm::ArrayRef<mlir::Value> first);
  /// Copies the elements with `count` indices along `dim`, beginning at `from`,
  /// to the beginning of the part.
  void moveToFront(int64_t dim, mlir::Value from, mlir::Value count);
  /// The memory of `tensor` if it is the part or a view of it; otherwise none.
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
  /// The tensor that `op` reads, before any views.
  mlir::Value staged;
  int64_t width = 1;
  llvm::SmallVector<int64_t> shape;
  mlir::Value pointer, shift;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_FUSEDPOOLING_H
