//===- Fallback.h - Kernels back to the ops they were made of ---*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_FALLBACK_H
#define TANDEM_LIB_COMPILER_FALLBACK_H

#include "tandem/Support/Error.h"
#include "tandem/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tandem {

/// Puts the ops of each of `kernels` (modules that `program` holds, as phase
/// `kernels` leaves them) in place of its launches, so that they become steps.
/// The kernel modules stay.
void inlineKernels(mlir::ModuleOp program,
                   llvm::ArrayRef<mlir::ModuleOp> kernels);

/// Writes `kernel`, which has failed with `cause`, to a file that tandem-opt
/// takes, and returns its path. The file's name is made from its content: one
/// failure is written once. An empty `directory` means the default (see
/// CompileOptions::reproducerDir). Atomic and thread-safe.
Expected<std::string> writeReproducer(mlir::ModuleOp kernel, const Error &cause,
                                      const Target &target,
                                      const std::string &directory);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_FALLBACK_H
