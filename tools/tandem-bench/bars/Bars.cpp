//===- Bars.cpp - The project's performance bars --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bars/Bars.h"

#include "common/Format.h"
#include "common/MeasurementJson.h"

#include <algorithm>
#include <cstdio>

namespace tandem::bench {
namespace {

using nlohmann::ordered_json;
using tools::formatTime;

/// Bars that are measured together, by name.
struct BarGroup {
  const char *name;
  Status (*add)(const BarsOptions &options, Bars &bars);
};

constexpr BarGroup kGroups[] = {
    {"elementwise", addElementwiseBars},
    {"math", addMathBars},
    {"conv", addConvBars},
    {"norms", addNormBars},
    {"updates", addUpdateBars},
    {"graphs", addGraphBars},
    {"networks", addNetworkBars},
    {"matmul", addMatmulBars},
    {"conv-lists", addConvListBars},
    {"compile", addCompileBars},
    {"weights", addWeightBars},
    {"calls", addCallBars},
    {"embedding", addEmbeddingBars},
};

std::string format(const Bar &bar, double value) {
  if (bar.unit == "ns")
    return formatTime(value);
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", value);
  return text;
}

void print(const BarsOptions &options, const std::vector<Bar> &bars) {
  tools::Table table(
      {{"bar", false}, {"measured"}, {"bar"}, {"measured/bar"}, {"", false}});
  for (const Bar &bar : bars) {
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2f", bar.measured / bar.bar);
    table.addRow({bar.what, format(bar, bar.measured),
                  (bar.atMost ? "≤ " : "≥ ") + format(bar, bar.bar), ratio,
                  bar.passed() ? "pass" : "SHORT"});
  }
  std::printf("%s%s\n", tools::headingOf(options.environment).c_str(),
              table.str().c_str());
  for (const Bar &bar : bars) {
    if (bar.from.empty())
      continue;
    std::printf("%s:", bar.what.c_str());
    for (const auto &[name, summary] : bar.from)
      std::printf(
          " %s %s ±%.0f%%;", name.c_str(), formatTime(summary.median).c_str(),
          50 * (summary.p90 - summary.p10) / std::max(summary.median, 1.0));
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
    lines += jsonText(record) + "\n";
  }
  return lines;
}

} // namespace

Expected<std::unique_ptr<Graph>> loadBarGraph(const std::string &name) {
  return Graph::parseFile(tools::sharePath("graphs/" + name + ".mlir"));
}

std::vector<std::string> barGroups() {
  std::vector<std::string> names;
  for (const BarGroup &group : kGroups)
    names.push_back(group.name);
  return names;
}

Expected<bool> runBars(const BarsOptions &options) {
  Bars bars;
  for (const BarGroup &group : kGroups)
    if (options.only.empty() ||
        std::find(options.only.begin(), options.only.end(), group.name) !=
            options.only.end())
      TANDEM_RETURN_IF_ERROR(group.add(options, bars));
  print(options, bars);
  if (!options.json.empty())
    TANDEM_RETURN_IF_ERROR(
        tools::writeText(options.json, toLines(options, bars)));
  return true;
}

} // namespace tandem::bench
