//===- ReductionSchedule.h - How a kernel of reductions runs ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONSCHEDULE_H
#define TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONSCHEDULE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

namespace tandem {

/// How the stages of a kernel run that share their loops: the first `numKept`
/// are those of the results of the reductions, the others are reduced.
///
/// By rows, where a reduced dim is contiguous in memory: lanes run along it, an
/// iteration of the shared loop is a row, and what a row is reduced to are
/// scalars. By columns, where the last kept dim is: lanes run along that, an
/// iteration is a block of columns, and what they are reduced to are vectors.
struct ReductionSchedule {
  llvm::SmallVector<int64_t> sizes;
  unsigned numKept = 0;
  unsigned laneLoop = 0;
  /// Elements that fill a register.
  int64_t width = 1;
  /// By columns: how many are computed at once, and how many in an iteration.
  int64_t lanes = 1, block = 1;
  /// Of the shared loop.
  int64_t extent = 1, grain = 1;

  bool isByColumns() const { return laneLoop < numKept; }
  int64_t getBlocks() const {
    return llvm::divideCeilSigned(sizes[laneLoop], block);
  }
  /// By rows: elements of one stage that are computed at once.
  int64_t getRowLanes(mlir::linalg::GenericOp stage) const;
};

/// The schedule of `stages`, the first of which has all loops.
ReductionSchedule
computeReductionSchedule(llvm::ArrayRef<mlir::linalg::GenericOp> stages,
                         unsigned vectorBits);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONSCHEDULE_H
