//===- PrintGraph.cpp - Random graphs as MLIR -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"

#include "tandem/Runtime/Float16.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <random>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

/// Collects `name = value` attributes in MLIR syntax.
class AttrPrinter {
public:
  void raw(const char *name, const std::string &value) {
    text += (text.empty() ? "" : ", ") + std::string(name) + " = " + value;
  }
  void list(const char *name, const std::vector<int64_t> &values) {
    std::string body;
    for (int64_t value : values)
      body += (body.empty() ? ": " : ", ") + std::to_string(value);
    raw(name, "array<i64" + body + ">");
  }
  void integer(const char *name, int64_t value) {
    raw(name, std::to_string(value) + " : i64");
  }
  void flag(const char *name, bool value) {
    if (value)
      raw(name, "unit");
  }
  void real(const char *name, double value) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.17e : f64", value);
    raw(name, buffer);
  }
  /// Nothing if the list is empty.
  void realList(const char *name, const std::vector<double> &values) {
    std::string list;
    for (double value : values) {
      char buffer[64];
      std::snprintf(buffer, sizeof buffer, "%.17e", value);
      list += (list.empty() ? "" : ", ") + std::string(buffer);
    }
    if (!values.empty())
      raw(name, "array<f64: " + list + ">");
  }
  /// An enum attribute of the dialect: `#tandem<name value>`.
  void enumerator(const char *name, const char *type, const char *value) {
    raw(name, std::string("#tandem<") + type + " " + value + ">");
  }
  void string(const char *name, const std::string &value) {
    raw(name, "\"" + value + "\"");
  }
  std::string take() { return text.empty() ? "" : " <{" + text + "}>"; }

private:
  std::string text;
};

void printResize(AttrPrinter &p, const fb::ResizeAttrsT &a) {
  p.list("dims", a.dims);
  if (!a.sizes.empty())
    p.list("sizes", a.sizes);
  p.realList("scales", a.scales);
  p.enumerator("mode", "resize_mode", fb::EnumNameResizeMode(a.mode));
  p.enumerator("coordinates", "resize_coordinates",
               fb::EnumNameResizeCoordinates(a.coordinates));
  p.enumerator("rounding", "nearest_rounding",
               fb::EnumNameNearestRounding(a.rounding));
  p.real("cubic_coeff_a", a.cubic_coeff_a);
  p.flag("antialias", a.antialias);
  p.flag("exclude_outside", a.exclude_outside);
  p.realList("starts", a.starts);
  p.realList("ends", a.ends);
  p.real("extrapolation_value", a.extrapolation_value);
}

void printConv(AttrPrinter &p, const fb::ConvAttrsT &a, OpKind kind) {
  p.list("strides", a.strides);
  p.list("pad_low", a.pad_low);
  p.list("pad_high", a.pad_high);
  p.list("dilations", a.dilations);
  p.integer("groups", a.groups);
  if (kind == OpKind::conv_backward_data)
    p.list("output_padding", a.output_padding);
  if (kind == OpKind::conv_backward_weights)
    p.list("window", a.window);
  p.raw("layout", "#tandem.conv_layout<input = \"" + a.input_layout +
                      "\", kernel = \"" + a.kernel_layout + "\", output = \"" +
                      a.output_layout + "\">");
}

void printPool(AttrPrinter &p, const fb::PoolAttrsT &a, OpKind kind) {
  p.list("window", a.window);
  p.list("strides", a.strides);
  p.list("pad_low", a.pad_low);
  p.list("pad_high", a.pad_high);
  p.list("dilations", a.dilations);
  p.string("layout", a.layout);
  if (kind == OpKind::avg_pool || kind == OpKind::avg_pool_backward)
    p.flag("count_include_pad", a.count_include_pad);
  if (!a.input_sizes.empty())
    p.list("input_sizes", a.input_sizes);
}

void printPad(AttrPrinter &p, const fb::PadAttrsT &a) {
  p.list("low", a.low);
  p.list("high", a.high);
  p.list("interior", a.interior);
  p.real("value", a.value);
}

std::string printAttrs(const OpDesc &op) {
  AttrPrinter p;
  const fb::OpAttrsUnion &attrs = op.attrs;
  if (auto *a = attrs.AsGeluAttrs())
    p.flag("approximate_tanh", a->approximate_tanh);
  if (auto *a = attrs.AsCastAttrs())
    p.raw("dtype", std::string(tandem::name(a->dtype)));
  if (auto *a = attrs.AsCompareAttrs())
    p.enumerator("predicate", "compare_predicate",
                 fb::EnumNameComparePredicate(a->predicate));
  if (auto *a = attrs.AsReshapeAttrs())
    p.list("shape", a->shape);
  if (auto *a = attrs.AsTransposeAttrs())
    p.list("permutation", a->permutation);
  if (auto *a = attrs.AsBroadcastAttrs()) {
    p.list("shape", a->shape);
    p.list("dims", a->dims);
  }
  if (auto *a = attrs.AsSliceAttrs()) {
    p.list("starts", a->starts);
    p.list("limits", a->limits);
    p.list("strides", a->strides);
  }
  if (auto *a = attrs.AsPadAttrs())
    printPad(p, *a);
  if (auto *a = attrs.AsAxisAttrs())
    p.integer("axis", a->axis);
  if (auto *a = attrs.AsGatherAttrs())
    p.integer("axis", a->axis);
  if (auto *a = attrs.AsScatterAttrs()) {
    p.integer("axis", a->axis);
    p.enumerator("kind", "scatter_kind", fb::EnumNameScatterKind(a->kind));
  }
  if (auto *a = attrs.AsSortAttrs()) {
    p.integer("axis", a->axis);
    p.flag("descending", a->descending);
  }
  if (auto *a = attrs.AsTopKAttrs()) {
    p.integer("axis", a->axis);
    p.integer("k", a->k);
    p.flag("ascending", a->ascending);
  }
  if (auto *a = attrs.AsScanAttrs()) {
    p.integer("axis", a->axis);
    p.enumerator("kind", "scan_kind", fb::EnumNameScanKind(a->kind));
    p.flag("exclusive", a->exclusive);
    p.flag("reverse", a->reverse);
  }
  if (auto *a = attrs.AsFFTAttrs()) {
    p.integer("axis", a->axis);
    p.enumerator("kind", "fft_kind", fb::EnumNameFFTKind(a->kind));
    p.integer("length", a->length);
  }
  if (auto *a = attrs.AsIotaAttrs())
    p.integer("axis", a->axis);
  if (auto *a = attrs.AsConvAttrs())
    printConv(p, *a, op.kind);
  if (auto *a = attrs.AsMatmulAttrs()) {
    p.flag("transpose_lhs", a->transpose_lhs);
    p.flag("transpose_rhs", a->transpose_rhs);
    p.flag("widen", a->widen);
  }
  if (auto *a = attrs.AsPoolAttrs())
    printPool(p, *a, op.kind);
  if (auto *a = attrs.AsResizeAttrs())
    printResize(p, *a);
  if (auto *a = attrs.AsReduceAttrs()) {
    p.enumerator("kind", "reduce_kind", fb::EnumNameReduceKind(a->kind));
    p.list("dims", a->dims);
    p.flag("keep_dims", a->keep_dims);
  }
  if (auto *a = attrs.AsMomentsAttrs()) {
    p.list("dims", a->dims);
    p.flag("keep_dims", a->keep_dims);
  }
  if (auto *a = attrs.AsRandomAttrs())
    p.list("shape", a->shape);
  if (auto *a = attrs.AsLayerNormAttrs())
    p.real("epsilon", a->epsilon);
  if (auto *a = attrs.AsBatchNormAttrs()) {
    p.real("epsilon", a->epsilon);
    p.integer("axis", a->axis);
  }
  return p.take();
}

/// The bytes of `value` as an element, appended in hexadecimal.
template <typename T> void appendBytes(std::string &text, T value) {
  std::array<uint8_t, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));
  for (uint8_t byte : bytes)
    for (int digit : {byte >> 4, byte & 15})
      text += "0123456789ABCDEF"[digit];
}

void appendElement(std::string &text, DType dtype, double value) {
  switch (dtype) {
  case DType::f64:
    return appendBytes(text, value);
  case DType::f16:
    return appendBytes(text, F16(value).bits);
  case DType::bf16:
    return appendBytes(text, BF16(value).bits);
  default:
    return appendBytes(text, static_cast<float>(value));
  }
}

/// The elements of a random constant: a string of their bytes.
std::string printElements(const Node &node) {
  std::mt19937_64 engine(node.seed);
  std::string text = "\"0x";
  for (int64_t n = node.type.shape.numElements(); n > 0; --n) {
    double steps = static_cast<double>(engine() % 256) - 128;
    appendElement(text, node.type.dtype, node.scale * steps / 128);
  }
  return text + "\"";
}

std::string printBlockIndices(const Node &node) {
  std::string text = "[";
  for (int64_t i = 0; i < node.type.shape.numElements(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(i / node.block);
  return text + "]";
}

std::string printConstant(const Node &node) {
  char splat[64];
  std::snprintf(splat, sizeof splat, isFloat(node.type.dtype) ? "%.9e" : "%.0f",
                node.scale);
  std::string type = node.type.str();
  return "\"tandem.constant\"() <{value = dense<" +
         (node.block  ? printBlockIndices(node)
          : node.seed ? printElements(node)
                      : splat) +
         "> : " + type + "}> : () -> " + type;
}

/// The number of results of an op, and 1 for other nodes.
int countResults(const Node &node) {
  return node.kind == NodeKind::op && node.op.kind != OpKind::custom_call
             ? numResults(node.op.kind)
             : 1;
}

/// The types of all results of an op.
std::string printResultTypes(const Node &node,
                             std::vector<TensorType> operands) {
  if (countResults(node) == 1)
    return node.type.str();
  std::string text;
  const std::vector<TensorType> types = *inferTypes(node.op, operands);
  for (const TensorType &type : types)
    text += (text.empty() ? "(" : ", ") + type.str();
  return text + ")";
}

} // namespace

std::string fuzz::valueName(int index, const Node &node) {
  const std::string name = "%v" + std::to_string(index);
  return countResults(node) > 1 ? name + "#" + std::to_string(node.result)
                                : name;
}

std::string fuzz::definedName(int index, const Node &node) {
  const std::string name = "%v" + std::to_string(index);
  const int count = countResults(node);
  return count > 1 ? name + ":" + std::to_string(count) : name;
}

std::string fuzz::printGeneric(const Node &node,
                               const std::vector<Node> &nodes) {
  if (node.kind == NodeKind::constant)
    return printConstant(node);
  std::string names, types;
  std::vector<TensorType> operands;
  for (int operand : node.operands) {
    operands.push_back(nodes[operand].type);
    names += (names.empty() ? "" : ", ") + valueName(operand, nodes[operand]);
    types += (types.empty() ? "" : ", ") + operands.back().str();
  }
  return "\"tandem." + std::string(name(node.op.kind)) + "\"(" + names + ")" +
         printAttrs(node.op) + " : (" + types + ") -> " +
         printResultTypes(node, operands);
}

std::string fuzz::printFunction(const std::string &name, const OpDesc &op,
                                std::span<const TensorType> operands,
                                const TensorType &result, size_t number) {
  std::vector<Node> nodes;
  Node node;
  std::string arguments;
  for (const TensorType &type : operands) {
    const int index = static_cast<int>(nodes.size());
    Node &input = nodes.emplace_back();
    input.kind = NodeKind::input;
    input.type = type;
    arguments +=
        (index == 0 ? "" : ", ") + valueName(index, input) + ": " + type.str();
    node.operands.push_back(index);
  }
  node.op = op;
  node.type = result;
  node.result = number;
  const int index = static_cast<int>(nodes.size());
  return "func.func @" + name + "(" + arguments + ") -> " + result.str() +
         " {\n  " + definedName(index, node) + " = " +
         printGeneric(node, nodes) + "\n  return " + valueName(index, node) +
         " : " + result.str() + "\n}\n";
}

/// The nodes with some dims of the inputs unknown, and those that follow from
/// them; as they are where an op must know a dim.
static std::vector<Node> forgetDims(const RandomGraph &graph) {
  std::vector<Node> nodes = graph.nodes;
  std::mt19937_64 engine(graph.dynamicSeed);
  for (int i : graph.inputs())
    for (int dim = 0; dim < nodes[i].type.shape.rank(); ++dim)
      if (engine() % 3 == 0)
        nodes[i].type.shape[dim] = kDynamic;
  for (Node &node : nodes) {
    if (node.kind != NodeKind::op)
      continue;
    std::vector<TensorType> types;
    for (int operand : node.operands)
      types.push_back(nodes[operand].type);
    auto results = inferTypes(node.op, types);
    if (!results)
      return graph.nodes;
    node.type = (*results)[node.result];
  }
  return nodes;
}

std::string RandomGraph::toMLIR() const {
  const std::vector<Node> typed = dynamicSeed ? forgetDims(*this) : nodes;
  std::string args, results, values, body;
  auto append = [](std::string &list, const std::string &item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  for (int i : inputs())
    append(args, valueName(i, typed[i]) + ": " + typed[i].type.str());
  for (size_t i = 0; i < typed.size(); ++i)
    if (typed[i].kind != NodeKind::input)
      body += "  " + definedName(static_cast<int>(i), typed[i]) + " = " +
              printGeneric(typed[i], typed) + "\n";
  for (int i : outputs) {
    append(results, typed[i].type.str());
    append(values, valueName(i, typed[i]));
  }
  return "func.func @main(" + args + ") -> (" + results + ") {\n" + body +
         "  return " + values + " : " + results + "\n}\n";
}
