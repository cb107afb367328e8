//===- CanonicalKernel.h - A kernel outside of any context ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_KERNELS_CANONICALKERNEL_H
#define TANDEM_LIB_COMPILER_KERNELS_CANONICALKERNEL_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tandem {

/// The name of the function in every kernel in canonical form, and the symbol
/// in its object.
inline constexpr llvm::StringLiteral kKernelSymbol = "kernel";

/// Writes a kernel module, in the form that phase `kernels` leaves, in
/// canonical form: as bytecode without locations, with the module and its
/// function named `kernel`. Kernels with equal bytes are equal, whatever
/// program they are from. Other threads can read the bytes into contexts of
/// their own.
mlir::FailureOr<std::string> writeCanonical(mlir::ModuleOp kernel);

/// Writes a graph as bytecode without locations, and with the names of its
/// resources in place of their bytes. Graphs that differ only in locations and
/// in the contents of resources have equal bytes, in any process.
mlir::FailureOr<std::string> writeStructure(mlir::ModuleOp graph);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELS_CANONICALKERNEL_H
