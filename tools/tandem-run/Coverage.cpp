//===- Coverage.cpp - What runs each op of a file -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"

#include "Model.h"
#include "StepInfo.h"

#include "common/Format.h"
#include "common/MeasurementJson.h"
#include "common/Tiers.h"

#include "tandem/Runtime/Program/ProgramLoops.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace tandem::tools {
namespace {

/// What becomes of a node. Where several hold, the last does.
enum Way {
  /// Nothing runs: its results are known, or those of another node.
  folded,
  generated,
  library,
  reference,
  /// It reads what a node computes that is refused.
  behindRefusal,
  refused,
  numWays
};
constexpr std::array<const char *, numWays> kWayNames = {
    "folded", "generated", "library", "reference", "not reached", "refused"};

/// The nodes of one op.
struct OpCoverage {
  std::array<size_t, numWays> ways{};
  size_t nodes = 0;
  /// How many of the nodes became several ops.
  size_t decomposed = 0;

  void add(Way way, bool isDecomposed) {
    ++ways[way];
    ++nodes;
    decomposed += isDecomposed;
  }
};

/// By op.
using Coverage = std::map<std::string, OpCoverage>;
/// By location.
using WaysOfNodes = std::map<std::string, Way>;

Way wayOf(StepKind kind) {
  switch (kind) {
  case StepKind::kernel:
    return generated;
  case StepKind::library:
    return library;
  case StepKind::reference:
    return reference;
  case StepKind::view:
    return folded;
  }
  __builtin_unreachable();
}

/// Prepares the tier and looks which steps the nodes are in.
Expected<WaysOfNodes> findWays(const RunOptions &options,
                               const GraphWithInputs &opened) {
  Tier tier = options.tier.empty() ? Tier::compiled : *parseTier(options.tier);
  const std::vector<TensorType> types = typesOf(opened.inputs);
  TierOptions tierOptions;
  tierOptions.compile = options.compile;
  tierOptions.compile.device = options.device;
  // A program that is kept may have the names of another file.
  tierOptions.compile.diskCache = false;
  TANDEM_ASSIGN_OR_RETURN(PreparedTier prepared,
                          prepareTier(*opened.graph, tier, types, tierOptions));
  TANDEM_ASSIGN_OR_RETURN(
      std::vector<StepInfo> steps,
      describeSteps(prepared, tier, types, options.compile));
  WaysOfNodes ways;
  for (const StepInfo &step : steps)
    for (const std::string &source : step.sources) {
      Way &way = ways.try_emplace(source, folded).first->second;
      way = std::max(way, wayOf(step.kind));
    }
  return ways;
}

/// The nodes of a model, or the ops of an MLIR file.
std::vector<ModelNode> nodesOf(const Graph &graph) {
  if (!graph.outputNames().empty() || !graph.nodes().empty())
    return graph.nodes();
  std::vector<ModelNode> nodes;
  forEachStep(*graph.eagerProgram(), [&](const fb::StepT &step) {
    if (!step.op)
      return;
    ModelNode node;
    node.location = step.location;
    node.op = tandem::name(step.op->kind);
    node.ops = 1;
    nodes.push_back(std::move(node));
  });
  return nodes;
}

Way wayOf(const ModelNode &node, const WaysOfNodes &ways) {
  if (!node.refusal.empty())
    return refused;
  if (node.isBehindRefusal)
    return behindRefusal;
  auto found = ways.find(node.location);
  return node.ops == 0 || found == ways.end() ? folded : found->second;
}

std::vector<std::string> rowOf(const std::string &op,
                               const OpCoverage &coverage) {
  std::vector<std::string> row{op, std::to_string(coverage.nodes)};
  for (size_t count : coverage.ways)
    row.push_back(count ? std::to_string(count) : "");
  row.push_back(coverage.decomposed ? std::to_string(coverage.decomposed) : "");
  return row;
}

std::string format(const Coverage &coverage) {
  std::vector<Table::Column> columns{{"op", false}, {"nodes"}};
  for (const char *way : kWayNames)
    columns.push_back({way});
  columns.push_back({"decomposed"});
  Table table(std::move(columns));
  OpCoverage sum;
  for (const auto &[op, one] : coverage) {
    table.addRow(rowOf(op, one));
    for (size_t way = 0; way < numWays; ++way)
      sum.ways[way] += one.ways[way];
    sum.nodes += one.nodes;
    sum.decomposed += one.decomposed;
  }
  table.addRow(rowOf("all", sum));
  return table.str();
}

/// "Foo: 'a', 'b': the op is unknown", a line for each op and reason.
std::string describeRefusals(const std::vector<ModelNode> &nodes,
                             const std::string &file) {
  std::map<std::pair<std::string, std::string>, std::string> names;
  for (const ModelNode &node : nodes)
    if (!node.refusal.empty()) {
      std::string &list = names[{node.op, node.refusal}];
      list += (list.empty() ? "'" : ", '") +
              withoutFile({node.location}, file).front() + "'";
    }
  std::string text;
  for (const auto &[what, list] : names)
    text += "refused: " + what.first + " (" + list + "): " + what.second + "\n";
  return text;
}

nlohmann::ordered_json toJson(const Coverage &coverage) {
  nlohmann::ordered_json ops = nlohmann::ordered_json::array();
  for (const auto &[op, one] : coverage) {
    ops.push_back({{"op", op}, {"nodes", one.nodes}});
    for (size_t way = 0; way < numWays; ++way)
      ops.back()[kWayNames[way]] = one.ways[way];
    ops.back()["decomposed"] = one.decomposed;
  }
  return ops;
}

Status writeRecord(const RunOptions &options, const Coverage &coverage) {
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
  TANDEM_ASSIGN_OR_RETURN(GraphWithInputs opened,
                          openGraph(options, /*keepsGoing=*/true));
  const std::vector<ModelNode> nodes = nodesOf(*opened.graph);
  std::printf("%s", describeRefusals(nodes, options.file).c_str());
  TANDEM_ASSIGN_OR_RETURN(WaysOfNodes ways, findWays(options, opened));
  Coverage coverage;
  bool isComplete = true;
  for (const ModelNode &node : nodes) {
    const Way way = wayOf(node, ways);
    coverage[node.op].add(way, node.ops > 1);
    isComplete &= way != refused;
  }
  std::printf("%s", format(coverage).c_str());
  TANDEM_RETURN_IF_ERROR(writeRecord(options, coverage));
  return isComplete;
}

} // namespace tandem::tools
