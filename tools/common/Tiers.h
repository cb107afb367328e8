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

class ProgressLine;

using tandem::PreparedTier;
using tandem::Tier;

/// The name of the device of commands that do not name one.
std::string defaultDevice();

/// A tier as a Function prepares it for the calls of a user.
using PreparedPtr = std::shared_ptr<const PreparedTier>;

/// The tiers of a graph, which are prepared one by one. They outlive this
/// object.
class GraphTiers {
public:
  /// `graph` must outlive this object. If `dispatchOnly` is set, the steps of
  /// the programs do nothing.
  explicit GraphTiers(const Graph &graph, CompileOptions options = {},
                      bool dispatchOnly = false);
  ~GraphTiers();

  /// Prepares `tier` for inputs of these types, and compiles first if the tier
  /// needs that. Shows the progress and prints the warnings of a compilation on
  /// standard error.
  Expected<PreparedPtr> prepare(std::span<const TensorType> inputs, Tier tier);

private:
  /// The function that prepares `tier`, which is created where there is none.
  Expected<Function *> functionOf(Tier tier);

  const Graph &graph;
  const CompileOptions options;
  const bool dispatchOnly;
  /// A compiler is created only if a tier needs it.
  std::unique_ptr<Function> interpreted, compiled;
  /// Shows the progress; null while nothing is prepared.
  ProgressLine *line = nullptr;
};

/// Has the progress of a compilation with these options shown in `line`, which
/// must outlive the compilation.
void showProgress(CompileOptions &options, ProgressLine &line);

/// Prints the warnings of a compilation to standard error.
void printWarnings(const std::vector<Warning> &warnings);

/// Compiles with an existing compiler, as a running program does, and prints
/// the warnings.
Expected<PreparedTier> compileTier(Compiler &compiler,
                                   std::span<const TensorType> inputs);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_TIERS_H
