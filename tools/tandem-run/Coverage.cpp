//===- Coverage.cpp - What runs each op of a file -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"

#include "Model.h"
#include "Sources.h"

#include "common/Format.h"
#include "common/MeasurementJson.h"
#include "common/ProgressLine.h"

#include <array>
#include <cstdio>
#include <map>

namespace tandem::tools {
namespace {

/// The nodes of one op.
struct OpCoverage {
  /// How many of the nodes are executed in each way.
  std::array<size_t, kNumExecutions> executions{};
  size_t nodes = 0;
  /// How many of the nodes became several ops.
  size_t decomposed = 0;

  void add(const NodeCoverage &node) {
    ++executions[size_t(node.execution)];
    ++nodes;
    decomposed += node.ops > 1;
  }
};

using CoverageByOp = std::map<std::string, OpCoverage>;

Expected<Coverage> findCoverage(const RunOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(GraphWithInputs opened,
                          openGraph(options, /*keepsGoing=*/true));
  ProgressLine line;
  CompileOptions compile = options.compile;
  compile.device = options.device;
  showProgress(compile, line);
  return opened.graph->coverage(
      typesOf(opened.inputs), compile,
      options.tier.empty() ? Tier::compiled : *parseTier(options.tier));
}

std::string nameOf(size_t execution) {
  return std::string(name(Execution(execution)));
}

std::vector<std::string> rowOf(const std::string &op,
                               const OpCoverage &coverage) {
  std::vector<std::string> row{op, std::to_string(coverage.nodes)};
  for (size_t count : coverage.executions)
    row.push_back(count ? std::to_string(count) : "");
  row.push_back(coverage.decomposed ? std::to_string(coverage.decomposed) : "");
  return row;
}

std::string format(const CoverageByOp &coverage) {
  std::vector<Table::Column> columns{{"op", false}, {"nodes"}};
  for (size_t i = 0; i < kNumExecutions; ++i)
    columns.push_back({nameOf(i)});
  columns.push_back({"decomposed"});
  Table table(std::move(columns));
  OpCoverage sum;
  for (const auto &[op, one] : coverage) {
    table.addRow(rowOf(op, one));
    for (size_t i = 0; i < kNumExecutions; ++i)
      sum.executions[i] += one.executions[i];
    sum.nodes += one.nodes;
    sum.decomposed += one.decomposed;
  }
  table.addRow(rowOf("all", sum));
  return table.str();
}

/// "refused: Foo ('a', 'b'): the op is unknown", a line for each way of
/// executing that has a reason, op and reason.
std::string describeReasons(const Coverage &coverage, const std::string &file) {
  std::map<std::array<std::string, 3>, std::string> names;
  for (const NodeCoverage &node : coverage.nodes)
    if (!node.reason.empty()) {
      std::string &list =
          names[{std::string(name(node.execution)), node.op, node.reason}];
      list += (list.empty() ? "'" : ", '") +
              withoutFile({node.location}, file).front() + "'";
    }
  std::string text;
  for (const auto &[what, list] : names)
    text += what[0] + ": " + what[1] + " (" + list + "): " + what[2] + "\n";
  return text;
}

nlohmann::ordered_json toJson(const CoverageByOp &coverage) {
  nlohmann::ordered_json ops = nlohmann::ordered_json::array();
  for (const auto &[op, one] : coverage) {
    ops.push_back({{"op", op}, {"nodes", one.nodes}});
    for (size_t i = 0; i < kNumExecutions; ++i)
      ops.back()[nameOf(i)] = one.executions[i];
    ops.back()["decomposed"] = one.decomposed;
  }
  return ops;
}

Status writeRecord(const RunOptions &options, const CoverageByOp &coverage) {
  if (options.json.empty())
    return {};
  nlohmann::ordered_json record = {{"tool", "tandem-run"},
                                   {"graph", options.file},
                                   {"device", options.device},
                                   {"coverage", toJson(coverage)}};
  record.update(toJson(options.environment));
  return writeText(options.json, jsonText(record) + "\n");
}

} // namespace

Expected<bool> printCoverage(const RunOptions &options) {
  TANDEM_ASSIGN_OR_RETURN(Coverage coverage, findCoverage(options));
  CoverageByOp byOp;
  for (const NodeCoverage &node : coverage.nodes)
    byOp[node.op].add(node);
  std::printf("%s%s", describeReasons(coverage, options.file).c_str(),
              format(byOp).c_str());
  TANDEM_RETURN_IF_ERROR(writeRecord(options, byOp));
  return coverage.isComplete();
}

} // namespace tandem::tools
