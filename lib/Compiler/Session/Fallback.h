//===- Fallback.h - What happens to kernels that fail -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_FALLBACK_H
#define TANDEM_LIB_COMPILER_SESSION_FALLBACK_H

#include "tandem/Support/Error.h"
#include "tandem/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tandem {

/// Replaces the launches of each of `kernels` by the kernel's ops, so that
/// these become op steps. `kernels` are modules in `program`, in the form that
/// phase `kernels` leaves. The kernel modules are not removed.
void inlineKernels(mlir::ModuleOp program,
                   llvm::ArrayRef<mlir::ModuleOp> kernels);

/// Emits the ops of a kernel, a module as above, as an eager program. The
/// module is not changed.
Expected<Program> emitOps(mlir::ModuleOp kernel);

/// Writes `kernel`, which has failed with `cause`, to a file that tandem-opt
/// reads, and returns the file's path. The file's name is derived from its
/// content, so that a failure is written only once. An empty `directory` stands
/// for the default (CompileOptions::reproducerDir). The file is written
/// atomically. Thread-safe.
Expected<std::string> writeReproducer(mlir::ModuleOp kernel, const Error &cause,
                                      const Target &target,
                                      const std::string &directory);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_FALLBACK_H
