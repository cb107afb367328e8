//===- GraphBuilder.cpp - Appends ops to a random graph -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

using namespace tandem;
using namespace tandem::fuzz;

/// Whether every tier computes the op without a rounding that another could
/// leave out or do otherwise.
static bool isExact(const Node &node, const std::vector<Node> &nodes) {
  for (int operand : node.operands)
    if (!nodes[operand].isExact)
      return false;
  DType dtype = node.type.dtype;
  if (!isFloat(dtype))
    return true;
  if (node.op.kind == OpKind::cast) {
    DType from = nodes[node.operands[0]].type.dtype;
    return !isFloat(from) || byteWidth(dtype) > 2 || from == dtype;
  }
  if (node.op.kind == OpKind::reduce) {
    fb::ReduceKind kind = node.op.attrs.AsReduceAttrs()->kind;
    return kind == fb::ReduceKind::max || kind == fb::ReduceKind::min;
  }
  if (node.op.kind == OpKind::scan) {
    fb::ScanKind kind = node.op.attrs.AsScanAttrs()->kind;
    return kind == fb::ScanKind::max || kind == fb::ScanKind::min;
  }
  return getOpInfo(node.op.kind).rounding == Rounding::exact;
}

int GraphBuilder::input(const TensorType &type) {
  Node node;
  node.kind = NodeKind::input;
  node.type = type;
  node.magnitude = isFloat(type.dtype) || type.dtype == DType::i1 ? 1 : 8;
  graph.nodes.push_back(std::move(node));
  return static_cast<int>(graph.nodes.size()) - 1;
}

int GraphBuilder::constant(const TensorType &type, double value) {
  int index = input(type);
  Node &node = graph.nodes.back();
  node.kind = NodeKind::constant;
  node.scale = value;
  node.magnitude = std::abs(value);
  return index;
}

int GraphBuilder::randomConstant(const TensorType &type, double scale) {
  int index = constant(type, scale);
  graph.nodes.back().seed = 1 + random.below(INT64_MAX);
  return index;
}

int GraphBuilder::blockIndices(int64_t count, int64_t block) {
  int index = constant({DType::i64, Shape{count}}, 0);
  graph.nodes.back().block = block;
  return index;
}

int GraphBuilder::op(OpDesc desc, std::vector<int> operands, double magnitude,
                     size_t number) {
  Node node;
  std::vector<TensorType> types;
  for (int i : operands)
    types.push_back(type(i));
  auto results = inferTypes(desc, types);
  node.op = std::move(desc);
  node.operands = std::move(operands);
  node.isExact = isExact(node, graph.nodes);
  if (!results) {
    std::fprintf(stderr, "random graph: %s\n  in %s\n",
                 results.error().str().c_str(),
                 printGeneric(node, graph.nodes).c_str());
    std::abort();
  }
  node.result = number;
  node.type = (*results)[number];
  node.magnitude = magnitude;
  graph.nodes.push_back(std::move(node));
  return static_cast<int>(graph.nodes.size()) - 1;
}

int GraphBuilder::op(OpKind kind, std::vector<int> operands, double magnitude) {
  OpDesc desc;
  desc.kind = kind;
  return op(std::move(desc), std::move(operands), magnitude);
}

DType GraphBuilder::randomFloat() {
  int64_t draw = random.below(100);
  return draw < 76   ? DType::f32
         : draw < 84 ? DType::f64
         : draw < 92 ? DType::f16
                     : DType::bf16;
}

Shape GraphBuilder::randomShape(int minRank, int maxRank) {
  Shape shape;
  int64_t elements = 1;
  int rank = static_cast<int>(random.between(minRank, maxRank));
  for (int i = 0; i < rank; ++i) {
    int64_t dim = randomWidth();
    if (isLarge && i == 0)
      dim = random.between(100, 2000);
    if (elements * dim > (isLarge ? 1 << 17 : 4096))
      dim = 1;
    elements *= dim;
    shape.push_back(dim);
  }
  return shape;
}

int64_t GraphBuilder::randomWidth() {
  return random.chance(85)
             ? random.pick<int64_t>({1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 15, 16, 17,
                                     31, 32, 33, 63, 65})
             : random.pick<int64_t>({9, 12, 14, 23, 24, 25, 47, 48, 49, 61, 64,
                                     67, 95, 96, 97, 127, 128, 129});
}

Shape GraphBuilder::broadcastableTo(const Shape &shape) {
  int dropped = random.chance(30) && shape.rank() > 0
                    ? static_cast<int>(random.between(0, shape.rank()))
                    : 0;
  Shape result(shape.span().subspan(dropped));
  for (int i = 0; i < result.rank(); ++i)
    if (random.chance(15))
      result[i] = 1;
  return result;
}

int GraphBuilder::pick(const std::function<bool(const Node &)> &wanted,
                       const std::function<TensorType()> &fallback) {
  std::vector<int> found;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node &node = graph.nodes[i];
    if (wanted(node))
      found.push_back(static_cast<int>(i));
  }
  if (found.empty() || random.chance(15))
    return input(fallback());
  // The youngest half the time, so that graphs grow deep.
  return random.chance(50)
             ? found.back()
             : found[random.below(static_cast<int64_t>(found.size()))];
}

DType GraphBuilder::randomInteger() {
  while (true)
    if (DType dtype = fb::EnumValuesDType()[random.below(int(DType::MAX) + 1)];
        isInteger(dtype))
      return dtype;
}

int GraphBuilder::pickFloat(int minRank, int maxRank) {
  return pick(
      [&](const Node &n) {
        int rank = n.type.shape.rank();
        return isFloat(n.type.dtype) && rank >= minRank && rank <= maxRank;
      },
      [&] { return TensorType{randomFloat(), randomShape(minRank, maxRank)}; });
}

int GraphBuilder::pickExact() {
  return pick([](const Node &n) { return isFloat(n.type.dtype) && n.isExact; },
              [&] { return TensorType{randomFloat(), randomShape(0, 4)}; });
}

int GraphBuilder::pickInteger() {
  return pick(
      [](const Node &n) {
        return !isFloat(n.type.dtype) && n.type.dtype != DType::i1;
      },
      [&] { return TensorType{randomInteger(), randomShape(0, 4)}; });
}

int GraphBuilder::pickBool(const Shape &shape) {
  return pick(
      [&](const Node &n) {
        return n.type.dtype == DType::i1 && n.type.shape == shape;
      },
      [&] { return TensorType{DType::i1, broadcastableTo(shape)}; });
}

int GraphBuilder::pickOfType(const TensorType &type) {
  return tamed(
      pick([&](const Node &n) { return n.type == type; }, [&] { return type; }),
      4);
}

int GraphBuilder::pickWeights(const TensorType &type, double length) {
  constexpr int64_t kMaxElements = 1 << 14; // Constants are printed.
  bool isScaled = random.chance(70);
  double scale = isScaled ? std::exp2(-std::ceil(std::log2(length))) : 1;
  if (random.chance(60) && type.shape.numElements() <= kMaxElements)
    return random.chance(10) ? constant(type, scale)
                             : randomConstant(type, scale);
  int weights = pickOfType(type);
  if (!isScaled)
    return weights;
  double magnitude = node(weights).magnitude * scale;
  return op(OpKind::mul, {weights, constant({type.dtype, Shape{}}, scale)},
            magnitude);
}

int GraphBuilder::tamed(int value, double limit) {
  const Node &n = node(value);
  if (n.magnitude <= limit)
    return value;
  return op(OpKind::tanh, {value}, 1);
}

int GraphBuilder::awayFromZero(int value) {
  double magnitude = node(value).magnitude;
  DType dtype = type(value).dtype;
  int absolute = op(OpKind::abs, {value}, magnitude);
  int half = constant({dtype, Shape{}}, 0.5);
  return op(OpKind::add, {absolute, half}, magnitude + 0.5);
}

std::vector<int> RandomGraph::inputs() const {
  std::vector<int> result;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].kind == NodeKind::input)
      result.push_back(static_cast<int>(i));
  return result;
}

void RandomGraph::removeDead() {
  std::vector<int> renumbered(nodes.size(), -1);
  std::vector<bool> live(nodes.size(), false);
  for (int i : outputs)
    live[i] = true;
  for (size_t i = nodes.size(); i-- > 0;)
    if (live[i])
      for (int operand : nodes[i].operands)
        live[operand] = true;
  std::vector<Node> kept;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!live[i])
      continue;
    renumbered[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(nodes[i]));
    for (int &operand : kept.back().operands)
      operand = renumbered[operand];
  }
  for (int &output : outputs)
    output = renumbered[output];
  nodes = std::move(kept);
}

RandomGraph fuzz::makeRandomGraph(uint64_t seed, const GraphOptions &options) {
  Random kind(~seed);
  GraphBuilder b(seed, kind.chance(options.large));
  if (kind.chance(options.dynamic))
    b.graph.dynamicSeed = seed;
  if (kind.chance(options.special))
    b.graph.specialSeed = seed;
  int64_t ops = b.random.between(options.minOps, options.maxOps);
  if (kind.chance(options.quantized))
    for (int64_t n = b.random.between(1, 3); n > 0; --n)
      appendQuantized(b);
  if (b.random.chance(15)) {
    appendNetwork(b);
    ops /= 2;
  }
  for (int64_t i = 0; i < ops; ++i) {
    int64_t draw = b.random.below(100);
    if (draw < 50)
      appendElementwise(b);
    else if (draw < 70)
      appendShapeOp(b);
    else if (draw < 82)
      appendContraction(b);
    else if (draw < 90)
      appendPattern(b);
    else if (draw < 96)
      appendReduction(b);
    else if (draw < 98)
      appendLineOp(b);
    else
      appendTrainingOp(b);
  }
  // Every value that nothing reads is an output, and now and then another.
  std::vector<bool> read(b.graph.nodes.size(), false);
  for (const Node &node : b.graph.nodes)
    for (int operand : node.operands)
      read[operand] = true;
  std::vector<int> &outputs = b.graph.outputs;
  for (size_t i = 0; i < b.graph.nodes.size(); ++i)
    if (b.graph.nodes[i].kind == NodeKind::op &&
        (!read[i] || b.random.chance(5)))
      outputs.push_back(static_cast<int>(i));
  return std::move(b.graph);
}
