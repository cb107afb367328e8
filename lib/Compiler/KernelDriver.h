//===- KernelDriver.h - Compiling all kernels of a program ------*- C++ -*-===//
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

/// The parsed form of CompileOptions::failKernels.
class FailureRequest {
public:
  /// Fails for an invalid regular expression.
  static Expected<FailureRequest> parse(const std::string &text);
  bool matches(size_t number, llvm::StringRef name) const;

private:
  std::optional<size_t> number;
  std::string pattern;
};

/// The result of compiling one kernel module.
struct KernelOutcome {
  Expected<CompiledKernelPtr> compiled;
  PhaseTimes times;
  /// Time that the compiling thread spent on the kernel outside the phases in
  /// `times`, in nanoseconds.
  double otherNs = 0;
  /// Whether the kernel was found in the cache instead of being compiled.
  bool isCached = false;
};

/// Compiles `kernels` for the core that `spec` describes, in parallel on as
/// many threads as run programs, each in a context of its own. The modules are
/// not changed. Kernels that are in `cache` are taken from there; if it is
/// null, all are compiled. Returns one outcome per kernel, in order.
std::vector<KernelOutcome>
compileKernels(const Target &target, const std::string &spec,
               llvm::ArrayRef<mlir::ModuleOp> kernels,
               const FailureRequest &failures, KernelCache *cache);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELDRIVER_H
