//===- ThreadBody.h - What a thread does of a generic -----------*- C++ -*-===//
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

/// Where the tensors of a kernel live: 1-D memrefs in row-major order.
struct KernelMemory {
  /// Of the function's arguments and their reshapes.
  mlir::DenseMap<mlir::Value, mlir::Value> operands;
  /// Of the results of linalg ops; a result may be returned more than once.
  mlir::DenseMap<mlir::Value, mlir::SmallVector<mlir::Value>> results;
  /// Constant tensors of one value.
  mlir::DenseMap<mlir::Value, mlir::TypedAttr> splats;
};

/// How one linalg.generic is shared out.
struct Schedule {
  /// Points of the iteration space.
  int64_t elements = 0;
  /// Consecutive points that one thread computes.
  int64_t perThread = 1;
  /// They differ in the innermost dim alone.
  bool alongInnermost = false;
};

/// Elements that a thread computes, and loads at once, where the shape allows.
inline constexpr int64_t vectorWidth = 4;

/// Decides how to share out `op`, which verifyKernelOp has accepted.
Schedule scheduleFor(mlir::linalg::GenericOp op, bool vectorize);

/// Whether `op` has the form that phase `linalg` promises, over `memory`; emits
/// an error on the op where it has not.
mlir::LogicalResult verifyKernelOp(mlir::linalg::GenericOp op,
                                   const KernelMemory &memory);

/// Emits at `builder` what the thread does whose number in the grid is
/// `thread`. Sets `wideIndex` where an index does not fit in 32 bits.
mlir::LogicalResult emitThreadBody(mlir::OpBuilder &builder,
                                   mlir::linalg::GenericOp op,
                                   const KernelMemory &memory,
                                   const Schedule &schedule, mlir::Value thread,
                                   bool &wideIndex);

} // namespace tandem::conversion

#endif // TANDEM_LIB_CONVERSION_KERNELTOEMITC_THREADBODY_H
