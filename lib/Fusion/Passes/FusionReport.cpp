//===- FusionReport.cpp - What was fused, and why not more ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Fusion/FusionReport.h"

#include "Decision/OpFusionInfo.h"

#include "tandem/Fusion/BackendChoice.h"

#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;

namespace tandem {
namespace {

namespace json = llvm::json;

/// "graph.mlir:3:8", of the first place of several. JSON takes UTF-8 only.
std::string str(Location location) {
  std::string text;
  location->walk([&](Location inner) {
    auto place = dyn_cast<FileLineColLoc>(inner);
    if (!place)
      return WalkResult::advance();
    text = (place.getFilename().getValue() + ":" + Twine(place.getLine()) +
            ":" + Twine(place.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return json::fixUTF8(text);
}

json::Object toJson(Operation *op) {
  return json::Object{{"op", op->getName().getStringRef()},
                      {"location", str(op->getLoc())}};
}

json::Array toJson(ArrayRef<Operation *> ops) {
  json::Array array;
  for (Operation *op : ops)
    array.push_back(toJson(op));
  return array;
}

json::Object toJson(const FusionLogEntry &entry) {
  json::Object object{{"question", name(entry.question)},
                      {"producer", toJson(entry.producer)},
                      {"taken", bool(entry.decision)},
                      {"reason", name(entry.decision.reason())},
                      {"text", entry.decision.str()},
                      {"unfused_ns", entry.cost.unfusedNs},
                      {"fused_ns", entry.cost.fusedNs},
                      {"bytes_saved", entry.cost.bytesSaved}};
  if (entry.consumer)
    object["consumer"] = toJson(entry.consumer);
  return object;
}

/// A note of an earlier pass.
json::Value toJson(Attribute note) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(note)) {
    json::Object object;
    for (NamedAttribute entry : dictionary)
      object[entry.getName().getValue()] = toJson(entry.getValue());
    return object;
  }
  if (auto array = dyn_cast<ArrayAttr>(note)) {
    json::Array values;
    for (Attribute value : array)
      values.push_back(toJson(value));
    return values;
  }
  if (auto location = dyn_cast<LocationAttr>(note))
    return str(Location(location));
  if (auto number = dyn_cast<FloatAttr>(note))
    return number.getValueAsDouble();
  return cast<StringAttr>(note).getValue();
}

/// The convolutions and products that both ways can compute.
json::Array contractionsOf(Block &block) {
  json::Array contractions;
  for (Operation &op : block) {
    std::optional<BackendCosts> left = getBackendChoice(&op);
    std::optional<BackendCosts> costs = left ? left : getGeneratedNote(&op);
    if (!costs)
      continue;
    json::Object entry = toJson(&op);
    entry["chosen"] = left ? "library" : "generated";
    entry["generated_ns"] = costs->generatedNs;
    entry["library_ns"] = costs->libraryNs;
    contractions.push_back(std::move(entry));
  }
  return contractions;
}

json::Object totalsOf(const FusionReportData &data) {
  std::map<std::string, int64_t> refusals;
  int64_t taken = 0, bytes = 0;
  double ns = 0;
  for (const FusionLogEntry &entry : data.log) {
    if (!entry.decision) {
      ++refusals[name(entry.decision.reason()).str()];
      continue;
    }
    ++taken;
    bytes += entry.cost.bytesSaved;
    ns += entry.cost.unfusedNs - entry.cost.fusedNs;
  }
  json::Object byReason;
  for (const auto &[reason, count] : refusals)
    byReason[reason] = count;
  int64_t asked = static_cast<int64_t>(data.log.size());
  return json::Object{
      {"asked", asked},           {"taken", taken},
      {"refused", asked - taken}, {"refusals", std::move(byReason)},
      {"bytes_saved", bytes},     {"ns_saved", ns}};
}

} // namespace

json::Object toJson(Block &block, const FusionReportData &data) {
  json::Array decisions, kernels, steps;
  for (const FusionLogEntry &entry : data.log)
    decisions.push_back(toJson(entry));
  llvm::SmallPtrSet<Operation *, 32> fused;
  for (const FusionGroup &group : data.kernels) {
    fused.insert(group.ops.begin(), group.ops.end());
    kernels.push_back(
        json::Object{{"kind", ir::stringifyFusionKind(group.kind)},
                     {"ops", toJson(group.ops)},
                     {"results", static_cast<int64_t>(group.outputs.size())},
                     {"estimated_ns", group.estimatedNs}});
  }
  for (Operation &op : block.without_terminator())
    if (!fused.contains(&op) && !matchPattern(&op, m_Constant()))
      steps.push_back(toJson(&op));
  json::Object report{{"totals", totalsOf(data)},
                      {"decisions", std::move(decisions)},
                      {"kernels", std::move(kernels)},
                      {"op_steps", std::move(steps)},
                      {"contractions", contractionsOf(block)}};
  if (auto layouts =
          block.getParentOp()->getAttrOfType<DictionaryAttr>(kLayoutReport))
    report["layouts"] = toJson(Attribute(layouts));
  return report;
}

void dropNotes(Block &block) {
  block.getParentOp()->removeDiscardableAttr(kLayoutReport);
  for (Operation &op : block)
    dropGeneratedNote(&op);
}

} // namespace tandem
