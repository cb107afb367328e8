//===- OutputCheck.h - Comparing tensors within bounds ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_OUTPUTCHECK_H
#define TANDEM_TOOLS_TANDEM_RUN_OUTPUTCHECK_H

#include "tandem/Runtime/ErrorBounds.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tandem::tools {

/// What --check found for one output of one tier.
struct Check {
  std::string label;
  size_t output = 0;
  TensorType type;
  /// Nothing where the output's type is wrong.
  std::optional<Difference> difference;
  bool passed() const { return difference && difference->agrees(); }
};

/// Compares the outputs of the tier that is called `label`.
std::vector<Check> compareOutputs(std::span<const BoundedTensor> expected,
                                  std::span<const Tensor> outputs,
                                  const std::string &label);

/// "ok", or which element differs and by how much.
std::string describeVerdict(const Check &check);
/// A table with a row for each check.
std::string formatChecks(const std::vector<Check> &checks);
nlohmann::ordered_json toJson(const Check &check);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_OUTPUTCHECK_H
