//===- Importer.cpp - ONNX models to functions of the dialect -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Importer.h"

#include "Model/OpTable.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tandem::onnx {

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The most nodes that a message names for one op.
static constexpr size_t kMaxNames = 8;

/// Names every op that is not in the table, with its nodes.
LogicalResult Importer::checkOps() {
  std::map<std::string, std::vector<std::string>> unknown;
  std::set<const proto::FunctionProto *> seen;
  auto check = [&](const proto::NodeProto &node) {
    if (findFunction(node) || findOp(node.domain(), node.op_type()))
      return;
    bool isNamed = !node.name().empty() || node.output_size() == 0;
    unknown[opName(node)].push_back(
        "'" + (isNamed ? node.name() : node.output(0)) + "'");
  };
  forEachNode(graph.node(), check, seen);
  if (unknown.empty())
    return success();
  InFlightDiagnostic diagnostic = emitError(state.location())
                                  << "ops that cannot be imported:";
  const char *separator = " ";
  for (const auto &[op, nodes] : unknown) {
    size_t shown = std::min(nodes.size(), kMaxNames);
    diagnostic << separator << op << " ("
               << llvm::join(ArrayRef(nodes).take_front(shown), ", ");
    if (shown < nodes.size())
      diagnostic << " and " << nodes.size() - shown << " more";
    diagnostic << ")";
    separator = "; ";
  }
  return diagnostic;
}

LogicalResult Importer::checkOperands(const proto::NodeProto &node,
                                      Location loc) {
  for (const proto::AttributeProto &attribute : node.attribute())
    if (!attribute.ref_attr_name().empty())
      return emitError(loc) << "attribute '" << attribute.name()
                            << "' refers to '" << attribute.ref_attr_name()
                            << "' of a call, but is in no function";
  for (const std::string &input : node.input()) {
    const bool isKnown = state.values.contains(input) && !isPending(input);
    if (input.empty() || isKnown)
      continue;
    if (makers.count(input))
      return emitError(loc) << "reads '" << input
                            << "' before the node that computes it: the graph "
                               "has a cycle, or is not sorted";
    return emitError(loc) << "reads '" << input << "', which nothing defines";
  }
  return success();
}

LogicalResult Importer::convertNode(const proto::NodeProto &proto) {
  Node node(state, proto, opset);
  Location loc = state.location(proto.name());
  if (proto.output_size() == 0)
    return emitError(loc) << "a node of " << opName(proto) << " has no outputs";
  if (failed(checkOperands(proto, loc)))
    return failure();
  for (const std::string &output : proto.output())
    if (!output.empty() && failed(declare(output, loc)))
      return failure();
  if (const proto::FunctionProto *called = findFunction(proto))
    return addCall(proto, *called);
  const OpRow *row = findOp(proto.domain(), proto.op_type());
  if (row && row->isWide)
    node.widenHalves();
  if (!row)
    node.error("the op is unknown");
  else if (!evaluateIntegers(node) && !node.hasFailed())
    row->convert(node);
  if (node.hasFailed())
    return failure();
  for (const std::string &output : proto.output()) {
    NamedValue &named = state.values[output];
    if (!output.empty() && !named.value && !named.integers && !named.weight &&
        !named.isRefused)
      node.error("result '" + output + "' is not computed");
  }
  return failure(node.hasFailed());
}

LogicalResult Importer::addOutputs() {
  SmallVector<Value> values = furtherOutputs();
  for (const proto::ValueInfoProto &info : graph.output()) {
    Location loc = state.location(info.name());
    if (!state.values.contains(info.name()))
      return emitError(loc)
             << "nothing computes the output '" << info.name() << "'";
    if (state.values[info.name()].isRefused)
      continue;
    proto::NodeProto reader;
    reader.set_op_type("output");
    reader.set_name(info.name());
    reader.add_input(info.name());
    values.push_back(Node(state, reader, opset).operand(0));
    if (!values.back())
      return failure();
    result.outputs.push_back(info.name());
  }
  if (values.empty() && !state.options.keepsGoing)
    return emitError(state.location()) << "the graph has no outputs";
  func::ReturnOp::create(state.builder, state.location(), values);
  Block &body = function.getBody().front();
  function.setType(state.builder.getFunctionType(body.getArgumentTypes(),
                                                 ValueRange(values)));
  for (auto [i, input] : llvm::enumerate(inputs))
    if (llvm::any_of(input.dimNames,
                     [](const std::string &name) { return !name.empty(); }))
      function.setArgAttr(i, ir::TandemDialect::kDimsAttrName,
                          state.builder.getStrArrayAttr(SmallVector<StringRef>(
                              input.dimNames.begin(), input.dimNames.end())));
  return success();
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

LogicalResult Importer::checkVersions() {
  const proto::ModelProto &model = state.file.model();
  Location loc = state.location();
  if (!model.has_graph())
    return emitError(loc) << "not an ONNX model: it has no graph";
  if (model.ir_version() < 3 || model.ir_version() > 13)
    return emitError(loc) << "IR version " << model.ir_version()
                          << " is not supported: 3 to 13 are";
  for (const auto &set : model.opset_import())
    if (isDefaultDomain(set.domain()))
      opset = set.version();
  if (opset < kFirstOpset || opset > kLastOpset)
    return emitError(loc) << "operator set " << opset
                          << " is not supported: " << kFirstOpset << " to "
                          << kLastOpset << " are";
  return success();
}

/// Erases what nobody reads, such as ops on constants whose result an op asked
/// for while importing.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult Importer::run() {
  if (failed(checkVersions()) ||
      (!state.options.keepsGoing && failed(checkOps())))
    return failure();
  OpBuilder &builder = state.builder;
  result.module = ModuleOp::create(state.location());
  builder.setInsertionPointToStart(result.module->getBody());
  function = func::FuncOp::create(builder, state.location(), "main",
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  findShapeInputs();
  if (failed(addInputs()))
    return failure();
  for (const proto::NodeProto &node : graph.node())
    if (failed(addNode(node)))
      return failure();
  if (failed(addOutputs()))
    return failure();
  eraseDeadOps(function.getBody().front());
  result.memory = std::move(state.memory);
  result.files = state.file.mappedFiles();
  result.copiedBytes = state.file.copiedBytes();
  return verify(*result.module);
}

} // namespace tandem::onnx

using ModelFilePtr = std::unique_ptr<tandem::onnx::ModelFile>;

static FailureOr<tandem::ImportedModel>
importFile(MLIRContext *context, const tandem::Expected<ModelFilePtr> &file,
           const std::string &name, const tandem::ImportOptions &options) {
  if (!file)
    return emitError(FileLineColLoc::get(context, name, 0, 0))
           << file.error().message;
  tandem::onnx::Importer importer(context, **file, options);
  if (failed(importer.run()))
    return failure();
  return std::move(importer.result);
}

FailureOr<tandem::ImportedModel>
tandem::importONNX(MLIRContext *context, const std::string &path,
                   const ImportOptions &options) {
  return importFile(context, onnx::ModelFile::open(path), path, options);
}

FailureOr<tandem::ImportedModel>
tandem::importONNX(MLIRContext *context, const ModelBytes &model,
                   const ImportOptions &options) {
  return importFile(context, onnx::ModelFile::read(model.memory, model.name),
                    model.name, options);
}
