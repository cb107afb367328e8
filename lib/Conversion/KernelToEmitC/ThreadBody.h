//===- ThreadBody.h - The code of one GPU thread ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CONVERSION_KERNELTOEMITC_THREADBODY_H
#define TANDEM_LIB_CONVERSION_KERNELTOEMITC_THREADBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace tandem::conversion {

/// The memory of a kernel's tensors, as 1-D memrefs in row-major order.
struct KernelMemory {
  /// The memrefs of the function's arguments and of their reshapes.
  mlir::DenseMap<mlir::Value, mlir::Value> operands;
  /// The memrefs of the results of linalg ops. A result has several if it is
  /// returned more than once.
  mlir::DenseMap<mlir::Value, mlir::SmallVector<mlir::Value>> results;
  /// The values of constant tensors whose elements are all equal.
  mlir::DenseMap<mlir::Value, mlir::TypedAttr> splats;
};

/// How the work of one linalg.generic is divided among threads.
struct Schedule {
  /// Number of points of the iteration space.
  int64_t elements = 0;
  /// Number of consecutive points that one thread computes.
  int64_t perThread = 1;
  /// Whether the points of a thread differ in the innermost dim only.
  bool alongInnermost = false;
};

/// The number of elements that a thread computes, and loads with one vector
/// load, where the shape allows it.
inline constexpr int64_t vectorWidth = 4;

/// Decides how to divide `op`, which verifyKernelOp must have accepted, among
/// threads.
Schedule scheduleFor(mlir::linalg::GenericOp op, bool vectorize);

/// Checks that `op` has the form that phase `linalg` produces and that `memory`
/// has its tensors. Emits an error on the op otherwise.
mlir::LogicalResult verifyKernelOp(mlir::linalg::GenericOp op,
                                   const KernelMemory &memory);

/// Emits the code of the thread with index `thread` in the grid. Sets
/// `wideIndex` where an index does not fit in 32 bits.
mlir::LogicalResult emitThreadBody(mlir::OpBuilder &builder,
                                   mlir::linalg::GenericOp op,
                                   const KernelMemory &memory,
                                   const Schedule &schedule, mlir::Value thread,
                                   bool &wideIndex);

} // namespace tandem::conversion

#endif // TANDEM_LIB_CONVERSION_KERNELTOEMITC_THREADBODY_H
