//===- GridSample.cpp - ONNX GridSample and AffineGrid --------------------===//
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

/// How GridSample reads one spatial dim.
struct Axis {
  int64_t size;
  /// The ends of the dim, in elements, beyond which padding begins.
  double low, high;
  std::string padding;
};

/// `x` mirrored at the ends of the dim as often as it takes.
Value reflect(Node &node, Value x, const Axis &axis) {
  double length = axis.high - axis.low;
  if (length <= 0)
    return clamp(node, x, axis.low, axis.low);
  auto number = [&](double value) { return node.scalar(x, value); };
  Value from = node.emit<ir::AbsOp>(node.sub(x, number(axis.low)));
  Value turns = node.emit<ir::FloorOp>(node.div(from, number(2 * length)));
  Value rest = node.sub(from, node.mul(turns, number(2 * length)));
  rest = node.emit<ir::MinOp>({rest, node.sub(number(2 * length), rest)});
  return node.add(rest, number(axis.low));
}

/// `x` where it is within the dim; elsewhere where padding takes it from.
Value pad(Node &node, Value x, const Axis &axis) {
  if (axis.padding == "zeros")
    return x;
  Value padded = axis.padding == "border" ? clamp(node, x, 0, axis.size - 1)
                                          : reflect(node, x, axis);
  return node.select(isWithin(node, x, axis.low, axis.high), x, padded);
}

/// c0 x³ + c1 x² + c2 x + c3.
Value cubic(Node &node, Value x, ArrayRef<double> coefficients) {
  Value result = node.scalar(x, coefficients[0]);
  for (double next : coefficients.drop_front())
    result = node.add(node.mul(result, x), node.scalar(x, next));
  return result;
}

/// The four elements around `x` and their weights (Keys, IEEE Trans. ASSP 29
/// (1981), with a = -0.75).
Taps cubicTaps(Node &node, Value x, int64_t size) {
  constexpr double a = -0.75;
  Value floor = node.emit<ir::FloorOp>(x);
  Value fraction = node.sub(x, floor);
  Taps taps;
  for (int offset = -1; offset <= 2; ++offset) {
    Value distance =
        node.emit<ir::AbsOp>(node.sub(fraction, node.scalar(x, offset)));
    bool isNear = offset == 0 || offset == 1;
    Value weight = isNear ? cubic(node, distance, {a + 2, -a - 3, 0, 1})
                          : cubic(node, distance, {a, -5 * a, 8 * a, -4 * a});
    Value index = node.add(floor, node.scalar(x, offset));
    taps.push_back({index, weight, isWithin(node, index, 0, size - 1)});
  }
  return taps;
}

/// The taps of a dim, at the coordinates `x`, in elements.
Taps tapsOf(Node &node, Value x, const Axis &axis, StringRef mode) {
  if (mode == "nearest")
    x = node.emit<ir::RoundOp>(x);
  x = pad(node, x, axis);
  Taps taps;
  if (mode == "nearest")
    taps = {{x, {}, isWithin(node, x, 0, axis.size - 1)}};
  else
    taps = mode == "cubic" ? cubicTaps(node, x, axis.size)
                           : linearTaps(node, x, axis.size);
  if (axis.padding != "zeros")
    for (Tap &tap : taps) {
      tap.index = pad(node, tap.index, axis);
      tap.isInside = {};
    }
  return taps;
}

} // namespace

void convertGridSample(Node &node) {
  Value x = node.operand(0), grid = node.operand(1);
  // Operator sets before 20 have names for two dims.
  std::string mode = node.getString("mode", "linear");
  if (StringRef(mode).starts_with("bi"))
    mode = mode.substr(2);
  std::string padding = node.getString("padding_mode", "zeros");
  if (!node.require(mode == "linear" || mode == "nearest" || mode == "cubic",
                    "mode '" + mode + "' is not known") ||
      !node.require(padding == "zeros" || padding == "border" ||
                        padding == "reflection",
                    "padding_mode '" + padding + "' is not known"))
    return;
  bool isAligned = node.getInt("align_corners", 0);
  grid = asCoordinates(node, grid);
  Ints shape = node.dims(x), points = node.dims(grid);
  int64_t rank = static_cast<int64_t>(shape.size()) - 2;
  if (!node.require(rank > 0 && rank <= 3,
                    "needs one to three spatial dims, not " + Twine(rank)) ||
      !node.requireRank("the grid", points.size(), rank + 2) ||
      !node.require(points.back() == rank,
                    "the grid needs " + Twine(rank) +
                        " coordinates for each point, not " +
                        Twine(points.back())) ||
      !node.require(points[0] == shape[0],
                    "the grid is of another batch than the operand"))
    return;
  Sizes pointShape(points.begin(), points.end() - 1);
  SmallVector<Taps> taps;
  for (int64_t i = 0; i < rank; ++i) {
    double size = shape[i + 2];
    // The last coordinate is that of the first spatial dim.
    Value at = node.slice(grid, rank + 1, rank - 1 - i, rank - i);
    at = node.reshape(at, pointShape);
    // From [-1, 1] to elements.
    at = node.mul(node.add(at, node.scalar(at, 1)),
                  node.scalar(at, (isAligned ? size - 1 : size) / 2));
    Axis axis{shape[i + 2], 0, size - 1, padding};
    if (!isAligned) {
      at = node.sub(at, node.scalar(at, 0.5));
      axis.low -= 0.5;
      axis.high += 0.5;
    }
    taps.push_back(tapsOf(node, at, axis, mode));
  }
  node.result(0, PointSampler(node, x).read(taps));
}

/// The points of an image of the given size, transformed: theta times (x, y,
/// 1) or (x, y, z, 1).
void convertAffineGrid(Node &node) {
  Value theta = node.operand(0);
  Ints size = node.constants(1);
  bool isAligned = node.getInt("align_corners", 0);
  int64_t rank = static_cast<int64_t>(size.size()) - 2;
  Ints shape = node.dims(theta);
  if (!node.require(rank == 2 || rank == 3,
                    "a size of " + Twine(size.size()) +
                        " numbers, not (N, C, H, W) or (N, C, D, H, W)") ||
      !node.requireRank("theta", shape.size(), 3) ||
      !node.require(shape[1] == rank && shape[2] == rank + 1,
                    "needs matrices of " + Twine(rank) + " by " +
                        Twine(rank + 1) + " numbers"))
    return;
  // A column of the matrices, as (N, 1, …, rank).
  auto column = [&](int64_t i) {
    Sizes sizes(rank + 2, Size(1));
    sizes.front() = Size(shape[0]);
    sizes.back() = Size(rank);
    return node.reshape(node.slice(theta, 2, i, i + 1), sizes);
  };
  Value grid = column(rank);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t count = size[i + 2];
    if (!node.require(count > 0 && count < kMaxTableElements,
                      "a size of " + Twine(count) + " is out of range"))
      return;
    SmallVector<double> places;
    for (int64_t at = 0; at < count; ++at)
      places.push_back(isAligned ? (count > 1 ? 2.0 * at / (count - 1) - 1 : -1)
                                 : (2.0 * at + 1) / count - 1);
    Value place =
        node.table(RankedTensorType::get({count}, node.element(theta)), places);
    grid = node.add(grid, node.mul(alongAxis(node, place, i + 1, rank + 2),
                                   column(rank - 1 - i)));
  }
  node.result(0, grid);
}

} // namespace tandem::onnx
