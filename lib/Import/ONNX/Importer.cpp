//===- Importer.cpp - ONNX models to functions of the dialect -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "OpTable.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tandem::onnx {

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Marks the inputs from which the operand `name` follows as values.
void Importer::addShapeInputs(const std::string &name) {
  std::vector<std::string> pending{name};
  while (!pending.empty()) {
    std::string next = std::move(pending.back());
    pending.pop_back();
    if (next.empty() || !shapeInputs.insert(next).second)
      continue;
    auto maker = makers.find(next);
    if (maker == makers.end())
      continue;
    for (const proto::AttributeProto &attribute : maker->second->attribute())
      for (const proto::ValueInfoProto &output : attribute.g().output())
        pending.push_back(output.name());
    StringRef op = maker->second->op_type();
    if (op != "Shape" && op != "Size") // Which read no values.
      pending.insert(pending.end(), maker->second->input().begin(),
                     maker->second->input().end());
  }
}

void Importer::findShapeInputs() {
  std::vector<const proto::NodeProto *> nodes;
  std::set<const proto::FunctionProto *> seen;
  // Names within functions are other ones.
  for (const proto::FunctionProto &called : state.file.model().functions())
    seen.insert(&called);
  forEachNode(
      graph.node(),
      [&](const proto::NodeProto &node) { nodes.push_back(&node); }, seen);
  for (const proto::NodeProto *node : nodes)
    for (const std::string &output : node->output())
      makers.try_emplace(output, node);
  for (const proto::NodeProto *node : nodes) {
    const OpRow *row = findOp(node->domain(), node->op_type());
    for (int i = 0; row && i < std::min(node->input_size(), 32); ++i)
      if (row->shapeOperands >> i & 1)
        addShapeInputs(node->input(i));
  }
}

/// The name of a dim of an input, if it is free.
static std::string freeName(const proto::ValueInfoProto &info, int i) {
  const auto &dim = info.type().tensor_type().shape().dim(i);
  // Exporters of PaddlePaddle write -1 or "?" for a dim that they leave free.
  const bool isUnknown = !dim.has_dim_value() || dim.dim_value() == -1;
  if ((dim.dim_param().empty() && isUnknown) || dim.dim_param() == "?")
    return info.name() + "." + std::to_string(i);
  return dim.dim_param();
}

LogicalResult Importer::bindDims() {
  boundDims = state.options.dims;
  for (const proto::ValueInfoProto &info : graph.input()) {
    auto given = state.options.shapes.find(info.name());
    // What does not suit the input is said when the function is called.
    if (given == state.options.shapes.end() ||
        info.type().tensor_type().shape().dim_size() != given->second.rank())
      continue;
    for (int i = 0; i < given->second.rank(); ++i) {
      const std::string name = freeName(info, i);
      const int64_t size = given->second[i];
      if (name.empty())
        continue;
      auto [bound, isNew] = boundDims.try_emplace(name, size);
      if (!isNew && bound->second != size)
        return emitError(state.location(info.name()))
               << "dim '" << name << "' is " << bound->second << ", and "
               << size << " in input '" << info.name() << "'";
    }
  }
  return success();
}

/// The type of an input, with the sizes and names of its dims.
FailureOr<Importer::Input>
Importer::describeInput(const proto::ValueInfoProto &info) {
  Location loc = state.location(info.name());
  if (!info.type().has_tensor_type())
    return emitError(loc) << "input '" << info.name() << "' is no tensor";
  const auto &given = info.type().tensor_type();
  Expected<DType> dtype = convertDType(given.elem_type());
  if (!dtype)
    return emitError(loc) << "input '" << info.name()
                          << "': " << dtype.error().message;
  if (!given.has_shape() || given.shape().dim_size() > kMaxRank)
    return emitError(loc) << "input '" << info.name()
                          << "' must have a rank, of at most " << kMaxRank;
  Input input;
  Ints dims;
  for (int i = 0; i < given.shape().dim_size(); ++i) {
    const std::string name = freeName(info, i);
    auto bound = boundDims.find(name);
    bool isFree = !name.empty() && bound == boundDims.end();
    int64_t size = name.empty() ? given.shape().dim(i).dim_value()
                   : isFree     ? ShapedType::kDynamic
                                : bound->second;
    if (!isFree && size < 0)
      return emitError(loc)
             << "input '" << info.name() << "' has a negative dim";
    usedDims.insert(name);
    dims.push_back(size);
    input.dimNames.push_back(isFree ? name : "");
    input.sizes.push_back(isFree ? state.freeDim(name) : Size(size));
  }
  input.type = RankedTensorType::get(
      dims, ir::toMlirType(state.builder.getContext(), *dtype));
  if (!isAddressable(input.type))
    return emitError(loc) << "input '" << info.name() << "' is " << kTooLarge;
  return input;
}

/// Makes an input a constant.
LogicalResult Importer::fixInput(const proto::ValueInfoProto &info,
                                 RankedTensorType type,
                                 ArrayRef<double> values) {
  Location loc = state.location(info.name());
  int64_t count = values.size();
  bool isRight = type.getRank() == 0
                     ? count == 1
                     : type.isDynamicDim(0) || type.getDimSize(0) == count;
  if (!isRight || count > 64)
    return emitError(loc) << "input '" << info.name() << "' of type " << type
                          << " cannot have " << count << " elements";
  NamedValue &named = state.values[info.name()];
  if (auto element = dyn_cast<FloatType>(type.getElementType())) {
    SmallVector<Attribute> elements;
    for (double value : values)
      elements.push_back(FloatAttr::get(element, value));
    type = type.clone(ArrayRef(count).take_front(type.getRank()));
    named.value = state.constant(loc, DenseElementsAttr::get(type, elements));
    return success();
  }
  named.integers.emplace();
  named.integers->isScalar = type.getRank() == 0;
  named.integers->dtype = *ir::toDType(type.getElementType());
  for (double value : values)
    named.integers->elements.push_back(Size(toInteger(value)));
  return success();
}

/// Adds an argument, or takes the value that is given for an input.
LogicalResult Importer::addInput(const proto::ValueInfoProto &info) {
  FailureOr<Input> input = describeInput(info);
  if (failed(input))
    return failure();
  auto given = state.options.values.find(info.name());
  if (shapeInputs.contains(info.name()) && input->type.getRank() <= 1) {
    if (given != state.options.values.end())
      return fixInput(info, input->type, given->second);
    if (input->type.getRank() == 1 && input->type.getDimSize(0) == 0)
      return fixInput(info, input->type, {});
  }
  NamedValue &named = state.values[info.name()];
  named.value = function.getBody().front().addArgument(
      input->type, state.location(info.name()));
  state.setSizes(named.value, input->sizes);
  inputs.push_back(std::move(*input));
  result.inputs.push_back(info.name());
  return success();
}

LogicalResult Importer::declare(const std::string &name, Location loc) {
  if (name.empty())
    return emitError(loc) << "a value has no name";
  if (!state.values.try_emplace(name).second)
    return emitError(loc) << "the name '" << name << "' is given twice";
  declared.push_back(name);
  return success();
}

LogicalResult Importer::addWeights(const proto::GraphProto &of) {
  if (of.sparse_initializer_size() > 0) {
    const std::string &name = of.sparse_initializer(0).values().name();
    return emitError(state.location(name))
           << "weight '" << name << "' is sparse, which is not supported";
  }
  for (const proto::TensorProto &weight : of.initializer()) {
    if (failed(declare(weight.name(), state.location(weight.name()))))
      return failure();
    state.values[weight.name()].weight = &weight;
  }
  return success();
}

bool Importer::isGiven(const std::string &input) const {
  return state.options.values.contains(input) ||
         state.options.shapes.contains(input);
}

LogicalResult Importer::checkGiven() {
  std::set<std::string> unknown;
  for (const auto &[name, values] : state.options.values)
    unknown.insert(name);
  for (const auto &[name, shape] : state.options.shapes)
    unknown.insert(name);
  std::string all;
  for (const proto::ValueInfoProto &info : graph.input()) {
    unknown.erase(info.name());
    all += (all.empty() ? "'" : ", '") + info.name() + "'";
  }
  if (unknown.empty())
    return success();
  return emitError(state.location())
         << "the model has no input '" << *unknown.begin()
         << "' (its inputs are " << (all.empty() ? "none" : all) << ")";
}

LogicalResult Importer::addInputs() {
  if (failed(addWeights(graph)) || failed(bindDims()))
    return failure();
  for (const proto::ValueInfoProto &info : graph.input()) {
    // An initializer is the default of the input of its name.
    if (auto known = state.values.find(info.name());
        known != state.values.end() && known->second.weight) {
      if (!isGiven(info.name()))
        continue;
      known->second.weight = nullptr;
    } else if (failed(declare(info.name(), state.location(info.name())))) {
      return failure();
    }
    if (failed(addInput(info)))
      return failure();
  }
  if (failed(checkGiven()))
    return failure();
  for (const auto &[name, size] : state.options.dims)
    if (!usedDims.contains(name))
      return emitError(state.location())
             << "no input has a free dim '" << name << "'";
  return success();
}

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
    if (input.empty() || state.values.contains(input))
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
  result.memory = std::move(state.memory);
  result.files = state.file.mappedFiles();
  result.copiedBytes = state.file.copiedBytes();
  return verify(*result.module);
}

} // namespace tandem::onnx

FailureOr<tandem::ImportedModel>
tandem::importONNX(MLIRContext *context, const std::string &path,
                   const ImportOptions &options) {
  Expected<std::unique_ptr<onnx::ModelFile>> file = onnx::ModelFile::open(path);
  if (!file)
    return emitError(FileLineColLoc::get(context, path, 0, 0))
           << file.error().message;
  onnx::Importer importer(context, **file, options);
  if (failed(importer.run()))
    return failure();
  return std::move(importer.result);
}
