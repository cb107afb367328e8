//===- MeasurementJson.cpp - Measurements as JSON -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/MeasurementJson.h"

namespace tandem::tools {

using nlohmann::ordered_json;

ordered_json toJson(const measure::Summary &summary) {
  return {{"median", summary.median},
          {"p10", summary.p10},
          {"p90", summary.p90},
          {"samples", summary.samples}};
}

ordered_json toJson(std::span<const TensorType> types) {
  ordered_json list = ordered_json::array();
  for (const TensorType &type : types)
    list.push_back(type.str());
  return list;
}

ordered_json toJson(const std::vector<PhaseTime> &phases) {
  ordered_json object = ordered_json::object();
  for (const PhaseTime &phase : phases)
    object[phase.phase] = object.value(phase.phase, 0.0) + phase.ns;
  return object;
}

ordered_json toJson(const Recomputation &recomputation) {
  ordered_json record = {{"peak_bytes_saved", recomputation.peakBytesSaved},
                         {"steps", ordered_json::array()}};
  for (const Recomputation::Step &step : recomputation.steps)
    record["steps"].push_back({{"location", step.location},
                               {"bytes", step.bytes},
                               {"estimated_ns", step.ns}});
  return record;
}

ordered_json toJson(const KernelCounts &counts) {
  return {{"compiled", counts.compiled},
          {"cached", counts.cached},
          {"stored", counts.stored},
          {"fell_back", counts.fellBack}};
}

std::string dtypeOf(std::span<const TensorType> types) {
  if (types.empty())
    return "none";
  for (const TensorType &type : types)
    if (type.dtype != types[0].dtype)
      return "mixed";
  return std::string(name(types[0].dtype));
}

} // namespace tandem::tools
