//===- KernelLowerings.h - Loops of kernels by their kind ------*- C++ -*-===//
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

// Each replaces the function of a kernel of one kind, in the form of phase
// `linalg`, by LLVM functions (see KernelFrame) with vector loops.
// `streamedBytes`: DeviceModel::streamedBytes.

/// All loops are parallel.
mlir::LogicalResult lowerLoopKernel(mlir::ModuleOp module,
                                    mlir::func::FuncOp kernel,
                                    unsigned vectorBits, int64_t streamedBytes);

/// Of kind reduction.
mlir::LogicalResult lowerReductionKernel(mlir::ModuleOp module,
                                         mlir::func::FuncOp kernel,
                                         unsigned vectorBits,
                                         int64_t streamedBytes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_KERNELLOWERINGS_H
