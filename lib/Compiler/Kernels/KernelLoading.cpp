//===- KernelLoading.cpp - Compiled kernels into the process --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelLoading.h"

namespace tandem {

static Expected<LoadedKernels> load(const Target &target,
                                    const Program &program) {
  TANDEM_ASSIGN_OR_RETURN(Device * device, target.device());
  return device->load(program);
}

Expected<std::shared_ptr<const LoadedKernel>> loadAlone(const Target &target,
                                                        fb::KernelT &kernel) {
  // Lent to a program of its own.
  Program program;
  program.kernels.push_back(std::make_unique<fb::KernelT>(std::move(kernel)));
  auto loaded = load(target, program);
  kernel = std::move(*program.kernels.front());
  if (!loaded)
    return tl::unexpected(std::move(loaded.error()));
  return std::move(loaded->front());
}

Expected<CompiledKernelPtr> loadOne(const Target &target, fb::KernelT kernel,
                                    PhaseTimes &times) {
  auto result = std::make_shared<CompiledKernel>(
      CompiledKernel{std::move(kernel), nullptr, {}});
  PhaseTimer timer(times, "load");
  TANDEM_ASSIGN_OR_RETURN(result->loaded, loadAlone(target, result->kernel));
  return result;
}

} // namespace tandem
