//===- Calls.cpp - Model-local functions and graphs in nodes --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "OpTable.h"

using namespace mlir;

namespace tandem::onnx {

/// Limits to what calls of functions may expand to.
static constexpr size_t kMostNodes = 100000;
static constexpr int kMostDepth = 64;

const proto::FunctionProto *
Importer::findFunction(const proto::NodeProto &node) const {
  for (const proto::FunctionProto &function : state.file.model().functions())
    if (function.name() == node.op_type() &&
        function.domain() == node.domain() &&
        function.overload() == node.overload())
      return &function;
  return nullptr;
}

void Importer::forEachNode(
    const google::protobuf::RepeatedPtrField<proto::NodeProto> &nodes,
    function_ref<void(const proto::NodeProto &)> visit,
    std::set<const proto::FunctionProto *> &seen) const {
  for (const proto::NodeProto &node : nodes) {
    visit(node);
    for (const proto::AttributeProto &attribute : node.attribute())
      forEachNode(attribute.g().node(), visit, seen);
    const proto::FunctionProto *called = findFunction(node);
    if (called && seen.insert(called).second)
      forEachNode(called->node(), visit, seen);
  }
}

/// A node of a function, whose attributes may be those of its call.
static proto::NodeProto substitute(const proto::NodeProto &node,
                                   const proto::NodeProto &call,
                                   const proto::FunctionProto &function) {
  proto::NodeProto result = node;
  result.set_name(call.name() + "/" + node.name());
  result.clear_attribute();
  for (const proto::AttributeProto &attribute : node.attribute()) {
    const proto::AttributeProto *given = &attribute;
    if (!attribute.ref_attr_name().empty()) {
      given = nullptr;
      for (const auto *list : {&function.attribute_proto(), &call.attribute()})
        for (const proto::AttributeProto &candidate : *list)
          if (candidate.name() == attribute.ref_attr_name())
            given = &candidate;
    }
    if (!given) // The op's own default.
      continue;
    *result.add_attribute() = *given;
    result.mutable_attribute()->rbegin()->set_name(attribute.name());
  }
  return result;
}

/// Adds the nodes of a function in a scope of its own.
LogicalResult Importer::addCall(const proto::NodeProto &call,
                                const proto::FunctionProto &called) {
  Location loc = state.location(call.name());
  if (depth >= kMostDepth)
    return emitError(loc) << "calls that are nested too deeply";
  llvm::StringMap<NamedValue> scope;
  for (int i = 0; i < std::min(call.input_size(), called.input_size()); ++i)
    if (!call.input(i).empty())
      scope[called.input(i)] = state.values[call.input(i)];
  std::swap(scope, state.values);
  int64_t outerOpset = opset;
  for (const auto &set : called.opset_import())
    if (isDefaultDomain(set.domain()))
      opset = set.version();
  ++depth;
  LogicalResult result = success();
  for (const proto::NodeProto &node : called.node())
    if (expanded.size() >= kMostNodes)
      result = emitError(loc)
               << "calls that expand to more than " << kMostNodes << " nodes";
    else if (succeeded(result))
      result = addNode(expanded.emplace_back(substitute(node, call, called)));
  --depth;
  opset = outerOpset;
  std::swap(scope, state.values);
  if (failed(result))
    return failure();
  for (int i = 0; i < call.output_size(); ++i) {
    if (call.output(i).empty())
      continue;
    if (i >= called.output_size() || !scope.contains(called.output(i)))
      return emitError(loc)
             << "function '" << called.name() << "' has no result " << i;
    state.values[call.output(i)] = scope[called.output(i)];
  }
  return success();
}

LogicalResult Importer::addGraph(const proto::GraphProto &inner) {
  if (depth >= kMostDepth)
    return emitError(state.location()) << "graphs that are nested too deeply";
  if (failed(addWeights(inner)))
    return failure();
  ++depth;
  for (const proto::NodeProto &node : inner.node())
    if (failed(addNode(node)))
      return failure();
  --depth;
  return success();
}

} // namespace tandem::onnx
