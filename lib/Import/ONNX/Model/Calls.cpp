//===- Calls.cpp - Model-local functions and graphs in nodes --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Importer.h"

#include "Model/OpTable.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tandem::onnx {

/// kMaxDepth limits how deep calls and graphs are nested, and kMaxNodes the
/// total number of their nodes.
static constexpr size_t kMaxNodes = 100000;
static constexpr int kMaxDepth = 64;

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

/// Whether a name is that of an input of the function which its call leaves
/// out.
static bool isLeftOut(const std::string &name, const proto::NodeProto &call,
                      const proto::FunctionProto &function) {
  for (int i = 0; i < function.input_size(); ++i)
    if (function.input(i) == name)
      return i >= call.input_size() || call.input(i).empty();
  return false;
}

/// The attribute that a call gives for an attribute of a function; null if the
/// op in the function uses its own default.
static const proto::AttributeProto *
attributeOf(const std::string &name, const proto::NodeProto &call,
            const proto::FunctionProto &function) {
  const proto::AttributeProto *given = nullptr;
  for (const auto *list : {&function.attribute_proto(), &call.attribute()})
    for (const proto::AttributeProto &candidate : *list)
      if (candidate.name() == name)
        given = &candidate;
  return given;
}

/// Replaces references to a function's attributes and inputs in one of its
/// nodes, or in a node of a graph within it, by those of the call. Inputs that
/// the call omits are omitted.
static void substitute(proto::NodeProto &node, const proto::NodeProto &call,
                       const proto::FunctionProto &function) {
  for (std::string &input : *node.mutable_input())
    if (isLeftOut(input, call, function))
      input.clear();
  google::protobuf::RepeatedPtrField<proto::AttributeProto> attributes;
  attributes.Swap(node.mutable_attribute());
  for (proto::AttributeProto &attribute : attributes) {
    const std::string name = attribute.name();
    if (!attribute.ref_attr_name().empty()) {
      const auto *given =
          attributeOf(attribute.ref_attr_name(), call, function);
      if (!given)
        continue;
      attribute = *given;
      attribute.set_name(name);
    } else if (attribute.has_g()) {
      for (proto::NodeProto &inner : *attribute.mutable_g()->mutable_node())
        substitute(inner, call, function);
    }
    node.add_attribute()->Swap(&attribute);
  }
}

LogicalResult Importer::countNodes(int count, Location loc) {
  innerNodes += 1 + static_cast<size_t>(count);
  if (depth >= kMaxDepth)
    return emitError(loc) << "calls or graphs that are nested too deeply";
  if (innerNodes > kMaxNodes)
    return emitError(loc) << "calls and loops that expand to more than "
                          << kMaxNodes << " nodes";
  return success();
}

/// Adds the nodes of a function in a scope of its own.
LogicalResult Importer::addCall(const proto::NodeProto &call,
                                const proto::FunctionProto &called) {
  Location loc = state.location(call.name());
  if (failed(countNodes(called.node_size(), loc)))
    return failure();
  llvm::StringMap<NamedValue> values;
  Scope scope;
  for (int i = 0; i < std::min(call.input_size(), called.input_size()); ++i)
    if (!call.input(i).empty()) {
      values[called.input(i)] = state.values[call.input(i)];
      scope.names.insert(called.input(i));
    }
  std::swap(values, state.values);
  scopes.push_back(std::move(scope));
  int64_t outerOpset = opset;
  for (const auto &set : called.opset_import())
    if (isDefaultDomain(set.domain()))
      opset = set.version();
  ++depth;
  LogicalResult result = success();
  for (const proto::NodeProto &node : called.node())
    if (succeeded(result)) {
      proto::NodeProto &copy = expanded.emplace_back(node);
      copy.set_name(call.name() + "/" + node.name());
      substitute(copy, call, called);
      result = addNode(copy);
    }
  --depth;
  opset = outerOpset;
  scopes.pop_back();
  std::swap(values, state.values);
  if (failed(result))
    return failure();
  for (int i = 0; i < call.output_size(); ++i) {
    if (call.output(i).empty())
      continue;
    if (i >= called.output_size() || !values.contains(called.output(i)))
      return emitError(loc)
             << "function '" << called.name() << "' has no result " << i;
    state.values[call.output(i)] = values[called.output(i)];
  }
  return success();
}

void Importer::leaveScope() {
  for (const auto &name : scopes.back().names)
    state.values.erase(name.getKey());
  for (auto &[name, outer] : scopes.back().shadowed)
    state.values[name] = std::move(outer);
  scopes.pop_back();
}

bool Importer::isPending(StringRef name) const {
  for (const Scope &scope : llvm::reverse(scopes)) {
    if (scope.names.contains(name))
      return false;
    if (scope.pending.contains(name))
      return true;
  }
  return false;
}

LogicalResult Importer::addBody(const proto::GraphProto &inner,
                                ArrayRef<NamedValue> operands) {
  if (failed(addWeights(inner)))
    return failure();
  for (auto [info, operand] : llvm::zip(inner.input(), operands)) {
    if (failed(declare(info.name(), state.location(info.name()))))
      return failure();
    state.values[info.name()] = operand;
  }
  for (const proto::NodeProto &node : inner.node())
    for (const std::string &output : node.output())
      if (!output.empty() && state.values.contains(output))
        scopes.back().pending.insert(output);
  for (const proto::NodeProto &node : inner.node())
    if (failed(addNode(node)))
      return failure();
  return success();
}

FailureOr<SmallVector<NamedValue>>
Importer::addGraph(const proto::GraphProto &inner,
                   ArrayRef<NamedValue> operands) {
  Location loc = state.location(inner.name());
  if (failed(countNodes(inner.node_size(), loc)))
    return failure();
  if (inner.input_size() != static_cast<int>(operands.size()))
    return emitError(loc) << "a graph of " << inner.input_size()
                          << " inputs that is given " << operands.size();
  scopes.emplace_back();
  ++depth;
  llvm::scope_exit leave([&] {
    --depth;
    leaveScope();
  });
  if (failed(addBody(inner, operands)))
    return failure();
  SmallVector<NamedValue> results;
  for (const proto::ValueInfoProto &output : inner.output()) {
    if (!state.values.contains(output.name()))
      return emitError(loc)
             << "nothing computes the output '" << output.name() << "'";
    results.push_back(state.values[output.name()]);
  }
  return results;
}

} // namespace tandem::onnx
