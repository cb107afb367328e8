//===- Tiers.h - A graph made ready to run on a tier ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_TIERS_H
#define TANDEM_TOOLS_COMMON_TIERS_H

#include "tandem/Tandem.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::tools {

enum class Tier { reference, eager, compiled };
std::string_view name(Tier tier);
std::optional<Tier> parseTier(std::string_view text);

/// The device of commands that name none.
std::string defaultDevice();

/// What --contractions takes.
const std::vector<std::pair<std::string, Contractions>> &contractionChoices();
extern const char *const kContractionsHelp;
/// What --winograd takes.
const std::vector<std::pair<std::string, Winograd>> &winogradChoices();
extern const char *const kWinogradHelp;

struct TierOptions {
  /// Of the compiled tier.
  CompileOptions compile;
  bool dispatchOnly = false;
};

/// Ready to run on inputs of the types it was prepared for.
struct PreparedTier {
  std::unique_ptr<Executor> executor;
  std::shared_ptr<const Program> program;
  /// Of the compiled tier: time by phase, and of the whole up to an executor.
  std::vector<PhaseTime> phases;
  double compileNs = 0;
  /// What `compile` itself took on the clock, kernels being compiled in
  /// parallel.
  double wallNs = 0;
  KernelCounts kernelCounts;
  int64_t rearrangedBytes = 0;
  Recomputation recomputation;
  std::shared_ptr<LoadedKernels> kernels;
};

/// An executor of `program`, as the tier would make it.
Expected<PreparedTier> prepareTier(const Graph &graph, Tier tier,
                                   std::span<const TensorType> inputs,
                                   const TierOptions &options = {});

/// Prints the warnings of a compilation to standard error.
void printWarnings(const std::vector<Warning> &warnings);

/// Compiles with a compiler that lives on, as in a running program.
Expected<PreparedTier> compileTier(Compiler &compiler,
                                   std::span<const TensorType> inputs,
                                   bool dispatchOnly = false);

std::vector<TensorType> typesOf(std::span<const Tensor> tensors);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_TIERS_H
