//===- KernelKinds.h - How kernels of each kind are emitted ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CONVERSION_TANDEMTOLINALG_KERNELKINDS_H
#define TANDEM_LIB_CONVERSION_TANDEMTOLINALG_KERNELKINDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tandem {

/// Replaces what `kernel` returns by the results of linalg ops; what computed
/// it is left behind, dead. Types are static, constants are splats or arith's.
/// On failure a diagnostic has been emitted.
mlir::LogicalResult emitLoopKernel(mlir::func::FuncOp kernel);
mlir::LogicalResult emitReductionKernel(mlir::func::FuncOp kernel,
                                        int64_t maxKeptBytes);
mlir::LogicalResult emitContractionKernel(mlir::func::FuncOp kernel);

} // namespace tandem

#endif // TANDEM_LIB_CONVERSION_TANDEMTOLINALG_KERNELKINDS_H
