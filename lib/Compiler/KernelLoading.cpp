//===- KernelLoading.cpp - Compiled kernels into the process --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLoading.h"

using llvm::ArrayRef;
using llvm::MutableArrayRef;

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
      CompiledKernel{std::move(kernel), nullptr});
  if (target.loadsTogether())
    return result;
  PhaseTimer timer(times, "load");
  TANDEM_ASSIGN_OR_RETURN(result->loaded, loadAlone(target, result->kernel));
  return result;
}

/// All at once; an error where one of them stands in the way.
static Expected<LoadedKernels> loadTogether(const Target &target,
                                            ArrayRef<KernelOutcome> outcomes) {
  Program program;
  for (const KernelOutcome &outcome : outcomes)
    if (outcome.compiled)
      program.kernels.push_back(
          std::make_unique<fb::KernelT>((*outcome.compiled)->kernel));
  return load(target, program);
}

/// One by one; what cannot be loaded has failed.
static void loadEach(const Target &target,
                     MutableArrayRef<KernelOutcome> outcomes) {
  for (KernelOutcome &outcome : outcomes) {
    if (!outcome.compiled)
      continue;
    auto compiled = std::make_shared<CompiledKernel>(**outcome.compiled);
    if (auto loaded = loadAlone(target, compiled->kernel)) {
      compiled->loaded = *loaded;
      outcome.compiled = std::move(compiled);
    } else {
      outcome.compiled = tl::unexpected(std::move(loaded.error()));
    }
  }
}

LoadedKernels loadKernels(const Target &target,
                          MutableArrayRef<KernelOutcome> outcomes,
                          PhaseTimes &times) {
  if (target.loadsTogether()) {
    PhaseTimer timer(times, "load");
    if (auto loaded = loadTogether(target, outcomes))
      return *loaded;
    loadEach(target, outcomes);
  }
  LoadedKernels kernels;
  for (const KernelOutcome &outcome : outcomes)
    if (outcome.compiled)
      kernels.push_back((*outcome.compiled)->loaded);
  return kernels;
}

} // namespace tandem
