//===- Sweep.h - Measuring many shapes of a graph ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_SWEEP_SWEEP_H
#define TANDEM_TOOLS_TANDEM_BENCH_SWEEP_SWEEP_H

#include "sweep/ShapeMeasurement.h"

#include "common/RunEnvironment.h"

#include <nlohmann/json.hpp>

namespace tandem::bench {

/// Options of `tandem-bench sweep`.
struct SweepOptions {
  MeasureOptions measure;
  std::string vary, json, html;
  tools::RunEnvironment environment;
};

/// Measures all shapes and prints a table. Returns true where every shape could
/// be measured.
Expected<bool> sweep(const SweepOptions &options);

/// The measurement of one shape as a line of the result file.
nlohmann::ordered_json toRecord(const SweepOptions &options,
                                const ShapeMeasurement &shape);

/// Formats the table, in at most 120 columns for two varied dims.
std::string formatTable(const std::vector<ShapeMeasurement> &shapes);

/// Makes a self-contained HTML page from the records of one sweep. Fails where
/// plotly.min.js is not installed.
Expected<std::string>
makeHtml(const std::vector<nlohmann::ordered_json> &records);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_SWEEP_SWEEP_H
