//===- Resize.cpp - ONNX Resize and Upsample ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

#include <cmath>

using namespace mlir;

namespace tandem::onnx {
namespace {

/// How one dim is resized.
struct Axis {
  int64_t dim, from, to;
  double scale;
  /// The part of the dim that tf_crop_and_resize takes.
  double start = 0, end = 1;
};

/// The attributes.
struct Method {
  std::string mode, coordinates, nearest;
  double cubic;
  bool antialias, excludeOutside;
  double extrapolation;

  bool interpolates() const { return mode != "nearest"; }
};

/// The place in the operand, in elements, of element `i` of the result.
double sourceOf(const Axis &axis, StringRef coordinates, int64_t i) {
  // The result may end within an element if scales are given.
  double from = axis.from, to = axis.scale * from;
  if (coordinates == "align_corners")
    return to == 1 ? 0 : i * (from - 1) / (to - 1);
  if (coordinates == "asymmetric")
    return i / axis.scale;
  if (coordinates == "pytorch_half_pixel" && to <= 1)
    return 0;
  if (coordinates == "tf_crop_and_resize")
    return to > 1 ? axis.start * (from - 1) +
                        i * (axis.end - axis.start) * (from - 1) / (to - 1)
                  : 0.5 * (axis.start + axis.end) * (from - 1);
  double place = (i + 0.5) / axis.scale - 0.5;
  if (coordinates == "half_pixel_symmetric")
    place += from / 2 * (1 - axis.to / to);
  return place;
}

int64_t nearestOf(double place, StringRef rounding) {
  if (rounding == "floor")
    return toInteger(std::floor(place));
  if (rounding == "ceil")
    return toInteger(std::ceil(place));
  return toInteger(rounding == "round_prefer_ceil" ? std::floor(place + 0.5)
                                                   : std::ceil(place - 0.5));
}

/// The weight of an element at a distance: of linear, or of cubic interpolation
/// (Keys, IEEE Trans. ASSP 29 (1981)).
double weightAt(const Method &method, double distance) {
  double d = std::abs(distance), a = method.cubic;
  if (method.mode == "linear")
    return std::max(0.0, 1 - d);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// An element of the operand that an element of the result reads, and its
/// weight.
struct Neighbor {
  int64_t index;
  double weight;
};
using Neighbors = SmallVector<Neighbor, 2>;

/// The elements that one of the result reads along the axis, in order. Elements
/// whose weight is 0, but for the rounding of the place, are not read: 0 times
/// infinity is NaN. None are left far outside the operand, where
/// tf_crop_and_resize extrapolates.
Neighbors neighborsOf(const Axis &axis, const Method &method, int64_t i) {
  double place = sourceOf(axis, method.coordinates, i);
  double narrowing = method.antialias ? std::min(axis.scale, 1.0) : 1;
  double reach = (method.mode == "linear" ? 1 : 2) / narrowing;
  Neighbors row;
  double sum = 0;
  auto first = toInteger(std::ceil(place - reach));
  for (int64_t j = first; j <= place + reach; ++j) {
    if (method.excludeOutside && (j < 0 || j >= axis.from))
      continue;
    double weight = weightAt(method, (place - j) * narrowing);
    int64_t index = std::clamp<int64_t>(j, 0, axis.from - 1);
    if (row.empty() || row.back().index != index)
      row.push_back({index, 0});
    row.back().weight += weight;
    sum += weight;
  }
  double rounding = 0x1p-50 * axis.from;
  llvm::erase_if(row, [&](const Neighbor &neighbor) {
    return std::abs(neighbor.weight) <= rounding;
  });
  if (sum != 0)
    for (Neighbor &neighbor : row)
      neighbor.weight /= sum;
  return row;
}

/// Makes the row as long as the others, without another element: some are taken
/// twice, with halves of their weights, which is exact.
void lengthen(Neighbors &row, size_t length) {
  if (row.empty())
    row.push_back({0, 0});
  while (row.size() < length) {
    const size_t numSplit = std::min(row.size(), length - row.size());
    Neighbors longer;
    for (auto [i, neighbor] : llvm::enumerate(row)) {
      if (i < numSplit)
        neighbor.weight /= 2;
      longer.append(i < numSplit ? 2 : 1, neighbor);
    }
    row = std::move(longer);
  }
}

/// The neighbors of all elements of the result, equally many of each.
SmallVector<Neighbors> allNeighbors(Node &node, const Axis &axis,
                                    const Method &method) {
  SmallVector<Neighbors> rows;
  size_t length = 1;
  for (int64_t i = 0; i < axis.to; ++i) {
    rows.push_back(neighborsOf(axis, method, i));
    length = std::max(length, rows.back().size());
    if (!node.requireTable(length * axis.to))
      return {};
  }
  for (Neighbors &row : rows)
    lengthen(row, length);
  return rows;
}

/// The weighted sum of all neighbors, with a gather of each one.
Value sumNeighbors(Node &node, Value x, int64_t dim, ArrayRef<Neighbors> rows) {
  auto type = RankedTensorType::get({static_cast<int64_t>(rows.size())},
                                    node.element(x));
  Value result;
  for (size_t i = 0; i < rows.front().size() && !node.hasFailed(); ++i) {
    Ints indices;
    SmallVector<double> weights;
    for (const Neighbors &row : rows) {
      indices.push_back(row[i].index);
      weights.push_back(row[i].weight);
    }
    Value weight =
        alongAxis(node, node.table(type, weights), dim, node.rank(x));
    Value term = node.mul(pick(node, x, indices, dim), weight);
    result = result ? node.add(result, term) : term;
  }
  return result;
}

/// The weighted sum of all neighbors, with one gather of them all.
Value reduceNeighbors(Node &node, Value x, int64_t dim,
                      ArrayRef<Neighbors> rows) {
  int64_t count = rows.size(), length = rows.front().size();
  Ints indices;
  SmallVector<double> weights;
  for (const Neighbors &row : rows)
    for (const Neighbor &neighbor : row) {
      indices.push_back(neighbor.index);
      weights.push_back(neighbor.weight);
    }
  x = node.gather(x, node.reshape(node.vector(indices), {count, length}), dim);
  Sizes shape(node.rank(x), Size(1));
  shape[dim] = Size(count);
  shape[dim + 1] = Size(length);
  auto type = RankedTensorType::get({count, length}, node.element(x));
  x = node.mul(x, node.reshape(node.table(type, weights), shape));
  return node.reduce(ir::ReduceKind::sum, x, dim + 1, /*keepDims=*/false);
}

Value interpolate(Node &node, Value x, const Axis &axis, const Method &method) {
  if (axis.to == 0)
    return pick(node, x, {}, axis.dim);
  SmallVector<Neighbors> rows = allNeighbors(node, axis, method);
  if (rows.empty())
    return {};
  // The most gathers that are made for one axis. They read what is in caches,
  // and fuse.
  constexpr size_t kMaxGathers = 64;
  return rows.front().size() <= kMaxGathers
             ? sumNeighbors(node, x, axis.dim, rows)
             : reduceNeighbors(node, x, axis.dim, rows);
}

Value resizeAxis(Node &node, Value x, const Axis &axis, const Method &method) {
  bool isCropped = method.coordinates == "tf_crop_and_resize";
  if (axis.from == axis.to && axis.scale == 1 && !isCropped)
    return x;
  Value result;
  SmallVector<bool> isInside;
  Ints indices;
  for (int64_t i = 0; i < axis.to; ++i) {
    double place = sourceOf(axis, method.coordinates, i);
    isInside.push_back(place >= 0 && place <= axis.from - 1);
    indices.push_back(std::clamp<int64_t>(nearestOf(place, method.nearest), 0,
                                          axis.from - 1));
  }
  result = method.interpolates() ? interpolate(node, x, axis, method)
                                 : pick(node, x, indices, axis.dim);
  if (!isCropped || llvm::all_of(isInside, [](bool is) { return is; }))
    return result;
  auto type =
      RankedTensorType::get({axis.to}, node.state().builder.getI1Type());
  Value inside =
      alongAxis(node, node.constant(DenseElementsAttr::get(type, isInside)),
                axis.dim, node.rank(x));
  return node.select(inside, result, node.scalar(result, method.extrapolation));
}

/// The numbers of operand `i`; empty if it is left out.
SmallVector<double> numbersOf(Node &node, unsigned i) {
  return node.hasOperand(i) ? node.numbers(i) : SmallVector<double>();
}

/// The dims that are resized, as the scales or else the sizes say. Those that
/// keep their sizes, which may be free, are left out, unless all are cropped.
SmallVector<Axis> describeAxes(Node &node, Value x, ArrayRef<double> scales,
                               ArrayRef<Size> sizes, ArrayRef<int64_t> dims,
                               bool isCropped = false) {
  SmallVector<Axis> axes;
  if (!node.require(scales.empty() || sizes.empty(),
                    "takes scales or sizes, not both") ||
      !node.require(scales.size() + sizes.size() == dims.size(),
                    "needs a scale or a size for each axis") ||
      node.hasFailed())
    return axes;
  std::string policy = node.getString("keep_aspect_ratio_policy", "stretch");
  std::optional<double> common;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    bool keepsSize =
        scales.empty() ? sizes[i] == node.sizesOf(x)[dim] : scales[i] == 1;
    if (keepsSize && !isCropped && policy == "stretch")
      continue;
    Axis axis{dim, node.dim(x, dim), 0, scales.empty() ? 1 : scales[i]};
    if (node.hasFailed() ||
        !node.require(axis.from > 0, "dim " + Twine(dim) + " is empty"))
      return {};
    if (!scales.empty()) {
      // In f32, as ONNX says: 5 · 1.4f is 7, and less in f64.
      axis.to = toInteger(std::floor(static_cast<float>(axis.from) *
                                     static_cast<float>(axis.scale)));
    } else {
      axis.to = node.asConstants({sizes[i]}, "the result's size").front();
      axis.scale = double(axis.to) / axis.from;
    }
    if (!node.require(axis.scale > 0 && std::isfinite(axis.scale),
                      "a scale that is not a positive number"))
      return {};
    common = !common                  ? axis.scale
             : policy == "not_larger" ? std::min(*common, axis.scale)
                                      : std::max(*common, axis.scale);
    axes.push_back(axis);
  }
  if (policy != "stretch" && !sizes.empty())
    for (Axis &axis : axes) {
      axis.scale = *common;
      axis.to = toInteger(std::floor(*common * axis.from + 0.5));
    }
  for (const Axis &axis : axes)
    if (!node.requireTable(axis.to))
      return {};
  return axes;
}

/// The type in which elements are interpolated, so that they are rounded once:
/// f64 for integers, and f32 for floats of 16 bits.
Type getInterpolatedType(Type type) {
  if (isa<IntegerType>(type))
    return Float64Type::get(type.getContext());
  return type.isF16() || type.isBF16() ? Float32Type::get(type.getContext())
                                       : type;
}

/// What was interpolated of integers, in f64, as integers, which a cast
/// saturates. ONNX does not say how to round. ONNX Runtime cuts fractions off
/// in linear mode; all else is rounded as in the onnx package's reference.
Value toIntegers(Node &node, Value x, const Method &method) {
  if (method.mode != "linear" || method.antialias)
    return node.emit<ir::RoundOp>(x);
  // The factor keeps rounding errors from taking 1 from what is an integer.
  return node.mul(x, node.scalar(x, 1 + 0x1p-44));
}

/// The axes in an order in which little is read along inner dims, whose
/// elements are gathered one by one: those that shrink, then those that grow,
/// the inner ones first.
SmallVector<Axis> inCheapOrder(ArrayRef<Axis> axes) {
  SmallVector<Axis> order(axes);
  llvm::stable_sort(order, [](const Axis &lhs, const Axis &rhs) {
    bool isLeftGrowing = lhs.to > lhs.from, isRightGrowing = rhs.to > rhs.from;
    return isLeftGrowing != isRightGrowing ? isRightGrowing
           : isLeftGrowing                 ? lhs.dim > rhs.dim
                                           : lhs.dim < rhs.dim;
  });
  return order;
}

void resize(Node &node, Value x, ArrayRef<Axis> axes, const Method &method) {
  if (!node.require(method.mode == "nearest" || method.mode == "linear" ||
                        method.mode == "cubic",
                    "mode '" + method.mode + "' is not known"))
    return;
  const Type type = node.element(x);
  const bool isInteger = !node.isFloat(x);
  if (method.interpolates() && !axes.empty()) {
    if (!node.require(!type.isInteger(1), "mode '" + method.mode +
                                              "' interpolates numbers, not "
                                              "truth values"))
      return;
    x = node.cast(x, getInterpolatedType(type));
  }
  for (const Axis &axis : inCheapOrder(axes))
    x = node.hasFailed() ? Value() : resizeAxis(node, x, axis, method);
  if (isInteger && node.isFloat(x))
    x = toIntegers(node, x, method);
  node.result(0, node.cast(x, type));
}

} // namespace

void convertResize(Node &node) {
  Value x = node.operand(0);
  bool isOld = node.opset() < 11;
  Method method{
      node.getString("mode", "nearest"),
      node.getString("coordinate_transformation_mode",
                     isOld ? "asymmetric" : "half_pixel"),
      node.getString("nearest_mode", isOld ? "floor" : "round_prefer_floor"),
      node.getFloat("cubic_coeff_a", -0.75),
      node.getInt("antialias", 0) != 0,
      node.getInt("exclude_outside", 0) != 0,
      node.getFloat("extrapolation_value", 0)};
  Ints dims =
      node.axes(node.getInts("axes", range(0, node.rank(x))), node.rank(x));
  SmallVector<double> scales = numbersOf(node, isOld ? 1 : 2);
  bool isCropped = method.coordinates == "tf_crop_and_resize";
  SmallVector<Axis> axes = describeAxes(
      node, x, scales, !isOld && node.hasOperand(3) ? node.sizes(3) : Sizes(),
      dims, isCropped);
  if (isCropped) {
    SmallVector<double> region = numbersOf(node, 1);
    if (!node.require(region.size() == 2 * axes.size(),
                      "needs a region of two numbers for each axis"))
      return;
    for (double number : region)
      if (!node.require(std::abs(number) < 0x1p31, "a region out of range"))
        return;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      axis.start = region[i];
      axis.end = region[axes.size() + i];
    }
  }
  resize(node, x, axes, method);
}

void convertUpsample(Node &node) {
  Value x = node.operand(0);
  SmallVector<double> scales = numbersOf(node, 1);
  if (const auto *given = node.find("scales"))
    scales.assign(given->floats().begin(), given->floats().end());
  if (node.opset() < 7)
    scales = {1, 1, node.getFloat("height_scale", 1),
              node.getFloat("width_scale", 1)};
  Method method{node.getString("mode", "nearest"),
                "asymmetric",
                "floor",
                -0.75,
                false,
                false,
                0};
  resize(node, x, describeAxes(node, x, scales, {}, range(0, node.rank(x))),
         method);
}

} // namespace tandem::onnx
