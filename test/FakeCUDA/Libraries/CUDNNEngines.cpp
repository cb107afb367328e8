//===- CUDNNEngines.cpp - Operation graphs, plainly -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Libraries/CUDNNNode.h"

#include <algorithm>
#include <cmath>

using namespace fake;
using namespace fake::cudnn;

tandem::DType fake::cudnn::elementType(int dataType) {
  switch (dataType) {
  case DataType::f64:
    return DType::f64;
  case DataType::f16:
    return DType::f16;
  case DataType::bf16:
    return DType::bf16;
  case DataType::i8:
    return DType::i8;
  case DataType::i32:
    return DType::i32;
  default:
    return DType::f32;
  }
}

static const std::vector<NodeRef> &operationsOf(const Node &graph) {
  return graph.values.at(Attribute::graphOperations).nodes;
}

static bool isVirtual(const Node &tensor) {
  return tensor.has(Attribute::tensorIsVirtual) &&
         tensor.get<bool>(Attribute::tensorIsVirtual);
}

std::vector<NodeRef> fake::cudnn::interfaceOf(const Node &graph) {
  std::vector<NodeRef> tensors;
  NodeRef written;
  for (const NodeRef &operation : operationsOf(graph))
    for (const auto &[attribute, value] : operation->values)
      for (const NodeRef &node : value.nodes) {
        if (node->kind != Kind::tensor || isVirtual(*node))
          continue;
        if (attribute == Attribute::forwardOutput ||
            attribute == Attribute::backwardDataOutput ||
            attribute == Attribute::backwardFilterOutput ||
            attribute == Attribute::pointwiseY)
          written = node;
        else
          tensors.push_back(node);
      }
  if (written)
    tensors.push_back(written);
  return tensors;
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

/// Whether the steps are conv, add a tensor of all elements, add one of a
/// channel's, relu, any of the last three left out.
static bool isFastPattern(const Node &graph) {
  int stage = 0;
  for (const NodeRef &operation : operationsOf(graph)) {
    int next = 1;
    if (operation->kind == Kind::pointwiseOperation) {
      const Node &pointwise = operation->node(Attribute::pointwiseDescriptor);
      const bool isAdd =
          pointwise.get<int>(Attribute::pointwiseMode) == PointwiseMode::add;
      const bool isFull = isAdd &&
                          operation->node(Attribute::pointwiseB)
                                  .list(Attribute::tensorDims)[0] ==
                              operation->node(Attribute::pointwiseY)
                                  .list(Attribute::tensorDims)[0] &&
                          operation->node(Attribute::pointwiseB)
                                  .list(Attribute::tensorDims)[2] ==
                              operation->node(Attribute::pointwiseY)
                                  .list(Attribute::tensorDims)[2];
      next = !isAdd ? 4 : isFull ? 2 : 3;
      // A tensor of one position may be either.
      if (isAdd && next <= stage)
        next = 3;
    }
    if (next <= stage)
      return false;
    stage = next;
  }
  return stage > 0;
}

/// The engines of bytes. Numbers 28 and 0 are proposed by version 9.19, which
/// has number 0 alone for channels first. The others return sums that the
/// documentation does not exclude.
static std::vector<Engine> enginesOfBytes(const ContractionNodes &nodes) {
  const Engine plain = {0, {NumericalNote::strictNaN}, {}, 0, true, false};
  const auto strides = nodes.input.list(Attribute::tensorStrides);
  if (strides[1] != 1)
    return {plain};
  Engine rounding = {26, {}, {}, 1024, true, false},
         saturating = {27, {}, {}, 0, true, false};
  rounding.roundsToF32 = true;
  saturating.saturatesAtI16 = true;
  return {rounding, saturating, {28, {}, {}, 2048, true, false}, plain};
}

std::vector<Engine> fake::cudnn::enginesFor(const Node &graph) {
  const ContractionNodes contraction(*operationsOf(graph)[0]);
  const DType dtype =
      elementType(contraction.input.get<int>(Attribute::tensorDataType));
  if (dtype == DType::i8)
    return enginesOfBytes(contraction);
  const int compiles = BehaviorNote::runtimeCompilation;
  std::vector<Engine> engines = {
      {52, {NumericalNote::tensorCore}, {compiles}, 0, true, true}};
  if (!isFastPattern(graph))
    return engines;
  // These engines are like real ones of version 9.14 in f16: one makes 0 of
  // -inf, one mixes groups.
  if (dtype == DType::f16) {
    engines.push_back(
        {47, {NumericalNote::tensorCore}, {}, 0, false, true, false});
    engines.push_back(
        {48, {NumericalNote::tensorCore}, {}, 0, false, true, true, false});
  }
  engines.push_back({51, {NumericalNote::tensorCore}, {}, 64, true, true});
  engines.push_back({38, {NumericalNote::winograd}, {}, 0, false, true});
  engines.push_back({44, {}, {}, 4096, false, false});
  engines.push_back({0, {NumericalNote::strictNaN}, {}, 0, true, false});
  return engines;
}

Engine fake::cudnn::engineOf(const Node &graph, int64_t index) {
  const std::vector<Engine> engines = enginesFor(graph);
  return *std::find_if(
      engines.begin(), engines.end(),
      [&](const Engine &engine) { return engine.index == index; });
}

Result fake::cudnn::supports(const Engine &engine, const Node &graph) {
  const ContractionNodes nodes(*operationsOf(graph)[0]);
  const Node &conv = nodes.convolution;
  if (engine.index != 0 && conv.list(Attribute::convolutionPadLow) !=
                               conv.list(Attribute::convolutionPadHigh))
    return kPaddingNotSupported;
  const bool isGrouped = nodes.windowed().list(Attribute::tensorDims)[1] !=
                         nodes.weights().list(Attribute::tensorDims)[1];
  if (engine.index == (isGrouped ? 47 : 48))
    return kNotSupported;
  // This engine is like the real ones for tensor cores, which want whole
  // vectors of channels.
  if (engine.index == 51 && nodes.input.list(Attribute::tensorDims)[1] % 4 != 0)
    return kNotSupported;
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {

/// A tensor with its memory. Indices are those of N, C and the spatial dims.
struct Tensor {
  Tensor(const Node &node, char *data)
      : sizes(node.list(Attribute::tensorDims)),
        strides(node.list(Attribute::tensorStrides)),
        dtype(elementType(node.get<int>(Attribute::tensorDataType))),
        data(data) {}

  int64_t offset(const std::vector<int64_t> &index) const {
    int64_t sum = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
      sum += sizes[i] == 1 ? 0 : index[i] * strides[i];
    return sum;
  }

  std::vector<int64_t> sizes, strides;
  DType dtype;
  char *data;
};

/// Steps to the next index in a box; false after the last.
bool advance(std::vector<int64_t> &index, const std::vector<int64_t> &sizes,
             size_t first = 0) {
  for (size_t i = sizes.size(); i-- > first;) {
    if (++index[i] < sizes[i])
      return true;
    index[i] = 0;
  }
  return false;
}

/// One sum of a convolution, forward or backward.
struct Convolution {
  Convolution(const ContractionNodes &nodes,
              const std::map<int64_t, char *> &pointers, const Engine &engine)
      : in(tensor(nodes.input, pointers)),
        kernel(tensor(nodes.kernel, pointers)),
        weights(nodes.weights().list(Attribute::tensorDims)),
        groups(nodes.windowed().list(Attribute::tensorDims)[1] / weights[1]),
        isBackwardData(nodes.isBackwardData),
        isBackwardFilter(nodes.isBackwardFilter),
        roundsToTF32(engine.roundsToTF32 && in.dtype == DType::f32),
        mixesGroups(!engine.keepsGroupsApart && groups > 1 &&
                    weights[1] % 8 != 0) {
    const Node &conv = nodes.convolution;
    strides = conv.list(Attribute::convolutionStrides);
    low = conv.list(Attribute::convolutionPadLow);
    dilations = conv.list(Attribute::convolutionDilations);
  }
  static Tensor tensor(const Node &node,
                       const std::map<int64_t, char *> &pointers) {
    return {node, pointers.at(node.get<int64_t>(Attribute::tensorId))};
  }

  double at(const std::vector<int64_t> &output) const {
    return isBackwardData     ? backwardAt(output)
           : isBackwardFilter ? weightAt(output)
                              : forwardAt(output);
  }
  /// The sum over all positions of an output channel's gradient, here the
  /// second operand.
  double weightAt(const std::vector<int64_t> &tap) const {
    std::vector<int64_t> position(kernel.sizes.size()), from(in.sizes.size());
    const int64_t group = tap[0] / (weights[0] / groups);
    std::vector<int64_t> sizes = kernel.sizes;
    sizes[1] = 1;
    double sum = 0;
    do {
      from[0] = position[0];
      from[1] = group * weights[1] + tap[1];
      bool isInside = true;
      for (size_t i = 2; i < tap.size(); ++i) {
        from[i] = position[i] * strides[i - 2] + tap[i] * dilations[i - 2] -
                  low[i - 2];
        isInside &= from[i] >= 0 && from[i] < in.sizes[i];
      }
      std::vector<int64_t> at = position;
      at[1] = tap[0];
      if (isInside)
        sum += element(in, from) * element(kernel, at);
      std::vector<int64_t> other = from;
      other[1] = (other[1] + weights[1]) % in.sizes[1];
      if (isInside && mixesGroups)
        sum += 0 * element(in, other);
    } while (advance(position, sizes));
    return sum;
  }
  double forwardAt(const std::vector<int64_t> &output) const {
    const int64_t group = output[1] / (kernel.sizes[0] / groups);
    std::vector<int64_t> tap(kernel.sizes.size()), from(in.sizes.size());
    tap[0] = output[1];
    from[0] = output[0];
    double sum = 0;
    do {
      from[1] = group * kernel.sizes[1] + tap[1];
      bool isInside = true;
      for (size_t i = 2; i < tap.size(); ++i) {
        from[i] =
            output[i] * strides[i - 2] + tap[i] * dilations[i - 2] - low[i - 2];
        isInside &= from[i] >= 0 && from[i] < in.sizes[i];
      }
      if (!isInside)
        continue;
      sum += element(in, from) * element(kernel, tap);
      if (mixesGroups) {
        std::vector<int64_t> other = from;
        other[1] = (other[1] + kernel.sizes[1]) % in.sizes[1];
        sum += 0 * element(in, other);
      }
    } while (advance(tap, kernel.sizes, 1));
    return sum;
  }
  /// The sum over all positions whose windows have the element `to`.
  double backwardAt(const std::vector<int64_t> &to) const {
    const int64_t group = to[1] / kernel.sizes[1],
                  size = kernel.sizes[0] / groups;
    // Index 1 of `tap` counts the channels of the group.
    std::vector<int64_t> tap(kernel.sizes.size()), from(in.sizes.size()),
        sizes = kernel.sizes;
    sizes[1] = size;
    from[0] = to[0];
    double sum = 0;
    do {
      from[1] = group * size + tap[1];
      bool isInside = true;
      for (size_t i = 2; i < tap.size(); ++i) {
        const int64_t at = to[i] + low[i - 2] - tap[i] * dilations[i - 2];
        from[i] = at / strides[i - 2];
        isInside &=
            at >= 0 && at % strides[i - 2] == 0 && from[i] < in.sizes[i];
      }
      std::vector<int64_t> weight = tap;
      weight[0] = from[1];
      weight[1] = to[1] % kernel.sizes[1];
      if (isInside)
        sum += element(in, from) * element(kernel, weight);
    } while (advance(tap, sizes, 1));
    return sum;
  }
  double element(const Tensor &of, const std::vector<int64_t> &index) const {
    const double value = load(of.data, of.dtype, of.offset(index));
    return roundsToTF32 ? roundToTF32(value) : value;
  }

  Tensor in, kernel;
  std::vector<int64_t> weights;
  int64_t groups;
  std::vector<int64_t> strides, low, dilations;
  bool isBackwardData, isBackwardFilter, roundsToTF32, mixesGroups;
};

} // namespace

void Execution::run() const {
  const std::vector<NodeRef> &operations = operationsOf(*graph);
  const Convolution conv(ContractionNodes(*operations[0]), pointers, engine);
  const Node &last = *interfaceOf(*graph).back();
  const Tensor output = Convolution::tensor(last, pointers);
  std::vector<int64_t> index(output.sizes.size());
  do {
    double value = conv.at(index);
    for (size_t i = 1; i < operations.size(); ++i) {
      if (operations[i]->has(Attribute::pointwiseB)) {
        const Tensor b = Convolution::tensor(
            operations[i]->node(Attribute::pointwiseB), pointers);
        value += load(b.data, b.dtype, b.offset(index));
      } else {
        value =
            engine.keepsNaN ? reluThatKeepsNaN(value) : reluThatDropsNaN(value);
      }
    }
    if (!engine.keepsInfinity && std::isinf(value) && value < 0)
      value = 0;
    if (engine.roundsToF32)
      value = float(value);
    if (engine.saturatesAtI16)
      value = std::clamp(value, -0x1p15, 0x1p15 - 1);
    store(output.data, output.dtype, output.offset(index), value);
  } while (advance(index, output.sizes));
}
