//===- StepCheck.h - Comparing each step by itself --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_STEPCHECK_H
#define TANDEM_TOOLS_TANDEM_RUN_STEPCHECK_H

#include "OutputCheck.h"

#include "common/Tiers.h"

namespace tandem::tools {

/// What was found for the steps of one tier.
struct StepChecks {
  /// A result that does not agree.
  struct Divergence {
    /// The number and the name of the step, and the locations of its ops.
    size_t step = 0;
    std::string name;
    std::vector<std::string> sources;
    Check check;
  };
  /// The results that do not agree, those of the first step first.
  std::vector<Divergence> divergences;
  /// Results that were compared, those of them where wrong elements may be
  /// within the bounds, and results that have no reference.
  size_t compared = 0, weak = 0, unknown = 0;
};

/// Runs a tier and compares the results of every step with what the reference
/// computes from the very operands that the step has read. So an error is seen
/// at the step that makes it, within the bounds of that step alone, however
/// little of it reaches the outputs. A compiled program must have been prepared
/// with CompileOptions::keepsOps. `inputs` are in the memory of its device.
Expected<StepChecks> checkSteps(const PreparedTier &prepared,
                                std::span<const Tensor> inputs,
                                const ErrorBoundOptions &bounds,
                                const std::string &label);

/// "compiled: 54 results of 52 steps agree", or which do not.
std::string format(const StepChecks &checks, const std::string &label,
                   const std::string &file);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_STEPCHECK_H
