//===- PrintKernel.h - Kernels in EmitC as CUDA C++ ------------*- C++ -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_PRINTKERNEL_H
#define TANDEM_LIB_TARGET_CUDA_PRINTKERNEL_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tandem {

/// The CUDA C++ of a module in EmitC, as phase `emitc` leaves it, with names
/// from NameLoc locations. The module is of no further use.
mlir::FailureOr<std::string> printKernel(mlir::ModuleOp module);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CUDA_PRINTKERNEL_H
