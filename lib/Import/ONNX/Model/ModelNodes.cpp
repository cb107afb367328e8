//===- ModelNodes.cpp - What becomes of each node of a model --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Importer.h"

#include "Model/OpTable.h"

#include "tandem/Target/Program/ProgramEmitter.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tandem::onnx {

/// How many ops follow `last` in its block, or are in `block` where `last` is
/// null, without constants.
static size_t countOpsAfter(Operation *last, Block &block) {
  size_t count = 0;
  for (auto at = last ? std::next(last->getIterator()) : block.begin();
       at != block.end(); ++at)
    count += !at->hasTrait<OpTrait::ConstantLike>();
  return count;
}

/// The description of a value within the graph.
static const proto::ValueInfoProto *findInfo(const proto::GraphProto &graph,
                                             StringRef name) {
  for (const auto *list : {&graph.value_info(), &graph.output()})
    for (const proto::ValueInfoProto &info : *list)
      if (info.name() == name)
        return &info;
  return nullptr;
}

static bool isOutput(const proto::GraphProto &graph, StringRef name) {
  return llvm::any_of(graph.output(), [&](const proto::ValueInfoProto &info) {
    return info.name() == name;
  });
}

void Importer::refuseResult(const std::string &name) {
  state.values[name] = {};
  // Names within functions and branches are not the graph's.
  const proto::ValueInfoProto *info = depth ? nullptr : findInfo(graph, name);
  if (!info || failed(addInput(*info)))
    state.values[name].isRefused = true;
}

SmallVector<Value> Importer::furtherOutputs() {
  std::vector<std::string> names = refusedInputs;
  if (state.options.allResults)
    for (const proto::NodeProto &node : graph.node())
      names.insert(names.end(), node.output().begin(), node.output().end());
  llvm::SetVector<Value> values;
  for (const std::string &name : names) {
    Value value = state.values.lookup(name).value;
    if (!value || matchPattern(value, m_Constant()) ||
        isa<BlockArgument>(value) || isOutput(graph, name) ||
        !values.insert(value))
      continue;
    result.outputs.push_back(name);
  }
  return values.takeVector();
}

/// Converts a node or says in `entry` why that cannot be.
void Importer::tryNode(const proto::NodeProto &node, ModelNode &entry) {
  const bool isKnown =
      findFunction(node) || findOp(node.domain(), node.op_type());
  entry.isBehindRefusal =
      isKnown && llvm::any_of(node.input(), [&](StringRef input) {
        return state.values.lookup(input).isRefused;
      });
  ScopedDiagnosticHandler handler(state.builder.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (entry.refusal.empty())
                                      entry.refusal = diagnostic.str();
                                    return success();
                                  });
  if (!entry.isBehindRefusal && succeeded(convertNode(node)))
    return;
  refusedInputs.insert(refusedInputs.end(), node.input().begin(),
                       node.input().end());
  for (const std::string &output : node.output())
    if (!output.empty())
      refuseResult(output);
}

LogicalResult Importer::addNode(const proto::NodeProto &node) {
  Block &block = function.getBody().front();
  Operation *last = block.empty() ? nullptr : &block.back();
  const size_t before = result.nodes.size();
  ModelNode entry;
  entry.location = renderLocation(Node(state, node, opset).location());
  entry.op = opName(node);
  if (state.options.keepsGoing)
    tryNode(node, entry);
  else if (failed(convertNode(node)))
    return failure();
  // Of a function or a branch, the nodes in it count.
  if (result.nodes.size() == before)
    entry.ops = countOpsAfter(last, block);
  result.nodes.insert(result.nodes.begin() + before, std::move(entry));
  return success();
}

} // namespace tandem::onnx
