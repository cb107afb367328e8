//===- Resize.cpp - ONNX Resize and Upsample ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

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
  // Where scales are given, the result may end within an element.
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

/// The weights of the operand's elements in one of the result.
SmallVector<double> rowOf(const Axis &axis, const Method &method, int64_t i) {
  double place = sourceOf(axis, method.coordinates, i);
  double narrowing = method.antialias ? std::min(axis.scale, 1.0) : 1;
  double reach = (method.mode == "linear" ? 1 : 2) / narrowing;
  SmallVector<double> row(axis.from, 0);
  double sum = 0;
  auto first = toInteger(std::ceil(place - reach));
  for (int64_t j = first; j <= place + reach; ++j) {
    if (method.excludeOutside && (j < 0 || j >= axis.from))
      continue;
    double weight = weightAt(method, (place - j) * narrowing);
    row[std::clamp<int64_t>(j, 0, axis.from - 1)] += weight;
    sum += weight;
  }
  if (sum != 0)
    for (double &weight : row)
      weight /= sum;
  return row;
}

/// x, of floats, times the matrix of weights, along the axis.
Value interpolate(Node &node, Value x, const Axis &axis, const Method &method) {
  if (!node.requireTable(axis.from) || !node.requireTable(axis.from * axis.to))
    return {};
  if (node.rank(x) == 1) { // A product needs two dims.
    x = node.reshape(x, {1, axis.from});
    x = interpolate(node, x, {1, axis.from, axis.to, axis.scale}, method);
    return node.reshape(x, {axis.to});
  }
  auto floatType = cast<FloatType>(node.element(x));
  SmallVector<double> weights;
  for (int64_t i = 0; i < axis.to; ++i)
    weights.append(rowOf(axis, method, i));
  Value matrix = node.table(
      RankedTensorType::get({axis.to, axis.from}, floatType), weights);
  int64_t last = node.rank(x) - 1;
  if (axis.dim == last)
    return node.emit<ir::MatmulOp>({x, matrix}, node.unit("transpose_rhs"));
  Ints order = range(0, last + 1);
  std::swap(order[axis.dim], order[last - 1]);
  bool isInPlace = axis.dim == last - 1;
  x = isInPlace ? x : node.transpose(x, order);
  x = node.emit<ir::MatmulOp>({matrix, x});
  return isInPlace ? x : node.transpose(x, order);
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

/// Those of an operand that may be left out.
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

/// What was interpolated of integers, in f64, as integers, which a cast
/// saturates. ONNX does not say how to round. ONNX Runtime cuts fractions off
/// in linear mode; all else is rounded as in the onnx package's reference.
Value toIntegers(Node &node, Value x, const Method &method) {
  if (method.mode != "linear" || method.antialias)
    return node.emit<ir::RoundOp>(x);
  // The factor keeps rounding errors from taking 1 from what is an integer.
  return node.mul(x, node.scalar(x, 1 + 0x1p-44));
}

void resize(Node &node, Value x, ArrayRef<Axis> axes, const Method &method) {
  if (!node.require(method.mode == "nearest" || method.mode == "linear" ||
                        method.mode == "cubic",
                    "mode '" + method.mode + "' is not known"))
    return;
  const Type type = node.element(x);
  const bool isInteger = !node.isFloat(x);
  if (isInteger && method.interpolates() && !axes.empty()) {
    if (!node.require(!type.isInteger(1), "mode '" + method.mode +
                                              "' interpolates numbers, not "
                                              "truth values"))
      return;
    x = node.cast(x, node.state().builder.getF64Type());
  }
  for (const Axis &axis : axes)
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
