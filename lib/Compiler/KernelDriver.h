//===- KernelDriver.h - The kernels of a program, compiled ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_KERNELDRIVER_H
#define TANDEM_LIB_COMPILER_KERNELDRIVER_H

#include "KernelCache.h"

#include "tandem/Tandem.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/Regex.h"

#include <memory>
#include <optional>
#include <vector>

namespace tandem {

/// CompileOptions::failKernels, parsed.
class FailureRequest {
public:
  /// An error for a regular expression that is none.
  static Expected<FailureRequest> parse(const std::string &text);
  bool matches(size_t number, llvm::StringRef name) const;

private:
  std::optional<size_t> number;
  std::string pattern;
};

/// What became of one kernel module.
struct KernelOutcome {
  Expected<CompiledKernelPtr> compiled;
  PhaseTimes times;
  /// Time of the thread that has compiled it beyond that of the phases.
  double otherNs = 0;
  /// Not compiled for this program, but found in `cache`.
  bool isCached = false;
};

/// Compiles each of `kernels` for a core that `spec` describes, in a context of
/// its own, in parallel, on as many threads as run programs; the modules stay
/// as they are. What is in `cache` is taken from there; null: all are compiled.
/// One outcome a kernel, in order.
std::vector<KernelOutcome>
compileKernels(const Target &target, const std::string &spec,
               llvm::ArrayRef<mlir::ModuleOp> kernels,
               const FailureRequest &failures, KernelCache *cache);

/// Loads the kernels that were compiled, where that has not happened, and lists
/// them in order. A kernel that cannot be loaded has failed from then on. Adds
/// to phase "load".
LoadedKernels loadKernels(const Target &target,
                          llvm::MutableArrayRef<KernelOutcome> outcomes,
                          PhaseTimes &times);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELDRIVER_H
