//===- Tiers.h - Preparing a graph for a tier -------------------*- C++ -*-===//
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

using tandem::PreparedTier;
using tandem::Tier;

/// The name of the device of commands that do not name one.
std::string defaultDevice();

/// How a tier is prepared.
struct TierOptions {
  /// Options of the compiled tier.
  CompileOptions compile;
  bool dispatchOnly = false;
};

/// Prepares the program and the executor of `tier` for inputs of these types.
Expected<PreparedTier> prepareTier(const Graph &graph, Tier tier,
                                   std::span<const TensorType> inputs,
                                   const TierOptions &options = {});

class ProgressLine;
/// Has the progress of a compilation with these options shown in `line`, which
/// must outlive the compilation.
void showProgress(CompileOptions &options, ProgressLine &line);

/// Prints the warnings of a compilation to standard error.
void printWarnings(const std::vector<Warning> &warnings);

/// Compiles with an existing compiler, as a running program does, for the
/// compiled or the captured tier, and prints the warnings.
Expected<PreparedTier> compileTier(Compiler &compiler,
                                   std::span<const TensorType> inputs,
                                   bool dispatchOnly = false,
                                   Tier tier = Tier::compiled);

/// The types of tensors, in order.
std::vector<TensorType> typesOf(std::span<const Tensor> tensors);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_TIERS_H
