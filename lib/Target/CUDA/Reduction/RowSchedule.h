//===- RowSchedule.h - How threads share rows -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_REDUCTION_ROWSCHEDULE_H
#define TANDEM_LIB_TARGET_CUDA_REDUCTION_ROWSCHEDULE_H

#include "PointEmitter.h"

namespace tandem::codegen {

/// Lanes of a warp.
inline constexpr int64_t kWarp = 32;

/// How rows are divided among threads. A row is what one index of the kept
/// loops leaves of the iteration space; its elements are numbered with the
/// contiguous loop innermost.
struct RowSchedule {
  int64_t rows = 1, length = 1;
  /// The reduced loops, outermost first; elements are contiguous along the
  /// last.
  llvm::SmallVector<unsigned> reduced;
  /// Number of consecutive elements that a thread takes at once.
  int64_t width = 1;
  /// Threads of a row, a power of two: lanes of a warp, or a block.
  int64_t threads = 1;
  int64_t rowsPerBlock = 1;
  /// Number of times that a thread takes `width` elements of its row.
  int64_t steps = 1;
  /// Whether these stay in registers from the first stage to the last.
  bool isHeld = false;

  int64_t runs() const { return length / width; }
  bool isExact() const { return runs() % threads == 0; }
};

/// Chooses how to share the rows of `stages`, whose first `numKept` loops are
/// kept, given their emitters and the loop along which rows are contiguous.
RowSchedule computeRowSchedule(llvm::ArrayRef<PointEmitter *> stages,
                               unsigned numKept, unsigned contiguousLoop,
                               bool vectorize);

} // namespace tandem::codegen

#endif // TANDEM_LIB_TARGET_CUDA_REDUCTION_ROWSCHEDULE_H
