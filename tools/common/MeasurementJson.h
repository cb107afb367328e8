//===- MeasurementJson.h - Measurements as JSON -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_COMMON_MEASUREMENTJSON_H
#define TANDEM_TOOLS_COMMON_MEASUREMENTJSON_H

#include "tandem/Measure/Statistics.h"
#include "tandem/Runtime/Compiler.h"
#include "tandem/Support/Json.h"

#include <span>

namespace tandem::tools {

struct RunEnvironment;
/// Hardware, versions and command, which are part of every record.
nlohmann::ordered_json toJson(const RunEnvironment &environment);

/// {"median", "p10", "p90", "samples"}.
nlohmann::ordered_json toJson(const measure::Summary &summary);
/// ["tensor<4xf32>", …].
nlohmann::ordered_json toJson(std::span<const TensorType> types);
inline nlohmann::ordered_json toJson(const std::vector<TensorType> &types) {
  return toJson(std::span<const TensorType>(types));
}
/// {"specialize": ns, …}, in the order of the phases.
nlohmann::ordered_json toJson(const std::vector<PhaseTime> &phases);
/// {"compiled", "cached", "fell_back"}.
nlohmann::ordered_json toJson(const KernelCounts &counts);
/// The repeated steps and the bytes saved.
nlohmann::ordered_json toJson(const Recomputation &recomputation);
/// The element type that all types share, or "mixed"; "none" if there are no
/// types.
std::string dtypeOf(std::span<const TensorType> types);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_COMMON_MEASUREMENTJSON_H
