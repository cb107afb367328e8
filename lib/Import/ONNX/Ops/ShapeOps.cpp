//===- ShapeOps.cpp - ONNX ops that move elements -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

#include "mlir/IR/Matchers.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace tandem::onnx {
namespace {

/// The sizes that `requested` stands for, in which 0 is a dim of the operand
/// and -1 what is left.
Sizes resolveShape(Node &node, Value x, Sizes requested, bool allowZero) {
  Sizes input = node.sizesOf(x);
  std::optional<size_t> rest;
  std::optional<Size> known = Size(1);
  for (size_t i = 0; i < requested.size(); ++i) {
    if (requested[i] == Size(-1)) {
      node.require(!rest, "a shape with more than one -1");
      rest = i;
      continue;
    }
    if (requested[i] == Size(0) && !allowZero) {
      if (!node.require(i < input.size(),
                        "a 0 in the shape for a dim that is not there"))
        return {};
      requested[i] = input[i];
    }
    known = known ? multiply(*known, requested[i]) : known;
  }
  if (!rest)
    return requested;
  std::optional<Size> all = productOf(input);
  std::optional<Size> left = all && known ? divide(*all, *known) : std::nullopt;
  requested[*rest] = left ? *left : node.state().freeDim();
  return requested;
}

/// A tensor that is given in an attribute of Constant.
Value listed(Node &node, ArrayRef<double> values, Type element, bool isScalar) {
  SmallVector<Attribute> elements;
  for (double value : values)
    elements.push_back(isa<FloatType>(element)
                           ? Attribute(FloatAttr::get(element, value))
                           : IntegerAttr::get(element, toInteger(value)));
  SmallVector<int64_t, 1> shape;
  if (!isScalar)
    shape.push_back(values.size());
  return node.constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, element), elements));
}

/// The blocks of DepthToSpace and SpaceToDepth: (N, C, H, W) and their size.
struct Blocks {
  Size batch, channels, height, width;
  int64_t size;
};

std::optional<Blocks> describeBlocks(Node &node, Value x) {
  int64_t size = node.getInt("blocksize", 0);
  if (!node.requireRank("the operand", node.rank(x), 4) ||
      !node.require(size > 0 && size < kMaxSize,
                    "a blocksize of " + Twine(size) + " is out of range"))
    return std::nullopt;
  Sizes sizes = node.sizesOf(x);
  return Blocks{sizes[0], sizes[1], sizes[2], sizes[3], size};
}

/// A dim that blocks of `by` elements divide, as a number of blocks.
Size inBlocks(Node &node, const Size &size, int64_t by) {
  std::optional<Size> blocks = divideExactly(size, Size(by));
  if (!blocks && size.value())
    node.error("a dim of size " + Twine(*size.value()) + " is no multiple of " +
               Twine(by));
  else if (!blocks)
    node.error("needs the size of a dim that depends on the free dims " +
                   node.state().describeFreeDims(size),
               "give them sizes, as in --dim=NAME=8");
  return blocks.value_or(Size(1));
}

/// A dim of blocks of `by` elements, as a number of elements.
Size outOfBlocks(Node &node, const Size &size, int64_t by) {
  std::optional<Size> elements = multiply(size, Size(by));
  node.require(elements.has_value(), "a size that overflows");
  return elements.value_or(Size(1));
}

} // namespace

Ints range(int64_t first, int64_t last) {
  Ints result(std::max<int64_t>(last - first, 0));
  std::iota(result.begin(), result.end(), first);
  return result;
}

Value alongAxis(Node &node, Value value, int64_t axis, int64_t rank) {
  if (!node.requireRank("an operand with an element for each of a dim",
                        node.rank(value), 1) ||
      !node.require(axis >= 0 && axis < rank,
                    "an operand has fewer dims than the op needs"))
    return {};
  Sizes shape(rank, Size(1));
  shape[axis] = node.sizesOf(value)[0];
  return node.reshape(value, shape);
}

Value flatten(Node &node, Value value, int64_t axis) {
  Sizes sizes = node.sizesOf(value);
  std::optional<Size> outer = productOf(ArrayRef(sizes).take_front(axis));
  std::optional<Size> inner = productOf(ArrayRef(sizes).drop_front(axis));
  if (!node.require(outer && inner, "a size that overflows"))
    return {};
  return node.reshape(value, {*outer, *inner});
}

void convertConcat(Node &node) {
  SmallVector<Value> operands = node.operands();
  if (!node.require(!operands.empty(), "has no operands"))
    return;
  int64_t axis = node.axis(node.getInt("axis", 1), node.rank(operands[0]));
  node.result(0, node.concat(operands, axis));
}

void convertConstant(Node &node) {
  const proto::NodeProto &proto = node.proto();
  if (proto.attribute_size() != 1)
    return node.error("needs one value");
  const proto::AttributeProto &given = proto.attribute(0);
  Builder &builder = node.state().builder;
  StringRef name = given.name();
  Type f32 = builder.getF32Type(), i64 = builder.getI64Type();
  auto all = [](const auto &values) {
    return SmallVector<double>(values.begin(), values.end());
  };
  if (name == "value")
    return node.result(
        0, node.state().constant(node.state().location(proto.output(0)),
                                 given.t()));
  if (name == "value_float")
    return node.result(0, listed(node, {given.f()}, f32, true));
  if (name == "value_floats")
    return node.result(0, listed(node, all(given.floats()), f32, false));
  if (name == "value_int")
    return node.result(0, node.constant(DenseElementsAttr::get(
                              RankedTensorType::get({}, i64), given.i())));
  if (name == "value_ints")
    return node.result(
        0, node.vector(Ints(given.ints().begin(), given.ints().end())));
  node.error("attribute '" + name + "' is no tensor of numbers");
}

void convertConstantOfShape(Node &node) {
  Ints shape = node.constants(0);
  const auto *given = node.find("value");
  Value value = given
                    ? node.state().constant(node.state().location(), given->t())
                    : node.scalar(node.state().builder.getF32Type(), 0);
  if (!value)
    return node.error("its value cannot be read");
  if (!node.require(llvm::all_of(shape, [](int64_t size) { return size >= 0; }),
                    "a negative size"))
    return;
  node.result(0, node.expand(node.reshape(value, {}), shape));
}

void convertDepthToSpace(Node &node) {
  Value x = node.operand(0);
  std::optional<Blocks> blocks = describeBlocks(node, x);
  if (!blocks)
    return;
  auto [n, c, h, w, size] = *blocks;
  Size channels = inBlocks(node, c, size * size);
  bool isCRD = node.getString("mode", "DCR") == "CRD";
  x = isCRD ? node.reshape(x, {n, channels, size, size, h, w})
            : node.reshape(x, {n, size, size, channels, h, w});
  x = node.transpose(x,
                     isCRD ? Ints{0, 1, 4, 2, 5, 3} : Ints{0, 3, 4, 1, 5, 2});
  node.result(0, node.reshape(x, {n, channels, outOfBlocks(node, h, size),
                                  outOfBlocks(node, w, size)}));
}

void convertSpaceToDepth(Node &node) {
  Value x = node.operand(0);
  std::optional<Blocks> blocks = describeBlocks(node, x);
  if (!blocks)
    return;
  auto [n, c, h, w, size] = *blocks;
  Size height = inBlocks(node, h, size), width = inBlocks(node, w, size);
  x = node.reshape(x, {n, c, height, size, width, size});
  x = node.transpose(x, Ints{0, 3, 5, 1, 2, 4});
  node.result(0, node.reshape(
                     x, {n, outOfBlocks(node, c, size * size), height, width}));
}

void convertDropout(Node &node) {
  Value x = node.operand(0);
  node.result(0, x);
  if (node.hasOperand(2)) {
    const std::optional<int64_t> isTraining = node.knownScalar(node.named(2));
    if (!node.require(isTraining.has_value(),
                      "a training_mode that is not known") ||
        !node.require(*isTraining == 0, "training is not supported"))
      return;
  }
  if (!node.isWanted(1))
    return;
  // Nothing is dropped; the mask says so.
  Type boolean = node.state().builder.getI1Type();
  node.result(1, node.expand(node.scalar(boolean, 1), node.dims(x)));
}

void convertExpand(Node &node) {
  Value x = node.operand(0);
  Ints shape = node.constants(1);
  Ints result(std::max<int64_t>(shape.size(), node.rank(x)), 1);
  llvm::copy(shape, result.end() - shape.size());
  // Dims of both broadcast.
  Sizes sizes = node.sizesOf(x);
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t &size = result[result.size() - sizes.size() + i];
    if (size == 1)
      size = node.dim(x, i);
  }
  node.result(0, node.expand(x, result));
}

void convertEyeLike(Node &node) {
  Value x = node.operand(0);
  Ints shape = node.dims(x);
  Builder &builder = node.state().builder;
  if (!node.require(shape.size() == 2, "needs two dims"))
    return;
  Type type =
      node.hasAttribute("dtype") ? node.getType("dtype", 0) : node.element(x);
  Type i64 = builder.getI64Type();
  Value rows =
      node.add(node.iota(shape, 0, i64), node.scalar(i64, node.getInt("k", 0)));
  Value isOne =
      node.compare(ir::ComparePredicate::eq, rows, node.iota(shape, 1, i64));
  node.result(0, node.cast(isOne, type));
}

void convertFlatten(Node &node) {
  Value x = node.operand(0);
  int64_t axis = node.getInt("axis", 1);
  axis += axis < 0 ? node.rank(x) : 0;
  if (node.require(axis >= 0 && axis <= node.rank(x), "no such axis"))
    node.result(0, flatten(node, x, axis));
}

void convertIdentity(Node &node) { node.result(0, node.operand(0)); }

void convertRange(Node &node) {
  SmallVector<double, 3> numbers;
  for (unsigned i = 0; i < 3; ++i) {
    SmallVector<double> number = node.numbers(i);
    if (!node.requireCount("operand " + Twine(i), number.size(), 1))
      return;
    numbers.push_back(number[0]);
  }
  double count = std::ceil((numbers[1] - numbers[0]) / numbers[2]);
  if (!node.require(numbers[2] != 0, "a delta of 0") ||
      !node.require(!std::isnan(count), "a start, limit or delta that is not a "
                                        "finite number") ||
      !node.require(count < 1e9, "more than a billion numbers"))
    return;
  Value start = node.operand(0), delta = node.operand(2);
  int64_t size = count > 0 ? static_cast<int64_t>(count) : 0;
  Value steps = node.iota({size}, 0, node.element(start));
  auto asScalar = [&](Value value) { return node.reshape(value, {}); };
  node.result(0, node.add(node.mul(steps, asScalar(delta)), asScalar(start)));
}

void convertReshape(Node &node) {
  Value x = node.operand(0);
  Sizes shape;
  if (node.hasOperand(1))
    shape = node.sizes(1);
  else
    for (int64_t size : node.getInts("shape"))
      shape.push_back(Size(size));
  shape = resolveShape(node, x, shape, node.getInt("allowzero", 0));
  if (!node.hasFailed())
    node.result(0, node.reshape(x, shape));
}

// These are computed with, or fail there.
void convertShape(Node &node) {
  node.error("its operand's shape is not known");
}
void convertSize(Node &node) { node.error("its operand's size is not known"); }

void convertSqueeze(Node &node) {
  Value x = node.operand(0);
  Sizes sizes = node.sizesOf(x), rest;
  Ints axes = node.axes(node.constantsOr(1, "axes"), node.rank(x));
  bool isAll = !node.hasOperand(1) && !node.hasAttribute("axes");
  for (auto [i, size] : llvm::enumerate(sizes)) {
    bool isNamed = llvm::is_contained(axes, static_cast<int64_t>(i));
    if (isNamed)
      node.require(!size.value() || size == Size(1),
                   "dim " + Twine(i) + " is not of size 1");
    if (!isNamed && !(isAll && size == Size(1)))
      rest.push_back(size);
  }
  node.result(0, node.reshape(x, rest));
}

void convertUnsqueeze(Node &node) {
  Value x = node.operand(0);
  Ints axes = node.constantsOr(1, "axes");
  int64_t rank = node.rank(x) + axes.size();
  if (!node.require(rank <= kMaxRank, "more than " + Twine(kMaxRank) + " dims"))
    return;
  axes = node.axes(axes, rank);
  Sizes sizes = node.sizesOf(x), result;
  size_t next = 0;
  for (int64_t i = 0; i < rank; ++i)
    if (llvm::is_contained(axes, i))
      result.push_back(Size(1));
    else if (node.require(next < sizes.size(), "an axis that is named twice"))
      result.push_back(sizes[next++]);
  if (!node.hasFailed())
    node.result(0, node.reshape(x, result));
}

void convertTile(Node &node) {
  Value x = node.operand(0);
  Ints repeats = node.constants(1);
  if (!node.requireCount("repeats", repeats.size(), node.rank(x)))
    return;
  for (auto [axis, count] : llvm::enumerate(repeats)) {
    if (!node.require(count >= 0, "a negative number of repeats") ||
        !node.require(count <= 4096, Twine(count) + " repeats; at most 4096 "
                                                    "are supported"))
      return;
    x = count == 0 ? node.slice(x, axis, 0, 0)
                   : node.concat(SmallVector<Value>(count, x), axis);
  }
  node.result(0, x);
}

void convertTranspose(Node &node) {
  Value x = node.operand(0);
  Ints reversed = range(0, node.rank(x));
  std::reverse(reversed.begin(), reversed.end());
  node.result(0, node.transpose(x, node.getInts("perm", reversed)));
}

} // namespace tandem::onnx
