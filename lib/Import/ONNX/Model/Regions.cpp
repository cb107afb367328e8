//===- Regions.cpp - ONNX RoiAlign and DeformConv -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"
#include "Ops/PointSampler.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// One dim of the regions of RoiAlign.
struct RegionAxis {
  int64_t size;
  /// Cells of the result, and samples in each.
  int64_t cells, samples;
};

/// The coordinates of all samples along one dim, as (R, cells * samples), from
/// column `begin` of the regions on and column `begin + 2`.
Value sampleCoordinates(Node &node, Value regions, int64_t begin,
                        const RegionAxis &axis) {
  bool isHalf =
      node.getString("coordinate_transformation_mode",
                     node.opset() < 16 ? "output_half_pixel" : "half_pixel") ==
      "half_pixel";
  Value scale = node.scalar(regions, node.getFloat("spatial_scale", 1));
  auto end = [&](int64_t i) {
    Value scaled = node.mul(node.slice(regions, 1, i, i + 1), scale);
    return node.sub(scaled, node.scalar(regions, isHalf ? 0.5 : 0));
  };
  Value start = end(begin), length = node.sub(end(begin + 2), start);
  if (!isHalf)
    length = node.emit<ir::MaxOp>({length, node.scalar(length, 1)});
  int64_t count = axis.cells * axis.samples;
  SmallVector<double> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back((i + 0.5) / count);
  Value part =
      node.table(RankedTensorType::get({count}, node.element(regions)), parts);
  return node.add(start, node.mul(length, part));
}

/// The taps of one dim for the coordinates `x`. Points count if they are in the
/// dim or at most one element away.
Taps regionTaps(Node &node, Value x, int64_t size) {
  Value isInside = isWithin(node, x, -1, size);
  Taps taps = linearTaps(node, clamp(node, x, 0, size - 1), size);
  for (Tap &tap : taps) {
    tap.index = clamp(node, tap.index, 0, size - 1);
    tap.isInside = isInside;
  }
  return taps;
}

/// What the operands and attributes of DeformConv describe.
struct Deformation {
  Windows windows;
  /// The shapes of the operand and of the offsets.
  Ints shape, places;
  /// Elements of a window, and groups of channels with offsets of their own.
  int64_t taps, groups;
};

/// An error unless the sizes of DeformConv's operands are those that its
/// attributes ask for. `kernel` is the shape of the kernel.
void requireFit(Node &node, const Deformation &of, ArrayRef<int64_t> kernel,
                int64_t groups) {
  const int64_t channels = of.shape[1];
  auto same = [&](int64_t size, int64_t wanted, const char *what) {
    return node.require(size == wanted, Twine(what) + " is " + Twine(size) +
                                            ", not " + Twine(wanted));
  };
  auto divides = [&](int64_t groups, int64_t size, const char *what) {
    return node.require(size % groups == 0, Twine(groups) +
                                                " groups do not divide " +
                                                Twine(size) + " " + what);
  };
  const int64_t rank = of.windows.sizes.size();
  (void)(divides(of.groups, channels, "channels of the operand") &&
         divides(groups, channels, "channels of the operand") &&
         divides(groups, kernel[0], "channels of the result") &&
         same(kernel[1], channels / groups, "dim 1 of the kernel") &&
         same(of.places[0], of.shape[0], "dim 0 of the offsets") &&
         divides(of.groups, of.places[1], "offsets of a point") &&
         same(of.places[1] / of.groups, of.taps * rank,
              "the number of offsets for a point and a group"));
}

std::optional<Deformation> describeDeformation(Node &node, Value x,
                                               Value kernel) {
  Deformation of{{},
                 node.dims(x),
                 node.dims(node.operand(2)),
                 1,
                 node.getInt("offset_group", 1)};
  Ints sizes = node.dims(kernel);
  int64_t rank = static_cast<int64_t>(of.shape.size()) - 2;
  int64_t groups = node.getInt("group", 1);
  if (!node.require(rank >= 1 && rank <= 3,
                    "needs one to three spatial dims, not " + Twine(rank)) ||
      !node.requireRank("the kernel", sizes.size(), rank + 2) ||
      !node.requireRank("the operand of offsets", of.places.size(), rank + 2) ||
      !node.require(groups > 0, "group is not positive") ||
      !node.require(of.groups > 0, "offset_group is not positive"))
    return std::nullopt;
  of.windows = describeWindows(node, x, Ints(sizes.begin() + 2, sizes.end()));
  for (auto [size, points] :
       llvm::zip(of.windows.sizes, ArrayRef(of.places).drop_front(2))) {
    of.taps *= size;
    if (!node.require(of.taps < kMaxTableElements,
                      "windows of too many elements") ||
        !node.require(points < kMaxTableElements,
                      "offsets for too many points"))
      return std::nullopt;
  }
  requireFit(node, of, sizes, groups);
  return node.hasFailed() ? std::nullopt : std::optional(of);
}

/// (N, groups * …, O…) as (N * groups, …, O…): groups are batches.
Value byGroup(Node &node, const Deformation &of, Value value, Sizes channels) {
  channels.insert(channels.begin(), Size(of.shape[0] * of.groups));
  channels.append(of.places.begin() + 2, of.places.end());
  return node.reshape(value, channels);
}

/// The elements that are read for each of the kernel's, at (N * groups, taps,
/// O…).
SmallVector<Taps> deformedTaps(Node &node, const Deformation &of) {
  int64_t rank = of.windows.sizes.size(), inner = of.taps;
  Value offsets = byGroup(node, of, asCoordinates(node, node.operand(2)),
                          {Size(of.taps), Size(rank)});
  auto along = [&](ArrayRef<double> values, int64_t axis) {
    auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                      node.element(offsets));
    return alongAxis(node, node.table(type, values), axis, rank + 2);
  };
  SmallVector<Taps> taps;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = of.windows.sizes[i];
    inner /= size;
    SmallVector<double> within, start;
    for (int64_t tap = 0; tap < of.taps; ++tap)
      within.push_back(tap / inner % size * of.windows.dilations[i]);
    for (int64_t at = 0; at < of.places[i + 2]; ++at)
      start.push_back(at * of.windows.strides[i] - of.windows.low[i]);
    Value at =
        byGroup(node, of, node.slice(offsets, 2, i, i + 1), {Size(of.taps)});
    at = node.add(at, node.add(along(within, 1), along(start, i + 2)));
    taps.push_back(linearTaps(node, at, of.shape[i + 2]));
  }
  return taps;
}

} // namespace

void convertRoiAlign(Node &node) {
  Value x = node.operand(0), regions = asCoordinates(node, node.operand(1));
  std::string mode = node.getString("mode", "avg");
  int64_t samples = node.getInt("sampling_ratio", 0);
  RegionAxis rows{node.dim(x, 2), node.getInt("output_height", 1), samples};
  RegionAxis columns{node.dim(x, 3), node.getInt("output_width", 1), samples};
  constexpr int64_t kMax = 1 << 12;
  auto isInRange = [&](int64_t size, const char *name) {
    return node.require(size > 0 && size <= kMax,
                        Twine(name) + " is " + Twine(size) +
                            ", and must be within 1 and " + Twine(kMax));
  };
  if (!node.require(samples > 0, "as many samples as a region's size asks for "
                                 "(sampling_ratio = 0) are not supported") ||
      !isInRange(samples, "sampling_ratio") ||
      !isInRange(rows.cells, "output_height") ||
      !isInRange(columns.cells, "output_width") ||
      !node.require(mode == "avg" || mode == "max",
                    "mode '" + mode + "' is not known") ||
      !node.requireRank("the image", node.rank(x), 4) ||
      !node.requireRank("rois", node.rank(regions), 2) ||
      !node.require(node.dim(regions, 1) == 4,
                    "rois needs 4 numbers for each region") ||
      !node.requireRank("batch_indices", node.rank(node.operand(2)), 1))
    return;
  Size count(node.dim(regions, 0));
  Value y = sampleCoordinates(node, regions, 1, rows);
  Value z = sampleCoordinates(node, regions, 0, columns);
  y = node.reshape(y, {count, Size(rows.cells * samples), Size(1)});
  z = node.reshape(z, {count, Size(1), Size(columns.cells * samples)});
  Value batches = node.cast(node.operand(2), node.state().builder.getI64Type());
  Value sampled = PointSampler(node, x, batches)
                      .read({regionTaps(node, y, rows.size),
                             regionTaps(node, z, columns.size)},
                            mode == "max");
  sampled = node.reshape(sampled,
                         {count, Size(node.dim(x, 1)), Size(rows.cells),
                          Size(samples), Size(columns.cells), Size(samples)});
  node.result(
      0, node.reduce(mode == "max" ? ir::ReduceKind::max : ir::ReduceKind::mean,
                     sampled, {3, 5}, /*keepDims=*/false));
}

/// A convolution whose kernel reads at places that are given: these are
/// sampled, and multiplied by the kernel as a matrix.
void convertDeformConv(Node &node) {
  Value x = node.operand(0), kernel = node.operand(1);
  std::optional<Deformation> of = describeDeformation(node, x, kernel);
  if (!of)
    return;
  int64_t batches = of->shape[0], channels = of->shape[1];
  Sizes split{Size(batches * of->groups), Size(channels / of->groups)};
  for (int64_t size : ArrayRef(of->shape).drop_front(2))
    split.push_back(Size(size));
  Value patches =
      PointSampler(node, node.reshape(x, split)).read(deformedTaps(node, *of));
  if (node.hasOperand(4)) {
    Value mask = byGroup(node, *of, node.operand(4), {Size(1), Size(of->taps)});
    patches = node.mul(patches, mask);
  }
  Ints kernelShape = node.dims(kernel);
  int64_t groups = node.getInt("group", 1);
  int64_t points = llvm::product_of(ArrayRef(of->places).drop_front(2));
  int64_t rows = kernelShape[1] * of->taps;
  patches = node.reshape(patches, {batches, groups, rows, points});
  kernel = node.reshape(kernel, {groups, kernelShape[0] / groups, rows});
  Sizes result{Size(batches), Size(kernelShape[0])};
  result.append(of->places.begin() + 2, of->places.end());
  Value y = node.reshape(node.emit<ir::MatmulOp>({kernel, patches}), result);
  if (node.hasOperand(3))
    y = node.add(y, alongAxis(node, node.operand(3), 1, result.size()));
  node.result(0, y);
}

} // namespace tandem::onnx
