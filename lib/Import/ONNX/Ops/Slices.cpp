//===- Slices.cpp - ONNX ops that select or pad elements ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace tandem::onnx {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

/// The index of the element that padding takes at `i`, which may be outside
/// [0, size).
int64_t sourceIndex(StringRef mode, int64_t i, int64_t size) {
  auto modulo = [](int64_t value, int64_t by) {
    return (value % by + by) % by;
  };
  if (mode == "edge")
    return std::clamp<int64_t>(i, 0, size - 1);
  if (mode == "wrap")
    return modulo(i, size);
  if (size == 1)
    return 0;
  // Mirrored at the first and the last element.
  int64_t period = 2 * (size - 1), at = modulo(i, period);
  return at < size ? at : period - at;
}

Value padByCopying(Node &node, Value x, StringRef mode, const Ints &low,
                   const Ints &high) {
  for (int64_t axis = 0; axis < node.rank(x); ++axis) {
    if (low[axis] == 0 && high[axis] == 0)
      continue;
    int64_t size = node.dim(x, axis);
    if (!node.require(size > 0, "an empty dim cannot be padded by its "
                                "elements"))
      return {};
    Ints indices;
    if (!node.requireTable(low[axis] + size + high[axis]))
      return {};
    for (int64_t i = -low[axis]; i < size + high[axis]; ++i)
      indices.push_back(sourceIndex(mode, i, size));
    x = pick(node, x, indices, axis);
  }
  return x;
}

/// The sizes of the results of Split.
Ints splitSizes(Node &node, Value x, int64_t axis) {
  Ints sizes = node.constantsOr(1, "split");
  if (!sizes.empty())
    return sizes;
  int64_t count = node.getInt("num_outputs", node.proto().output_size());
  if (!node.require(count > 0 && count <= node.proto().output_size(),
                    "num_outputs is " + Twine(count) + ", but it has " +
                        Twine(node.proto().output_size()) + " results"))
    return {};
  int64_t size = node.dim(x, axis), part = (size + count - 1) / count;
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(std::clamp<int64_t>(size - i * part, 0, part));
  return sizes;
}

/// Combines all elements before and with each along a dim.
void scan(Node &node, ir::ScanKind kind) {
  Value x = node.operand(0);
  Ints axes = node.constants(1);
  if (!node.requireCount("axis", axes.size(), 1))
    return;
  const int64_t axis = node.axis(axes[0], node.rank(x));
  if (node.hasFailed())
    return;
  MLIRContext *context = node.state().builder.getContext();
  SmallVector<NamedAttribute> attributes{
      node.attribute("kind", ir::ScanKindAttr::get(context, kind)),
      node.integer("axis", axis)};
  for (StringRef flag : {"exclusive", "reverse"})
    if (node.getInt(flag, 0))
      attributes.push_back(node.unit(flag));
  node.result(0, node.emit<ir::ScanOp>(x, attributes));
}

} // namespace

Value pick(Node &node, Value value, ArrayRef<int64_t> indices, int64_t axis) {
  return node.gather(value, node.vector(indices), axis);
}

Value elementAt(Node &node, Value value, int64_t axis, int64_t i) {
  Value slice = node.slice(value, axis, i, i + 1);
  Sizes shape = node.sizesOf(value);
  if (node.hasFailed())
    return {};
  shape.erase(shape.begin() + axis);
  return node.reshape(slice, shape);
}

/// The only element, where a double is equal to it.
std::optional<double> asDouble(DenseElementsAttr elements) {
  Attribute element = *elements.getValues<Attribute>().begin();
  if (auto real = dyn_cast<FloatAttr>(element))
    return real.getValueAsDouble();
  Type type = elements.getElementType();
  const bool isSigned = !type.isInteger(1) && !type.isUnsignedInteger();
  const APInt integer = cast<IntegerAttr>(element).getValue();
  const double value = integer.roundToDouble(isSigned);
  if (std::fabs(value) >= std::ldexp(1, 53))
    return std::nullopt;
  return value;
}

Value padByValue(Node &node, Value x, Ints low, Ints high) {
  Type type = node.element(x);
  x = crop(node, x, low, high);
  Ints none(low.size(), 0);
  if (type.isInteger(1))
    x = node.cast(x, node.state().builder.getI8Type());
  double number = node.getFloat("value", 0);
  Value given = node.hasOperand(2) ? node.operand(2) : Value();
  DenseElementsAttr known;
  if (given && matchPattern(given, m_Constant(&known)) &&
      known.getNumElements() == 1)
    if (std::optional<double> value = asDouble(known)) {
      number = *value;
      given = {};
    }
  Value padded = node.pad(x, low, high, none, number);
  if (given) {
    Type i8 = node.state().builder.getI8Type();
    Value isOutside =
        node.compare(ir::ComparePredicate::eq,
                     node.pad(node.expand(node.scalar(i8, 1), node.dims(x)),
                              low, high, none, 0),
                     node.scalar(i8, 0));
    given = node.cast(node.reshape(given, {}), node.element(padded));
    padded = node.select(isOutside, given, padded);
  }
  return node.cast(padded, type);
}

Value crop(Node &node, Value value, MutableArrayRef<int64_t> low,
           MutableArrayRef<int64_t> high) {
  for (int64_t i = 0; i < node.rank(value); ++i) {
    if (low[i] >= 0 && high[i] >= 0)
      continue;
    value = node.slice(value, i, std::max<int64_t>(-low[i], 0),
                       high[i] < 0 ? high[i] : kMax);
    low[i] = std::max<int64_t>(low[i], 0);
    high[i] = std::max<int64_t>(high[i], 0);
  }
  return value;
}

void convertCenterCropPad(Node &node) {
  Value x = node.operand(0);
  int64_t rank = node.rank(x);
  Ints shape = node.constants(1);
  Ints axes = node.axes(node.getInts("axes", range(0, rank)), rank);
  if (!node.requireCount("shape", shape.size(), axes.size()) ||
      node.hasFailed())
    return;
  Ints low(rank, 0), high(rank, 0);
  for (auto [axis, size] : llvm::zip(axes, shape)) {
    if (!node.require(size >= 0 && size < int64_t(1) << 40,
                      "a size of " + Twine(size) + " is out of range"))
      return;
    int64_t missing = size - node.dim(x, axis);
    low[axis] = missing / 2;
    high[axis] = missing - missing / 2;
  }
  node.result(0, padByValue(node, x, low, high));
}

void convertCumProd(Node &node) { scan(node, ir::ScanKind::prod); }
void convertCumSum(Node &node) { scan(node, ir::ScanKind::sum); }

void convertGather(Node &node) {
  Value x = node.operand(0);
  int64_t axis = node.axis(node.getInt("axis", 0), node.rank(x));
  std::optional<Integers> known = node.known(1);
  if (known && known->isScalar && known->elements[0].value()) {
    int64_t index = *known->elements[0].value();
    Sizes rest = node.sizesOf(x);
    if (node.hasFailed())
      return;
    std::optional<int64_t> size = rest[axis].value();
    if (!node.require(size ? index >= -*size && index < *size
                           : llvm::isInt<48>(index),
                      "index " + Twine(index) + " is out of range"))
      return;
    rest.erase(rest.begin() + axis);
    Value one = node.slice(x, axis, index, index == -1 ? kMax : index + 1);
    return node.result(0, node.reshape(one, rest));
  }
  Value indices = node.operand(1);
  if (!node.require(!node.isFloat(indices), "indices must be integers"))
    return;
  bool isCounted = known && llvm::all_of(known->elements, [](const Size &size) {
                     return size.value().value_or(-1) >= 0;
                   });
  if (!isCounted) {
    // Indices below zero count from the end.
    Value isNegative = node.compare(ir::ComparePredicate::lt, indices,
                                    node.scalar(indices, 0));
    Value wrapped = node.add(indices, node.scalar(indices, node.dim(x, axis)));
    indices = node.select(isNegative, wrapped, indices);
  }
  node.result(0, node.gather(x, indices, axis));
}

/// The depth of OneHot, of any type of numbers, without its fraction.
static int64_t oneHotDepth(Node &node) {
  SmallVector<double> depths = node.numbers(1);
  if (!node.requireCount("depth", depths.size(), 1))
    return 1;
  const int64_t depth = toInteger(depths[0]);
  node.require(depth > 0,
               "a depth of " + Twine(depth) + ", which is not positive");
  return depth;
}

void convertOneHot(Node &node) {
  Value indices = node.operand(0), values = node.operand(2);
  const int64_t depths = oneHotDepth(node);
  if (node.hasFailed())
    return;
  int64_t rank = node.rank(indices) + 1;
  int64_t axis = node.axis(node.getInt("axis", -1), rank);
  Type i64 = node.state().builder.getI64Type();
  Value depth = node.scalar(i64, depths);
  indices = node.cast(indices, i64);
  Value isNegative =
      node.compare(ir::ComparePredicate::lt, indices, node.scalar(i64, 0));
  indices = node.select(isNegative, node.add(indices, depth), indices);
  Sizes shape = node.sizesOf(indices);
  shape.insert(shape.begin() + axis, Size(1));
  Value counted = alongAxis(node, node.iota({depths}, 0, i64), axis, rank);
  Value isHot = node.compare(ir::ComparePredicate::eq,
                             node.reshape(indices, shape), counted);
  auto value = [&](int64_t i) {
    return node.reshape(node.slice(values, 0, i, i + 1), {});
  };
  node.result(0, node.select(isHot, value(1), value(0)));
}

void convertPad(Node &node) {
  Value x = node.operand(0);
  Ints pads = node.constantsOr(1, "pads", node.getInts("paddings"));
  int64_t rank = node.rank(x);
  Ints axes =
      node.hasOperand(3) ? node.axes(node.constants(3), rank) : range(0, rank);
  if (!node.requireCount("pads", pads.size(), 2 * axes.size()) ||
      node.hasFailed())
    return;
  Ints low(rank, 0), high(rank, 0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    low[axis] = pads[i];
    high[axis] = pads[axes.size() + i];
    if (!node.require(llvm::isInt<41>(low[axis]) && llvm::isInt<41>(high[axis]),
                      "padding that no memory holds"))
      return;
  }
  for (int64_t axis : axes) {
    const std::optional<int64_t> size = node.sizesOf(x)[axis].value();
    if (!node.require(!size || *size + low[axis] + high[axis] >= 0,
                      "pads that take away more than dim " + Twine(axis) +
                          " has"))
      return;
  }
  std::string mode = node.getString("mode", "constant");
  if (mode == "constant")
    return node.result(0, padByValue(node, x, low, high));
  if (!node.require(mode == "edge" || mode == "reflect" || mode == "wrap",
                    "mode '" + mode + "' is not known"))
    return;
  x = crop(node, x, low, high);
  node.result(0, padByCopying(node, x, mode, low, high));
}

Ints sliceIndices(int64_t size, int64_t start, int64_t end, int64_t step) {
  const bool isDown = step < 0;
  auto clamp = [&](int64_t index, int64_t least, int64_t most) {
    return std::clamp(index < 0 ? index + size : index, least, most);
  };
  Ints indices;
  if (size == 0)
    return indices;
  int64_t last = isDown ? clamp(end, -1, size - 1) : clamp(end, 0, size);
  step = std::clamp(step, -size, size);
  for (int64_t i = clamp(start, 0, isDown ? size - 1 : size);
       isDown ? i > last : i < last; i += step)
    indices.push_back(i);
  return indices;
}

Value flip(Node &node, Value value, int64_t axis) {
  const int64_t size = node.dim(value, axis);
  if (!node.requireTable(size))
    return {};
  return size > 1 ? pick(node, value, sliceIndices(size, -1, -kMax, -1), axis)
                  : value;
}

void convertSlice(Node &node) {
  Value x = node.operand(0);
  bool isOld = node.opset() < 10;
  Ints starts = isOld ? node.getInts("starts") : node.constants(1);
  Ints ends = isOld ? node.getInts("ends") : node.constants(2);
  Ints axes = node.constantsOr(3, "axes", range(0, starts.size()));
  Ints steps = node.constantsOr(4, "steps", Ints(starts.size(), 1));
  axes = node.axes(axes, node.rank(x));
  if (!node.requireCount("ends", ends.size(), starts.size()) ||
      !node.requireCount("axes", axes.size(), starts.size()) ||
      !node.requireCount("steps", steps.size(), starts.size()) ||
      !node.require(!llvm::is_contained(steps, 0), "a step of 0"))
    return;
  for (size_t i = 0; i < axes.size() && !node.hasFailed(); ++i)
    if (steps[i] > 0)
      x = node.slice(x, axes[i], starts[i], ends[i], steps[i]);
    else if (node.requireTable(node.dim(x, axes[i])))
      x = pick(node, x,
               sliceIndices(node.dim(x, axes[i]), starts[i], ends[i], steps[i]),
               axes[i]);
  node.result(0, x);
}

void convertSplit(Node &node) {
  Value x = node.operand(0);
  int64_t axis = node.axis(node.getInt("axis", 0), node.rank(x));
  if (node.hasFailed())
    return;
  Ints sizes = splitSizes(node, x, axis);
  int64_t start = 0, end = node.dim(x, axis);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (!node.require(size >= 0, "a negative size") ||
        !node.require(size <= end - start,
                      "sizes that add up to more than that of the dim"))
      return;
    if (node.isWanted(i))
      node.result(i, node.slice(x, axis, start, start + size));
    start += size;
  }
  node.require(start == end, "sizes that do not add up to that of the dim");
}

void convertTrilu(Node &node) {
  Value x = node.operand(0);
  Ints offsets = node.hasOperand(1) ? node.constants(1) : Ints{0};
  int64_t rank = node.rank(x);
  if (!node.require(rank >= 2, "needs two dims or more") ||
      !node.requireCount("k", offsets.size(), 1))
    return;
  Ints shape{node.dim(x, rank - 2), node.dim(x, rank - 1)};
  Type i64 = node.state().builder.getI64Type();
  Value diagonal =
      node.add(node.iota(shape, 0, i64), node.scalar(i64, offsets[0]));
  auto keeps = node.getInt("upper", 1) ? ir::ComparePredicate::ge
                                       : ir::ComparePredicate::le;
  Value isKept = node.compare(keeps, node.iota(shape, 1, i64), diagonal);
  node.result(0, node.select(isKept, x, node.scalar(x, 0)));
}

} // namespace tandem::onnx
