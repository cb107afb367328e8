//===- KernelDriver.h - Compiling all kernels of a program ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_KERNELS_KERNELDRIVER_H
#define TANDEM_LIB_COMPILER_KERNELS_KERNELDRIVER_H

#include "Kernels/KernelCache.h"
#include "Session/CompilerConfig.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace tandem {

/// The result of compiling one kernel module.
struct KernelOutcome {
  Expected<CompiledKernelPtr> compiled;
  PhaseTimes times;
  /// Time that the compiling thread spent on the kernel outside the phases in
  /// `times`, in nanoseconds.
  double otherNs = 0;
  /// Whether the kernel was found in memory (`isCached`) or on disk
  /// (`isStored`) instead of being compiled.
  bool isCached = false, isStored = false;
};

/// Compiles `kernels` as `config` says, in parallel. Uses the number of threads
/// that run programs, and one context per thread. Does not change the modules.
/// Takes kernels from the caches if they are there. Calls
/// `config.options.progress` for each kernel that is ready. Returns one outcome
/// per kernel, in order.
std::vector<KernelOutcome>
compileKernels(const CompilerConfig &config,
               llvm::ArrayRef<mlir::ModuleOp> kernels);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELS_KERNELDRIVER_H
