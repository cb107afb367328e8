//===- PoolIndices.cpp - Where ONNX MaxPool finds its results -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// The elements of all windows, as (N, C, O…, elements of a window), with
/// `padding` outside of `x`; sets the number of windows along each dim.
Value gatherWindows(Node &node, Value x, const Windows &windows, double padding,
                    Ints &counts) {
  int64_t rank = windows.sizes.size();
  counts.clear();
  Ints low{0, 0}, high{0, 0};
  low.append(windows.low);
  high.append(windows.high);
  x = node.pad(x, low, high, Ints(rank + 2, 0), padding);
  Sizes shape{node.dim(x, 0), node.dim(x, 1)};
  Ints outer{0, 1}, inner;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t reach = (windows.sizes[i] - 1) * windows.dilations[i] + 1;
    int64_t room = node.dim(x, i + 2) - reach;
    counts.push_back(room < 0 ? 0 : room / windows.strides[i] + 1);
    if (node.hasFailed() || !node.requireTable(counts[i] * windows.sizes[i]))
      return {};
    Ints indices;
    for (int64_t at = 0; at < counts[i]; ++at)
      for (int64_t tap = 0; tap < windows.sizes[i]; ++tap)
        indices.push_back(at * windows.strides[i] + tap * windows.dilations[i]);
    x = pick(node, x, indices, i + 2);
    shape.append({Size(counts[i]), Size(windows.sizes[i])});
    outer.push_back(2 * i + 2);
    inner.push_back(2 * i + 3);
  }
  outer.append(inner);
  x = node.transpose(node.reshape(x, shape), outer);
  Sizes result{shape[0], shape[1]};
  for (int64_t count : counts)
    result.push_back(Size(count));
  result.push_back(Size(llvm::product_of(windows.sizes)));
  return node.reshape(x, result);
}

/// The number, within its window, of the first of the largest elements, or of
/// the first NaN. Padding is never one, even where all elements are as small as
/// padding; then the largest must be told from it.
Value findMaxima(Node &node, Value x, const Windows &windows, Ints &counts) {
  int64_t axis = windows.sizes.size() + 2;
  Value elements = gatherWindows(
      node, x, windows, -std::numeric_limits<double>::infinity(), counts);
  auto isZero = [](int64_t by) { return by == 0; };
  if (!elements ||
      (llvm::all_of(windows.low, isZero) && llvm::all_of(windows.high, isZero)))
    return node.reduce(ir::ReduceKind::argmax, elements, axis,
                       /*keepDims=*/false);
  Type i8 = node.state().builder.getI8Type();
  Ints image = node.dims(x);
  image[0] = image[1] = 1;
  Value inside = gatherWindows(node, node.expand(node.scalar(i8, 1), image),
                               windows, 0, counts);
  Value largest = node.reduce(ir::ReduceKind::max, elements, axis);
  Value isLargest = node.compare(ir::ComparePredicate::eq, elements, largest);
  Value isNaN = node.compare(ir::ComparePredicate::ne, elements, elements);
  isLargest = node.emit<ir::LogicalOrOp>({isLargest, isNaN});
  isLargest = node.emit<ir::LogicalAndOp>(
      {isLargest, node.cast(inside, node.state().builder.getI1Type())});
  return node.reduce(ir::ReduceKind::argmax, node.cast(isLargest, i8), axis,
                     /*keepDims=*/false);
}

} // namespace

Value placesOfMaxima(Node &node, Value value, const Windows &windows) {
  Ints shape = node.dims(value), counts;
  int64_t rank = windows.sizes.size();
  if (node.hasFailed())
    return {};
  Value tap = findMaxima(node, value, windows, counts);
  if (!tap)
    return {};
  Type i64 = node.state().builder.getI64Type();
  auto number = [&](int64_t value) { return node.scalar(i64, value); };
  int64_t stride = llvm::product_of(ArrayRef(shape).drop_front(2));
  // The image of a batch and a channel.
  Value image = node.mul(node.iota({shape[0], 1}, 0, i64), number(shape[1]));
  image = node.add(image, node.iota({shape[0], shape[1]}, 1, i64));
  Sizes imageShape(rank + 2, Size(1));
  imageShape[0] = Size(shape[0]);
  imageShape[1] = Size(shape[1]);
  Value place = node.mul(node.reshape(image, imageShape), number(stride));
  bool isColumnMajor = node.getInt("storage_order", 0);
  int64_t rest = llvm::product_of(windows.sizes);
  stride = isColumnMajor ? 1 : stride;
  for (int64_t i = 0; i < rank; ++i) {
    rest /= windows.sizes[i];
    stride /= isColumnMajor ? 1 : std::max<int64_t>(shape[i + 2], 1);
    // The dim's part of the number of the window's element.
    Value within = node.div(tap, number(rest));
    tap = node.sub(tap, node.mul(within, number(rest)));
    Value start = node.sub(
        node.mul(node.iota({counts[i]}, 0, i64), number(windows.strides[i])),
        number(windows.low[i]));
    Value at = node.add(node.mul(within, number(windows.dilations[i])),
                        alongAxis(node, start, i + 2, rank + 2));
    place = node.add(place, node.mul(at, number(stride)));
    stride *= isColumnMajor ? shape[i + 2] : 1;
  }
  return place;
}

} // namespace tandem::onnx
