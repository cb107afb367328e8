//===- Indexing.cpp - ONNX ops that read at computed places ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// Indices as i64, those below zero counted from the end of a dim of `size`.
Value wrap(Node &node, Value indices, int64_t size) {
  Type i64 = node.state().builder.getI64Type();
  indices = node.cast(indices, i64);
  Value isNegative =
      node.compare(ir::ComparePredicate::lt, indices, node.scalar(i64, 0));
  return node.select(isNegative, node.add(indices, node.scalar(i64, size)),
                     indices);
}

/// The numbers of elements between neighbours of each dim.
Ints stridesOf(ArrayRef<int64_t> shape) {
  Ints strides(shape.size(), 1);
  for (size_t i = shape.size(); i > 1; --i)
    strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

/// 0, stride, 2 * stride, … along dim `axis` of `rank` dims.
Value steps(Node &node, int64_t size, int64_t stride, int64_t axis,
            int64_t rank) {
  Type i64 = node.state().builder.getI64Type();
  Value counted = node.mul(node.iota({size}, 0, i64), node.scalar(i64, stride));
  return alongAxis(node, counted, axis, rank);
}

} // namespace

/// Elements of the operand as one vector, by their places in it.
void convertGatherElements(Node &node) {
  Value x = node.operand(0), indices = node.operand(1);
  int64_t rank = node.rank(x);
  int64_t axis = node.axis(node.getInt("axis", 0), rank);
  Ints shape = node.dims(x), wanted = node.dims(indices);
  if (!node.require(shape.size() == wanted.size(),
                    "needs operands of one rank") ||
      node.hasFailed())
    return;
  Ints strides = stridesOf(shape);
  Value places =
      node.mul(wrap(node, indices, shape[axis]),
               node.scalar(node.state().builder.getI64Type(), strides[axis]));
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis && wanted[i] > 1)
      places = node.add(places, steps(node, wanted[i], strides[i], i, rank));
  node.result(0, node.gather(node.reshape(x, {Size(llvm::product_of(shape))}),
                             places, 0));
}

/// Slices of the operand, with the dims that are indexed as one.
void convertGatherND(Node &node) {
  Value x = node.operand(0), indices = node.operand(1);
  int64_t batches = node.getInt("batch_dims", 0);
  Ints shape = node.dims(x), wanted = node.dims(indices);
  int64_t depth = wanted.empty() ? 0 : wanted.back();
  int64_t rank = static_cast<int64_t>(wanted.size()) - 1;
  if (!node.require(depth > 0 && batches >= 0 && batches <= rank &&
                        batches + depth <= static_cast<int64_t>(shape.size()),
                    "indices that do not fit the operand") ||
      node.hasFailed())
    return;
  ArrayRef<int64_t> indexed = ArrayRef(shape).take_front(batches + depth);
  Ints strides = stridesOf(indexed);
  Sizes placesShape(wanted.begin(), wanted.end() - 1);
  Value places;
  for (int64_t i = 0; i < depth; ++i) {
    Value one = node.reshape(node.slice(indices, rank, i, i + 1), placesShape);
    one = node.mul(
        wrap(node, one, shape[batches + i]),
        node.scalar(node.state().builder.getI64Type(), strides[batches + i]));
    places = places ? node.add(places, one) : one;
  }
  for (int64_t i = 0; i < batches; ++i)
    places = node.add(places, steps(node, wanted[i], strides[i], i, rank));
  Sizes rows{Size(llvm::product_of(indexed))};
  for (int64_t size : ArrayRef(shape).drop_front(batches + depth))
    rows.push_back(Size(size));
  node.result(0, node.gather(node.reshape(x, rows), places, 0));
}

} // namespace tandem::onnx
