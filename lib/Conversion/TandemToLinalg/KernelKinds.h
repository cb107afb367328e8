//===- KernelKinds.h - Emission by kind of kernel ---------------*- C++ -*-===//
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

/// Emit linalg ops that compute the results of `kernel`, a function of one
/// kind, and make it return their results. The tandem ops that computed them
/// before are left as dead code. Types must be static, and constants must be
/// splats or arith constants. On failure a diagnostic has been emitted.
mlir::LogicalResult emitLoopKernel(mlir::func::FuncOp kernel);
mlir::LogicalResult emitReductionKernel(mlir::func::FuncOp kernel,
                                        int64_t maxKeptBytes);
mlir::LogicalResult emitContractionKernel(mlir::func::FuncOp kernel);

} // namespace tandem

#endif // TANDEM_LIB_CONVERSION_TANDEMTOLINALG_KERNELKINDS_H
