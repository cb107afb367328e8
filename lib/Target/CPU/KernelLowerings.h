//===- KernelLowerings.h - Lowering kernels by their kind -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_KERNELLOWERINGS_H
#define TANDEM_LIB_TARGET_CPU_KERNELLOWERINGS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tandem {

// Each function replaces the function of a kernel of one kind, in the form of
// phase `linalg`, by LLVM functions (KernelFrame) with vector loops.
// `vectorBits` is the width of vectors in bits, `streamedBytes`
// DeviceModel::streamedBytes. On failure a diagnostic has been emitted.

/// Lowers a kernel whose loops are all parallel.
mlir::LogicalResult lowerLoopKernel(mlir::ModuleOp module,
                                    mlir::func::FuncOp kernel,
                                    unsigned vectorBits, int64_t streamedBytes);

/// Lowers a kernel of kind reduction.
mlir::LogicalResult lowerReductionKernel(mlir::ModuleOp module,
                                         mlir::func::FuncOp kernel,
                                         unsigned vectorBits,
                                         int64_t streamedBytes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_KERNELLOWERINGS_H
