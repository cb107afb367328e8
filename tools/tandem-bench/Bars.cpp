//===- Bars.cpp - The project's performance bars --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bars.h"

#include "InputSets.h"
#include "common/Format.h"
#include "common/Json.h"

#include "tandem/Measure/Vary.h"

#include <cstdio>

namespace tandem::bench {
namespace {

using nlohmann::ordered_json;
using tools::formatTime;

/// Warm C of one graph, by phase, as a bar and a line for people.
Status addCompileBar(const BarsOptions &options, const std::string &name,
                     const measure::DimSizes &dims, double barNs,
                     std::vector<Bar> &bars) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, loadBarGraph(name));
  const Program &program = *graph->eagerProgram();
  TANDEM_ASSIGN_OR_RETURN(std::vector<TensorType> types,
                          measure::bindDims(program, dims));
  TANDEM_ASSIGN_OR_RETURN(InputSets inputs,
                          InputSets::create(program, types, 0));
  CompileJob job{name, "main", "cpu", options.threads, types};
  TANDEM_ASSIGN_OR_RETURN(
      CompileCost cost,
      measureWarm(*graph, job, inputs[0], options.seconds * 1e9, 5, 50));
  Bar bar{"warm compile of " + name, cost.total.median, barNs, true, "ns", {}};
  bar.from = cost.phases;
  bars.push_back(std::move(bar));
  return {};
}

std::string format(const Bar &bar, double value) {
  if (bar.unit == "ns")
    return formatTime(value);
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", value);
  return text;
}

void print(const std::vector<Bar> &bars) {
  tools::Table table(
      {{"bar", false}, {"measured"}, {"bar"}, {"measured/bar"}, {"", false}});
  for (const Bar &bar : bars) {
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2f", bar.measured / bar.bar);
    table.addRow({bar.what, format(bar, bar.measured),
                  (bar.atMost ? "≤ " : "≥ ") + format(bar, bar.bar), ratio,
                  bar.passed() ? "pass" : "SHORT"});
  }
  std::printf("%s\n", table.str().c_str());
  for (const Bar &bar : bars) {
    std::printf("%s:", bar.what.c_str());
    for (const auto &[name, summary] : bar.from)
      std::printf(
          " %s %s ±%.0f%%;", name.c_str(), formatTime(summary.median).c_str(),
          50 * (summary.p90 - summary.p10) / std::max(summary.median, 1e-9));
    std::printf("\n");
  }
}

std::string toLines(const BarsOptions &options, const std::vector<Bar> &bars) {
  std::string lines;
  for (const Bar &bar : bars) {
    ordered_json from = ordered_json::object();
    for (const auto &[name, summary] : bar.from)
      from[name] = tools::toJson(summary);
    ordered_json record = {{"tool", "tandem-bench bars"},
                           {"what", bar.what},
                           {"measured", bar.measured},
                           {"bar", bar.bar},
                           {"sense", bar.atMost ? "at most" : "at least"},
                           {"unit", bar.unit},
                           {"passed", bar.passed()},
                           {"from_ns", from}};
    record.update(tools::toJson(options.environment));
    lines += record.dump() + "\n";
  }
  return lines;
}

} // namespace

Expected<std::unique_ptr<Graph>> loadBarGraph(const std::string &name) {
  return Graph::parseFile(tools::sharePath("graphs/" + name + ".mlir"));
}

Expected<bool> runBars(const BarsOptions &options) {
  std::vector<Bar> bars;
  TANDEM_RETURN_IF_ERROR(addSpeedBars(options, bars));
  TANDEM_RETURN_IF_ERROR(
      addCompileBar(options, "chain8", {{"n", 1 << 20}}, 15e6, bars));
  TANDEM_RETURN_IF_ERROR(addCompileBar(options, "conv1d_relu",
                                       {{"N", 1000}, {"L", 100}}, 25e6, bars));
  TANDEM_RETURN_IF_ERROR(addCallBars(options, bars));
  print(bars);
  if (!options.json.empty())
    TANDEM_RETURN_IF_ERROR(
        tools::writeText(options.json, toLines(options, bars)));
  return true;
}

} // namespace tandem::bench
