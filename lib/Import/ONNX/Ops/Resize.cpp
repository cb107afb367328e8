//===- Resize.cpp - ONNX Resize and Upsample ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

#include "tandem/Support/Resize.h"

#include <cmath>

using namespace mlir;

namespace tandem::onnx {
namespace {

/// The attributes of a node that do not depend on the dims.
struct Method {
  std::string mode, coordinates, nearest;
  double cubic = -0.75;
  bool antialias = false, excludeOutside = false;
  double extrapolation = 0;

  bool isCropped() const { return coordinates == "tf_crop_and_resize"; }
};

/// The dims that are resized, and the attributes for each of them. Lists that
/// are not given are empty.
struct ResizedDims {
  Ints dims, sizes;
  SmallVector<double> scales, starts, ends;
};

/// The numbers of operand `i`; empty if it is left out.
SmallVector<double> numbersOf(Node &node, unsigned i) {
  return node.hasOperand(i) ? node.numbers(i) : SmallVector<double>();
}

/// Applies keep_aspect_ratio_policy: all dims get the smallest or the largest
/// scale, and sizes are rounded.
void keepAspectRatio(Node &node, Value x, StringRef policy,
                     ResizedDims &resized) {
  std::optional<double> common;
  for (auto [dim, size] : llvm::zip(resized.dims, resized.sizes)) {
    const double scale = double(size) / std::max<int64_t>(node.dim(x, dim), 1);
    common = !common                  ? scale
             : policy == "not_larger" ? std::min(*common, scale)
                                      : std::max(*common, scale);
  }
  for (auto [dim, size] : llvm::zip(resized.dims, resized.sizes))
    size = toInteger(std::floor(*common * node.dim(x, dim) + 0.5));
  if (common)
    resized.scales.assign(resized.dims.size(), *common);
}

/// Checks a resized dim as far as its size is known, in the words of ONNX.
void checkDim(Node &node, Value x, const ResizedDims &resized, size_t i) {
  const int64_t dim = resized.dims[i];
  const std::optional<int64_t> from = node.sizesOf(x)[dim].value();
  if (!node.require(!from || *from > 0, "dim " + Twine(dim) + " is empty") ||
      !node.require(resized.sizes.empty() || resized.sizes[i] > 0 ||
                        !resized.scales.empty(),
                    "a scale that is not a positive number") ||
      !node.require(
          resized.scales.empty() ||
              (resized.scales[i] > 0 && std::isfinite(resized.scales[i])),
          "a scale that is not a positive number"))
    return;
  if (!resized.sizes.empty())
    node.requireTable(resized.sizes[i]);
  else if (from)
    node.requireTable(toInteger(std::floor(
        static_cast<float>(*from) * static_cast<float>(resized.scales[i]))));
}

/// The dims that are resized, as the scales or else the sizes say. Those that
/// keep their sizes are left out, unless all are cropped.
ResizedDims describeDims(Node &node, Value x, ArrayRef<double> scales,
                         ArrayRef<Size> sizes, ArrayRef<int64_t> dims,
                         bool isCropped = false) {
  ResizedDims resized;
  if (!node.require(scales.empty() || sizes.empty(),
                    "takes scales or sizes, not both") ||
      !node.require(scales.size() + sizes.size() == dims.size(),
                    "needs a scale or a size for each axis") ||
      node.hasFailed())
    return resized;
  std::string policy = node.getString("keep_aspect_ratio_policy", "stretch");
  for (auto [i, dim] : llvm::enumerate(dims)) {
    bool keepsSize =
        scales.empty() ? sizes[i] == node.sizesOf(x)[dim] : scales[i] == 1;
    if (keepsSize && !isCropped && policy == "stretch")
      continue;
    resized.dims.push_back(dim);
    if (scales.empty())
      resized.sizes.push_back(
          node.asConstants({sizes[i]}, "the result's size").front());
    else
      resized.scales.push_back(scales[i]);
    if (node.hasFailed())
      return resized;
  }
  if (policy != "stretch" && !sizes.empty())
    keepAspectRatio(node, x, policy, resized);
  for (size_t i = 0; i < resized.dims.size() && !node.hasFailed(); ++i)
    checkDim(node, x, resized, i);
  return resized;
}

/// Reads the region of tf_crop_and_resize, which has the starts of all axes,
/// followed by the ends.
void addRegion(Node &node, ResizedDims &resized) {
  SmallVector<double> region = numbersOf(node, 1);
  const size_t count = resized.dims.size();
  if (!node.require(region.size() == 2 * count,
                    "needs a region of two numbers for each axis"))
    return;
  for (double number : region)
    if (!node.require(std::abs(number) < 0x1p31, "a region out of range"))
      return;
  resized.starts.assign(region.begin(), region.begin() + count);
  resized.ends.assign(region.begin() + count, region.end());
}

/// Sorts the dims, with all that belongs to them.
void sortDims(ResizedDims &resized) {
  auto order = llvm::to_vector(llvm::seq<size_t>(0, resized.dims.size()));
  llvm::sort(order, [&](size_t i, size_t j) {
    return resized.dims[i] < resized.dims[j];
  });
  auto sort = [&](auto &list) {
    auto sorted = list;
    for (size_t i = 0; i < list.size(); ++i)
      sorted[i] = list[order[i]];
    list = sorted;
  };
  sort(resized.dims);
  sort(resized.sizes);
  sort(resized.scales);
  sort(resized.starts);
  sort(resized.ends);
}

void resize(Node &node, Value x, ResizedDims resized, const Method &method) {
  auto mode = ir::symbolizeResizeMode(method.mode);
  if (!node.require(mode.has_value(),
                    "mode '" + method.mode + "' is not known"))
    return;
  if (node.hasFailed() || resized.dims.empty())
    return node.result(0, x);
  if (!node.require(
          *mode == ir::ResizeMode::nearest || !node.element(x).isInteger(1),
          "mode '" + method.mode + "' interpolates numbers, not truth values"))
    return;
  sortDims(resized);
  Builder &builder = node.state().builder;
  MLIRContext *context = builder.getContext();
  SmallVector<NamedAttribute> attributes = {
      node.attribute("mode", ir::ResizeModeAttr::get(context, *mode)),
      node.ints("dims", resized.dims),
      node.attribute(
          "coordinates",
          ir::ResizeCoordinatesAttr::get(
              context, ir::symbolizeResizeCoordinates(method.coordinates)
                           .value_or(ir::ResizeCoordinates::half_pixel))),
      node.attribute(
          "rounding",
          ir::NearestRoundingAttr::get(
              context, ir::symbolizeNearestRounding(method.nearest)
                           .value_or(ir::NearestRounding::round_prefer_floor))),
      node.attribute("cubic_coeff_a", builder.getF64FloatAttr(method.cubic)),
      node.attribute("extrapolation_value",
                     builder.getF64FloatAttr(method.extrapolation))};
  auto addList = [&](StringRef name, ArrayRef<double> values) {
    if (!values.empty())
      attributes.push_back(
          node.attribute(name, builder.getDenseF64ArrayAttr(values)));
  };
  if (!resized.sizes.empty())
    attributes.push_back(node.ints("sizes", resized.sizes));
  addList("scales", resized.scales);
  addList("starts", resized.starts);
  addList("ends", resized.ends);
  if (method.antialias)
    attributes.push_back(node.unit("antialias"));
  if (method.excludeOutside)
    attributes.push_back(node.unit("exclude_outside"));
  node.result(0, node.emit<ir::ResizeOp>(x, attributes));
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
  ResizedDims resized = describeDims(
      node, x, scales, !isOld && node.hasOperand(3) ? node.sizes(3) : Sizes(),
      dims, method.isCropped());
  if (method.isCropped())
    addRegion(node, resized);
  resize(node, x, std::move(resized), method);
}

void convertUpsample(Node &node) {
  Value x = node.operand(0);
  SmallVector<double> scales = numbersOf(node, 1);
  if (const auto *given = node.find("scales"))
    scales.assign(given->floats().begin(), given->floats().end());
  if (node.opset() < 7)
    scales = {1, 1, node.getFloat("height_scale", 1),
              node.getFloat("width_scale", 1)};
  Method method{node.getString("mode", "nearest"), "asymmetric", "floor"};
  resize(node, x, describeDims(node, x, scales, {}, range(0, node.rank(x))),
         method);
}

} // namespace tandem::onnx
