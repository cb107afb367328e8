//===- PointSampler.cpp - Reading tensors between their elements ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops/PointSampler.h"

#include "Model/Ops.h"

using namespace mlir;

namespace tandem::onnx {

PointSampler::PointSampler(Node &node, Value x, Value batches)
    : node(node), element(node.element(x)), shape(node.dims(x)) {
  if (!node.require(shape.size() > 2, "needs a tensor with spatial dims"))
    return;
  int64_t places = llvm::product_of(ArrayRef(shape).drop_front(2));
  Ints order = range(1, shape.size());
  order.front() = 0;
  for (size_t i = 1; i < order.size(); ++i)
    order[i] = i + 1;
  order.push_back(1);
  rows = node.reshape(node.transpose(x, order),
                      {Size(shape[0] * places), Size(shape[1])});
  Type i64 = node.state().builder.getI64Type();
  if (!batches && !node.hasFailed())
    batches = node.iota({shape[0]}, 0, i64);
  base = node.mul(batches, node.scalar(i64, places));
}

Value PointSampler::readTaps(ArrayRef<Tap> taps) {
  Type i64 = node.state().builder.getI64Type();
  Value place, weight, isInside;
  int64_t stride = llvm::product_of(ArrayRef(shape).drop_front(2));
  for (auto [tap, size] : llvm::zip(taps, ArrayRef(shape).drop_front(2))) {
    stride /= std::max<int64_t>(size, 1);
    Value index = node.mul(node.cast(tap.index, i64), node.scalar(i64, stride));
    place = place ? node.add(place, index) : index;
    if (tap.weight)
      weight = weight ? node.mul(weight, tap.weight) : tap.weight;
    if (tap.isInside)
      isInside = isInside
                     ? node.emit<ir::LogicalAndOp>({isInside, tap.isInside})
                     : tap.isInside;
  }
  Sizes batch(node.rank(place), Size(1));
  if (!batch.empty() && base)
    batch[0] = node.sizesOf(base)[0];
  place = node.add(place, node.reshape(base, batch));
  // With a last dim for the channels.
  auto widen = [&](Value value) {
    Sizes sizes = node.sizesOf(value);
    sizes.push_back(Size(1));
    return node.reshape(value, sizes);
  };
  Value result = node.gather(rows, place, 0);
  if (weight) {
    result = node.mul(node.cast(result, node.element(weight)), widen(weight));
    // An element of weight 0 is not read: 0 times infinity is NaN.
    Value isRead =
        node.compare(ir::ComparePredicate::ne, weight, node.scalar(weight, 0));
    isInside =
        isInside ? node.emit<ir::LogicalAndOp>({isInside, isRead}) : isRead;
  }
  // After the product: the weight of a coordinate that is not finite is NaN.
  return isInside ? node.select(widen(isInside), result, node.scalar(result, 0))
                  : result;
}

Value PointSampler::read(ArrayRef<Taps> taps, bool takesLargest) {
  if (!node.require(taps.size() + 2 == shape.size(),
                    "needs a coordinate for each spatial dim"))
    return {};
  Value result;
  SmallVector<Tap> chosen(taps.size());
  SmallVector<size_t> at(taps.size(), 0);
  for (bool isMore = true; isMore && !node.hasFailed();) {
    for (size_t i = 0; i < taps.size(); ++i)
      chosen[i] = taps[i][at[i]];
    Value next = readTaps(chosen);
    result = !result        ? next
             : takesLargest ? node.emit<ir::MaxOp>({result, next})
                            : node.add(result, next);
    isMore = false;
    for (size_t i = 0; i < taps.size() && !isMore; ++i) {
      isMore = ++at[i] < taps[i].size();
      at[i] = isMore ? at[i] : 0;
    }
  }
  if (node.hasFailed())
    return {};
  Ints order = range(0, node.rank(result));
  std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return node.cast(node.transpose(result, order), element);
}

Value asCoordinates(Node &node, Value x) {
  return node.element(x).isF64()
             ? x
             : node.cast(x, node.state().builder.getF32Type());
}

Value isWithin(Node &node, Value x, double low, double high) {
  return node.emit<ir::LogicalAndOp>(
      {node.compare(ir::ComparePredicate::ge, x, node.scalar(x, low)),
       node.compare(ir::ComparePredicate::le, x, node.scalar(x, high))});
}

Taps linearTaps(Node &node, Value coordinate, int64_t size) {
  Value first = node.emit<ir::FloorOp>(coordinate);
  Value second = node.add(first, node.scalar(first, 1));
  Value fraction = node.sub(coordinate, first);
  return {{first, node.sub(node.scalar(fraction, 1), fraction),
           isWithin(node, first, 0, size - 1)},
          {second, fraction, isWithin(node, second, 0, size - 1)}};
}

} // namespace tandem::onnx
