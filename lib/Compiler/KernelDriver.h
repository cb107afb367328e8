//===- KernelDriver.h - The kernels of a program, compiled ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_KERNELDRIVER_H
#define TANDEM_LIB_COMPILER_KERNELDRIVER_H

#include "Device.h"

#include "tandem/Tandem.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/Regex.h"

#include <memory>
#include <optional>
#include <vector>

namespace tandem {

/// Code that is ready to be called; shared by the programs that launch it.
struct CompiledKernel {
  fb::KernelT kernel;
  /// Of this kernel alone; null on devices that load kernels together.
  std::shared_ptr<LoadedKernels> loaded;
};

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
  Expected<std::shared_ptr<const CompiledKernel>> compiled;
  PhaseTimes times;
};

/// Compiles each of `kernels` in a context of its own, in parallel, on as many
/// threads as run programs; the modules stay as they are. One outcome a kernel,
/// in order.
std::vector<KernelOutcome>
compileKernels(const Device &device, llvm::ArrayRef<mlir::ModuleOp> kernels,
               const FailureRequest &failures);

/// Loads the kernels that were compiled and lists their functions in order. A
/// kernel that cannot be loaded has failed from then on. Adds to phase "load".
std::shared_ptr<LoadedKernels>
loadKernels(const Device &device, llvm::MutableArrayRef<KernelOutcome> outcomes,
            PhaseTimes &times);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_KERNELDRIVER_H
