//===- KernelSource.h - A kernel apart from any context ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_KERNELSOURCE_H
#define TANDEM_LIB_COMPILER_KERNELSOURCE_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tandem {

/// The function of every kernel in canonical form, and of its object.
inline constexpr llvm::StringLiteral kKernelSymbol = "kernel";

/// A kernel module, as phase `kernels` leaves it, in canonical form: bytecode
/// without locations, the module and its function named `kernel`. Equal bytes
/// are equal kernels, whatever program they are from, and other threads can
/// read them in contexts of their own.
mlir::FailureOr<std::string> writeCanonical(mlir::ModuleOp kernel);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELSOURCE_H
