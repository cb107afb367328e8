//===- Schedule.h - How the loops of a kernel run ---------------*- C++ -*-===//
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

/// How the iteration space of one linalg.generic is vectorized and divided
/// among threads.
struct Schedule {
  /// The sizes of the loops, except those that are folded into the lanes; at
  /// least one.
  llvm::SmallVector<int64_t> sizes;
  /// The sizes of the innermost loops that are folded into the lanes because
  /// together they are shorter than a vector. A vector covers them for `rows`
  /// iterations of the last loop of `sizes`.
  llvm::SmallVector<int64_t> folded;
  int64_t rows = 1;
  /// The number of outermost loops that are merged into the shared loop, which
  /// is divided among threads.
  unsigned numShared = 1;
  /// If the innermost loop is among them: the number of its iterations in a
  /// block; 0 if it is not divided into blocks.
  int64_t block = 0;
  /// Whether the blocks are the outermost loop of the shared one: an operand
  /// has the elements of an outer loop closer together than those of a row, so
  /// that what a block reads is in caches for all of them.
  bool blocksFirst = false;
  /// The number of iterations of the shared loop, and how many are worth a
  /// task.
  int64_t extent = 1, grain = 1;
  /// The number of elements of a vector in the main loop, and in the masked
  /// remainder.
  int64_t lanes = 1, tailLanes = 1;
  /// Set where operands lie across the lanes and must be transposed. `extent`
  /// then counts blocks of tiles, and of the other fields only `sizes` and
  /// `grain` are used.
  std::optional<TransposeTiles> tiles;

  int64_t getBlocks() const {
    return block ? llvm::divideCeilSigned(sizes.back(), block) : 1;
  }
  bool isInnermostShared() const { return numShared == sizes.size(); }
  /// The number of iterations of the last loop that a vector covers.
  int64_t getStep() const { return folded.empty() ? lanes : rows; }
  int64_t getFoldedSize() const { return llvm::product_of(folded); }
};

/// The number of lanes of a vector that covers `elements` elements of folded
/// loops.
int64_t getFoldedLanes(int64_t elements);
/// A rough estimate of the time of one iteration of the innermost loop, in
/// nanoseconds.
double estimateNs(mlir::linalg::GenericOp op);
/// The same without the time to read and to write memory.
double estimateBodyNs(mlir::linalg::GenericOp op);
/// The number of iterations, each of which takes `ns` nanoseconds, that are
/// worth a task.
int64_t computeGrain(double ns, int64_t extent);
/// The size in bytes of the widest scalar that the body computes or copies, not
/// counting indices.
int64_t getWidestElement(mlir::linalg::GenericOp op);
/// Whether the body has math functions. Their polynomials have enough
/// independent operations to hide latencies.
bool hasFunctions(mlir::linalg::GenericOp op);
/// The least time that an iteration of a shared loop should take, in
/// nanoseconds, so that the overhead of the loop is small.
inline constexpr double kNsPerIteration = 500;

/// Computes the schedule of `op` for vectors of `vectorBits` bits.
Schedule computeSchedule(mlir::linalg::GenericOp op, unsigned vectorBits);

/// The indices of the shared loops in one iteration of their one loop; the last
/// is the number of a block where there are blocks.
llvm::SmallVector<mlir::Value> delinearizeShared(mlir::OpBuilder &builder,
                                                 mlir::Location loc,
                                                 const Schedule &schedule,
                                                 mlir::Value iteration);

/// The indices of loops of the given sizes in iteration `iteration` of the loop
/// that they are merged into.
llvm::SmallVector<mlir::Value> delinearize(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           llvm::ArrayRef<int64_t> sizes,
                                           mlir::Value iteration);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_SCHEDULE_H
