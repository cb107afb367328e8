//===- Inputs.cpp - Inputs and weights of ONNX models ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Importer.h"

#include "Model/OpTable.h"

#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

using namespace mlir;

namespace tandem::onnx {

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
  if (!given.has_shape())
    return emitError(loc) << "input '" << info.name()
                          << "' must have a shape; its dims may be free";
  if (given.shape().dim_size() > kMaxRank)
    return emitError(loc) << "input '" << info.name() << "' has more than "
                          << kMaxRank << " dims";
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
    return emitError(loc) << "input '" << info.name() << "' is "
                          << whyNotAddressable(input.type);
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
  if (!isRight)
    return emitError(loc) << "input '" << info.name() << "' of type " << type
                          << " cannot have " << count << " elements";
  if (count > ImportOptions::kMaxValues)
    return emitError(loc) << "input '" << info.name()
                          << "' determines a shape and has " << count
                          << " elements; at most " << ImportOptions::kMaxValues
                          << " are supported";
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
  if (!fits(*named.integers))
    return emitError(loc) << "input '" << info.name() << "' of type " << type
                          << " cannot have the value that is given";
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
  Scope &scope = scopes.back();
  if (!scope.names.insert(name).second)
    return emitError(loc) << "the name '" << name << "' is given twice";
  scope.pending.erase(name);
  auto [known, isNew] = state.values.try_emplace(name);
  if (!isNew)
    scope.shadowed.emplace_back(name, std::exchange(known->second, {}));
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

} // namespace tandem::onnx
