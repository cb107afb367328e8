//===- CUDNNChecks.cpp - What descriptors of cuDNN must have --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libraries/CUDNNNode.h"

#include <algorithm>
#include <array>

using namespace fake;
using namespace fake::cudnn;

namespace {

struct Rule {
  int attribute, type;
  bool isRequired = true;
};

const std::map<int, std::vector<Rule>> &rules() {
  static const std::map<int, std::vector<Rule>> rules = {
      {Kind::tensor,
       {{Attribute::tensorDataType, Type::dataType},
        {Attribute::tensorDims, Type::int64},
        {Attribute::tensorStrides, Type::int64},
        {Attribute::tensorId, Type::int64},
        {Attribute::tensorAlignment, Type::int64},
        {Attribute::tensorIsVirtual, Type::boolean, false}}},
      {Kind::convolution,
       {{Attribute::convolutionComputeType, Type::dataType},
        {Attribute::convolutionMode, Type::convolutionMode},
        {Attribute::convolutionSpatialDims, Type::int64},
        {Attribute::convolutionStrides, Type::int64},
        {Attribute::convolutionPadLow, Type::int64},
        {Attribute::convolutionPadHigh, Type::int64},
        {Attribute::convolutionDilations, Type::int64}}},
      {Kind::convolutionForward,
       {{Attribute::forwardInput, Type::descriptor},
        {Attribute::forwardKernel, Type::descriptor},
        {Attribute::forwardOutput, Type::descriptor},
        {Attribute::forwardConvolution, Type::descriptor},
        {Attribute::forwardAlpha, -1}, // Of the type that is computed in.
        {Attribute::forwardBeta, -1}}},
      {Kind::convolutionBackwardData,
       {{Attribute::backwardDataInput, Type::descriptor},
        {Attribute::backwardDataKernel, Type::descriptor},
        {Attribute::backwardDataOutput, Type::descriptor},
        {Attribute::backwardDataConvolution, Type::descriptor},
        {Attribute::backwardDataAlpha, -1},
        {Attribute::backwardDataBeta, -1}}},
      {Kind::convolutionBackwardFilter,
       {{Attribute::backwardFilterInput, Type::descriptor},
        {Attribute::backwardFilterGradient, Type::descriptor},
        {Attribute::backwardFilterOutput, Type::descriptor},
        {Attribute::backwardFilterConvolution, Type::descriptor},
        {Attribute::backwardFilterAlpha, -1},
        {Attribute::backwardFilterBeta, -1}}},
      {Kind::pointwise,
       {{Attribute::pointwiseMode, Type::pointwiseMode},
        {Attribute::pointwisePrecision, Type::dataType}}},
      {Kind::pointwiseOperation,
       {{Attribute::pointwiseDescriptor, Type::descriptor},
        {Attribute::pointwiseX, Type::descriptor},
        {Attribute::pointwiseB, Type::descriptor, false},
        {Attribute::pointwiseY, Type::descriptor}}},
      {Kind::graph,
       {{Attribute::graphOperations, Type::descriptor},
        {Attribute::graphHandle, Type::handle, false}}},
      {Kind::heuristics,
       {{Attribute::heuristicGraph, Type::descriptor},
        {Attribute::heuristicMode, Type::heuristicMode},
        {Attribute::heuristicDevice, Type::descriptor, false}}},
      {Kind::engine,
       {{Attribute::engineGraph, Type::descriptor},
        {Attribute::engineIndex, Type::int64}}},
      {Kind::knobChoice,
       {{Attribute::knobType, Type::knobType},
        {Attribute::knobValue, Type::int64}}},
      {Kind::engineConfig,
       {{Attribute::configEngine, Type::descriptor},
        {Attribute::configKnobs, Type::descriptor, false}}},
      {Kind::plan,
       {{Attribute::planConfig, Type::descriptor},
        {Attribute::planHandle, Type::handle}}},
      {Kind::variantPack,
       {{Attribute::packIds, Type::int64},
        {Attribute::packPointers, Type::pointer},
        {Attribute::packWorkspace, Type::pointer}}}};
  return rules;
}

Result wrong(Result result, const std::string &message) {
  report("cuDNN: " + message);
  return result;
}

Result checkRules(const Node &node) {
  auto found = rules().find(node.kind);
  if (found == rules().end())
    return wrong(kBadParam, "a descriptor of kind " +
                                std::to_string(node.kind) + " is finalised");
  for (const Rule &rule : found->second) {
    const std::string name = "attribute " + std::to_string(rule.attribute);
    if (!node.has(rule.attribute)) {
      if (rule.isRequired)
        return wrong(kBadParam, name + " is not set");
      continue;
    }
    if (rule.type >= 0 && node.values.at(rule.attribute).type != rule.type)
      return wrong(kWrongType, name + " has another type");
  }
  for (const auto &[attribute, value] : node.values)
    if (std::none_of(
            found->second.begin(), found->second.end(),
            [&](const Rule &rule) { return rule.attribute == attribute; }))
      return wrong(kBadParam, "attribute " + std::to_string(attribute) +
                                  " is none of the descriptor's");
  return kSuccess;
}

Result checkTensor(const Node &node) {
  const auto sizes = node.list(Attribute::tensorDims);
  const auto strides = node.list(Attribute::tensorStrides);
  if (sizes.size() != strides.size() || sizes.size() < 4 || sizes.size() > 5)
    return wrong(kBadParam, "a tensor has no four or five dims");
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] <= 0 || strides[i] <= 0)
      return wrong(kBadParam, "a tensor's size or stride is not positive");
  const auto alignment = node.get<int64_t>(Attribute::tensorAlignment);
  if (alignment <= 0 || (alignment & (alignment - 1)) != 0)
    return wrong(kBadParam, "an alignment is no power of two");
  return kSuccess;
}

Result checkConvolution(const Node &node) {
  const auto rank =
      size_t(node.get<int64_t>(Attribute::convolutionSpatialDims));
  for (int attribute :
       {Attribute::convolutionStrides, Attribute::convolutionPadLow,
        Attribute::convolutionPadHigh, Attribute::convolutionDilations})
    if (node.list(attribute).size() != rank)
      return wrong(kBadParam, "a convolution's lists differ in length");
  return kSuccess;
}

/// The types of bytes are those that the real library plans with sums of i32.
Result checkTypesOfBytes(const ContractionNodes &nodes) {
  const auto typeOf = [](const Node &tensor) {
    return tensor.get<int>(Attribute::tensorDataType);
  };
  const int compute =
      nodes.convolution.get<int>(Attribute::convolutionComputeType);
  const bool areBytes = typeOf(nodes.input) == DataType::i8;
  if (areBytes != (compute == DataType::i32) ||
      areBytes != (typeOf(nodes.kernel) == DataType::i8) ||
      areBytes != (typeOf(nodes.output) == DataType::i32))
    return wrong(kBadParam, "a convolution's types do not fit");
  return kSuccess;
}

Result checkContraction(const Node &node) {
  const ContractionNodes nodes(node);
  if (Result result = checkTypesOfBytes(nodes))
    return result;
  const Node &conv = nodes.convolution;
  const auto in = nodes.windowed().list(Attribute::tensorDims);
  const auto kernel = nodes.weights().list(Attribute::tensorDims);
  const auto out = nodes.positions().list(Attribute::tensorDims);
  const auto strides = conv.list(Attribute::convolutionStrides);
  const auto low = conv.list(Attribute::convolutionPadLow);
  const auto high = conv.list(Attribute::convolutionPadHigh);
  const auto dilations = conv.list(Attribute::convolutionDilations);
  if (in.size() != strides.size() + 2 || in.size() != kernel.size() ||
      in.size() != out.size())
    return wrong(kShapeMismatch, "a convolution's ranks differ");
  if (in[0] != out[0] || kernel[0] != out[1] || in[1] % kernel[1] != 0 ||
      out[1] % (in[1] / kernel[1]) != 0)
    return wrong(kShapeMismatch, "a convolution's channels do not fit");
  for (size_t i = 0; i < strides.size(); ++i)
    if ((in[i + 2] + low[i] + high[i] - (kernel[i + 2] - 1) * dilations[i] -
         1) / strides[i] +
            1 !=
        out[i + 2])
      return wrong(kShapeMismatch, "a convolution's output has another size");
  const int compute = conv.get<int>(Attribute::convolutionComputeType);
  const int factor = compute == DataType::f64 ? Type::float64 : Type::float32;
  for (int attribute : {nodes.attributes.alpha, nodes.attributes.beta})
    if (node.values.at(attribute).type != factor)
      return wrong(kWrongType, "a factor is not of the type computed in");
  return kSuccess;
}

Result checkPointwise(const Node &node) {
  const int mode = node.node(Attribute::pointwiseDescriptor)
                       .get<int>(Attribute::pointwiseMode);
  if (node.has(Attribute::pointwiseB) != (mode == PointwiseMode::add))
    return wrong(kBadParam, "a pointwise operation's operands do not fit");
  const auto y = node.node(Attribute::pointwiseY).list(Attribute::tensorDims);
  if (node.node(Attribute::pointwiseX).list(Attribute::tensorDims) != y)
    return wrong(kShapeMismatch, "a pointwise operation's dims differ");
  if (!node.has(Attribute::pointwiseB))
    return kSuccess;
  const auto b = node.node(Attribute::pointwiseB).list(Attribute::tensorDims);
  for (size_t i = 0; i < y.size(); ++i)
    if (b.size() != y.size() || (b[i] != 1 && b[i] != y[i]))
      return wrong(kShapeMismatch, "an addend does not broadcast");
  return kSuccess;
}

/// The strides of a packed tensor: N, spatial dims, C or N, C, spatial dims.
/// The real library plans others like one of these, without a word.
bool isPacked(const Node &tensor) {
  const auto sizes = tensor.list(Attribute::tensorDims);
  for (bool isChannelsLast : {true, false}) {
    std::vector<size_t> order = {0};
    if (!isChannelsLast)
      order.push_back(1);
    for (size_t i = 2; i < sizes.size(); ++i)
      order.push_back(i);
    if (isChannelsLast)
      order.push_back(1);
    std::vector<int64_t> strides(sizes.size());
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0; stride *= sizes[order[i]])
      strides[order[i]] = stride;
    if (strides == tensor.list(Attribute::tensorStrides))
      return true;
  }
  return false;
}

Result checkGraph(const Node &node) {
  std::map<int64_t, NodeRef> ids;
  for (const NodeRef &tensor : interfaceOf(node)) {
    if (!ids.emplace(tensor->get<int64_t>(Attribute::tensorId), tensor).second)
      return wrong(kBadParam, "two tensors have one id");
    if (!isPacked(*tensor))
      return wrong(kLayoutNotSupported, "a tensor is not packed");
  }
  return kSuccess;
}

/// An engine's number is one of those for its graph.
Result checkEngine(const Node &node) {
  for (const Engine &engine : enginesFor(node.node(Attribute::engineGraph)))
    if (engine.index == node.get<int64_t>(Attribute::engineIndex))
      return kSuccess;
  return kNotSupported;
}

/// A configuration has its engine's knobs, at what the heuristics give them.
Result checkConfig(const Node &node) {
  const Value &knobs = node.values.at(Attribute::configKnobs);
  if (knobs.count != 1)
    return wrong(kBadParam, "an engine has one knob");
  return knobs.nodes[0]->get<int>(Attribute::knobType) == kKnobType &&
                 knobs.nodes[0]->get<int64_t>(Attribute::knobValue) ==
                     knobOf(node.node(Attribute::configEngine)
                                .get<int64_t>(Attribute::engineIndex))
             ? kSuccess
             : wrong(kBadParam, "a knob is set to what it cannot have");
}

Result checkPack(const Node &node) {
  return node.values.at(Attribute::packIds).count ==
                 node.values.at(Attribute::packPointers).count
             ? kSuccess
             : wrong(kBadParam, "there are not as many pointers as ids");
}

} // namespace

Result fake::cudnn::check(const Node &node) {
  if (Result result = checkRules(node))
    return result;
  switch (node.kind) {
  case Kind::tensor:
    return checkTensor(node);
  case Kind::convolution:
    return checkConvolution(node);
  case Kind::convolutionForward:
  case Kind::convolutionBackwardData:
  case Kind::convolutionBackwardFilter:
    return checkContraction(node);
  case Kind::pointwiseOperation:
    return checkPointwise(node);
  case Kind::graph:
    return checkGraph(node);
  case Kind::engine:
    return checkEngine(node);
  case Kind::engineConfig:
    return node.has(Attribute::configKnobs)
               ? checkConfig(node)
               : wrong(kBadParam, "an engine's knob is not set");
  case Kind::variantPack:
    return checkPack(node);
  default:
    return kSuccess;
  }
}
