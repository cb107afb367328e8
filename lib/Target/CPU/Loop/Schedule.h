//===- Schedule.h - How the loops of a kernel run --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_SCHEDULE_H
#define TANDEM_LIB_TARGET_CPU_LOOP_SCHEDULE_H

#include "Loop/TransposeTiles.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

namespace tandem {

/// How the iteration space of one linalg.generic is run.
struct Schedule {
  /// Sizes of the loops, but for those that are folded into the lanes; at least
  /// one.
  llvm::SmallVector<int64_t> sizes;
  /// Sizes of the loops inside these that one vector runs through, because they
  /// are shorter than it: `rows` iterations of the last of `sizes` at a time.
  llvm::SmallVector<int64_t> folded;
  int64_t rows = 1;
  /// The first loops, which become the one that threads share out.
  unsigned numShared = 1;
  /// Where the last shared loop is the innermost one: the iterations of a
  /// block. 0 where it is not cut.
  int64_t block = 0;
  /// Iterations of the shared loop, and how many are worth a task.
  int64_t extent = 1, grain = 1;
  /// Elements of a vector in the main loop, and in the masked remainder.
  int64_t lanes = 1, tailLanes = 1;
  /// Set where operands lie across the lanes. `extent` then counts blocks of
  /// tiles, and of the above only `sizes` and `grain` mean something.
  std::optional<TransposeTiles> tiles;

  int64_t getBlocks() const {
    return block ? llvm::divideCeilSigned(sizes.back(), block) : 1;
  }
  bool isInnermostShared() const { return numShared == sizes.size(); }
  /// Iterations of the last loop that a vector stands for.
  int64_t getStep() const { return folded.empty() ? lanes : rows; }
  int64_t getFoldedSize() const { return llvm::product_of(folded); }
};

/// The lanes of a vector for so many elements of folded loops.
int64_t getFoldedLanes(int64_t elements);
/// Rough time of one iteration of the innermost loop.
double estimateNs(mlir::linalg::GenericOp op);
/// Iterations of so many nanoseconds that are worth a task.
int64_t computeGrain(double ns, int64_t extent);
/// Bytes of the widest scalar that the body computes or moves; indices do not
/// count.
int64_t getWidestElement(mlir::linalg::GenericOp op);
/// Whether the body calls functions, whose polynomials hide their latencies.
bool hasFunctions(mlir::linalg::GenericOp op);
/// The time that an iteration of a shared loop should take at least, for the
/// loop's own work to be small against it.
inline constexpr double kNsPerIteration = 500;

Schedule computeSchedule(mlir::linalg::GenericOp op, unsigned vectorBits);

/// The values of loops of those sizes in iteration `iteration` of the one loop
/// that they have become.
llvm::SmallVector<mlir::Value> delinearize(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           llvm::ArrayRef<int64_t> sizes,
                                           mlir::Value iteration);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_SCHEDULE_H
