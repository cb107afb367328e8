//===- Json.h - Measurements as JSON ----------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_JSON_H
#define TANDEM_TOOLS_COMMON_JSON_H

#include "tandem/Measure/Statistics.h"
#include "tandem/Runtime/Compiler.h"

#include <nlohmann/json.hpp>

#include <span>

namespace tandem::tools {

struct Environment;
/// Hardware, versions and command: part of every record.
nlohmann::ordered_json toJson(const Environment &environment);

/// {"median", "p10", "p90", "samples"}.
nlohmann::ordered_json toJson(const measure::Summary &summary);
/// ["tensor<4xf32>", …].
nlohmann::ordered_json toJson(std::span<const TensorType> types);
inline nlohmann::ordered_json toJson(const std::vector<TensorType> &types) {
  return toJson(std::span<const TensorType>(types));
}
/// {"specialise": ns, …}, in order.
nlohmann::ordered_json toJson(const std::vector<PhaseTime> &phases);
/// {"compiled", "cached", "fallen"}.
nlohmann::ordered_json toJson(const KernelCounts &counts);
nlohmann::ordered_json toJson(const Recomputation &recomputation);
/// The one element type, or "mixed"; "none" for no tensor.
std::string dtypeOf(std::span<const TensorType> types);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_JSON_H
