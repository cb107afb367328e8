//===- ReductionSchedule.h - How kernels of reductions run ------*- C++ -*-===//
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

/// How the stages of a reduction kernel run, which share their loops. The first
/// `numKept` loops run over the kept dims, the others over the reduced dims.
///
/// Where a reduced dim is contiguous in memory, the kernel runs by rows: lanes
/// run along that dim, an iteration of the shared loop is a row, and a row is
/// reduced to scalars. Where the last kept dim is contiguous, it runs by
/// columns: lanes run along that dim, an iteration is a block of columns, and
/// they are reduced to vectors.
struct ReductionSchedule {
  llvm::SmallVector<int64_t> sizes;
  unsigned numKept = 0;
  unsigned laneLoop = 0;
  /// The number of elements of a vector register.
  int64_t width = 1;
  /// By columns: the number of columns that are computed at once, and in an
  /// iteration of the shared loop.
  int64_t lanes = 1, block = 1;
  /// The number of iterations of the shared loop, and how many are worth a
  /// task.
  int64_t extent = 1, grain = 1;

  bool isByColumns() const { return laneLoop < numKept; }
  int64_t getBlocks() const {
    return llvm::divideCeilSigned(sizes[laneLoop], block);
  }
  /// By rows: the number of elements that a stage computes at once.
  int64_t getRowLanes(mlir::linalg::GenericOp stage) const;
};

/// Computes the schedule of `stages`, the first of which must have all loops.
ReductionSchedule
computeReductionSchedule(llvm::ArrayRef<mlir::linalg::GenericOp> stages,
                         unsigned vectorBits);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONSCHEDULE_H
