//===- Indexing.cpp - ONNX ops that read or write at computed places ------===//
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

/// Indices as i64, those below zero counted from the end of a dim of `size`.
Value wrap(Node &node, Value indices, int64_t size) {
  Type i64 = node.state().builder.getI64Type();
  indices = node.cast(indices, i64);
  Value isNegative =
      node.compare(ir::ComparePredicate::lt, indices, node.scalar(i64, 0));
  return node.select(isNegative, node.add(indices, node.scalar(i64, size)),
                     indices);
}

/// The numbers of elements between neighbors of each dim.
Ints stridesOf(ArrayRef<int64_t> shape) {
  Ints strides(shape.size(), 1);
  for (size_t i = shape.size(); i > 1; --i)
    strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

/// Whether indices are in [0, size).
Value isInside(Node &node, Value indices, int64_t size) {
  Value isUpper = node.compare(ir::ComparePredicate::lt, indices,
                               node.scalar(indices, size));
  Value isLower =
      node.compare(ir::ComparePredicate::ge, indices, node.scalar(indices, 0));
  return node.emit<ir::LogicalAndOp>({isLower, isUpper});
}

/// 0, stride, 2 * stride, … along dim `axis` of `rank` dims.
Value steps(Node &node, int64_t size, int64_t stride, int64_t axis,
            int64_t rank) {
  Type i64 = node.state().builder.getI64Type();
  Value counted = node.mul(node.iota({size}, 0, i64), node.scalar(i64, stride));
  return alongAxis(node, counted, axis, rank);
}

/// The elements of `x` as one vector.
Value asVector(Node &node, Value x) {
  return node.reshape(x, {Size(llvm::product_of(node.dims(x)))});
}

/// The places of elements in a tensor of `shape`: `indices` is their index
/// along `axis`; that along another dim is the same as in `indices`. Any that
/// is out of range gives a place that is none, -1, if it `isChecked`.
Value placesAlong(Node &node, ArrayRef<int64_t> shape, Value indices,
                  int64_t axis, bool isChecked) {
  Ints strides = stridesOf(shape), wanted = node.dims(indices);
  if (node.hasFailed())
    return {};
  Type i64 = node.state().builder.getI64Type();
  Value places = node.mul(indices, node.scalar(i64, strides[axis]));
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i)
    if (i != axis && wanted[i] > 1)
      places =
          node.add(places, steps(node, wanted[i], strides[i], i, shape.size()));
  return isChecked ? node.select(isInside(node, indices, shape[axis]), places,
                                 node.scalar(i64, -1))
                   : places;
}

/// The places of rows in a tensor whose dims `indexed` are one, by the indices
/// in the last dim of `indices`; the first `batches` dims go along. Any index
/// that is out of range gives -1 if it `isChecked`.
Value placesOfRows(Node &node, ArrayRef<int64_t> indexed, Value indices,
                   int64_t batches, bool isChecked) {
  Type i64 = node.state().builder.getI64Type();
  Ints strides = stridesOf(indexed), wanted = node.dims(indices);
  int64_t rank = static_cast<int64_t>(wanted.size()) - 1;
  Sizes shape(wanted.begin(), wanted.end() - 1);
  Value places, areInside;
  for (int64_t i = 0; i < wanted.back(); ++i) {
    int64_t size = indexed[batches + i];
    Value one = node.reshape(node.slice(indices, rank, i, i + 1), shape);
    one = wrap(node, one, size);
    Value inside = isInside(node, one, size);
    one = node.mul(one, node.scalar(i64, strides[batches + i]));
    places = places ? node.add(places, one) : one;
    areInside =
        areInside ? node.emit<ir::LogicalAndOp>({areInside, inside}) : inside;
  }
  for (int64_t i = 0; i < batches; ++i)
    places = node.add(places, steps(node, wanted[i], strides[i], i, rank));
  return isChecked ? node.select(areInside, places, node.scalar(i64, -1))
                   : places;
}

/// Elements of `x` at `indices`, of i64, along `axis`.
Value gatherElements(Node &node, Value x, Value indices, int64_t axis) {
  Value places = placesAlong(node, node.dims(x), indices, axis, false);
  return node.gather(asVector(node, x), places, 0);
}

/// The attribute "reduction".
std::optional<ir::ScatterKind> scatterKind(Node &node) {
  std::string name = node.getString("reduction", "none");
  if (name == "none")
    return ir::ScatterKind::replace;
  std::optional<ir::ScatterKind> kind = ir::symbolizeScatterKind(name);
  if (!kind || *kind == ir::ScatterKind::replace) {
    node.error("reduction '" + name + "' is not known");
    return std::nullopt;
  }
  return kind;
}

/// `x` as rows of `shape`, with updates at places among the first dim, in its
/// own shape.
Value scatterRows(Node &node, Value x, const Sizes &shape, Value places,
                  Value updates, ir::ScatterKind kind) {
  Sizes own = node.sizesOf(x);
  Value result = node.emit<ir::ScatterOp>(
      {node.reshape(x, shape), places, updates},
      {node.integer("axis", 0),
       node.attribute("kind", ir::ScatterKindAttr::get(
                                  node.state().builder.getContext(), kind))});
  return node.reshape(result, own);
}

/// The first `count` dims as one, and the others.
Sizes asRows(ArrayRef<int64_t> shape, int64_t count) {
  Sizes rows{Size(llvm::product_of(shape.take_front(count)))};
  for (int64_t size : shape.drop_front(count))
    rows.push_back(Size(size));
  return rows;
}

} // namespace

/// Elements of the operand as one vector, by their places in it.
void convertGatherElements(Node &node) {
  Value x = node.operand(0), indices = node.operand(1);
  int64_t axis = node.axis(node.getInt("axis", 0), node.rank(x));
  if (!node.requireRank("the operand of indices", node.rank(indices),
                        node.rank(x)) ||
      node.hasFailed())
    return;
  indices = wrap(node, indices, node.dim(x, axis));
  if (!node.hasFailed())
    node.result(0, gatherElements(node, x, indices, axis));
}

/// Slices of the operand, with the dims that are indexed as one.
void convertGatherND(Node &node) {
  Value x = node.operand(0), indices = node.operand(1);
  int64_t batches = node.getInt("batch_dims", 0);
  Ints shape = node.dims(x), wanted = node.dims(indices);
  int64_t depth = wanted.empty() ? 0 : wanted.back();
  int64_t rank = static_cast<int64_t>(wanted.size()) - 1;
  if (!node.require(depth > 0, "indices without elements in their last dim") ||
      !node.require(batches >= 0 && batches <= rank,
                    "batch_dims " + Twine(batches) + " is not within 0 and " +
                        Twine(rank)) ||
      !node.require(batches + depth <= static_cast<int64_t>(shape.size()),
                    "indices of " + Twine(depth) + " dims; the operand has " +
                        Twine(shape.size() - batches)) ||
      node.hasFailed())
    return;
  int64_t indexed = batches + depth;
  Value places = placesOfRows(node, ArrayRef(shape).take_front(indexed),
                              indices, batches, false);
  node.result(0,
              node.gather(node.reshape(x, asRows(shape, indexed)), places, 0));
}

/// Before operator set 11 it is called Scatter.
void convertScatterElements(Node &node) {
  Value x = node.operand(0), indices = node.operand(1),
        updates = node.operand(2);
  int64_t axis = node.axis(node.getInt("axis", 0), node.rank(x));
  std::optional<ir::ScatterKind> kind = scatterKind(node);
  Ints shape = node.dims(x), wanted = node.dims(indices);
  if (node.hasFailed())
    return;
  if (!node.requireRank("the operand of indices", wanted.size(), shape.size()))
    return;
  for (auto [i, size] : llvm::enumerate(wanted))
    if (!node.require(static_cast<int64_t>(i) == axis || size <= shape[i],
                      "dim " + Twine(i) +
                          " of the indices is longer than that "
                          "of the operand"))
      return;
  Value places =
      placesAlong(node, shape, wrap(node, indices, shape[axis]), axis, true);
  node.result(0, scatterRows(node, x, asRows(shape, shape.size()), places,
                             updates, *kind));
}

/// Rows are elements of a sequence at a time: row t of a sequence of `length`
/// is row length - 1 - t, and stays where it is behind the sequence.
void convertReverseSequence(Node &node) {
  Value x = node.operand(0);
  int64_t batch = node.getInt("batch_axis", 1);
  int64_t time = node.getInt("time_axis", 0);
  if (!node.require(node.rank(x) >= 2, "needs two dims or more") ||
      !node.require(batch == 0 || batch == 1,
                    "batch_axis " + Twine(batch) + " is not 0 or 1") ||
      !node.require(time == 1 - batch,
                    "time_axis " + Twine(time) + " is not " + Twine(1 - batch)))
    return;
  Ints order = range(0, node.rank(x));
  order[0] = batch;
  order[1] = time;
  x = node.transpose(x, order);
  Sizes shape = node.sizesOf(x);
  int64_t sequences = node.dim(x, 0), length = node.dim(x, 1);
  if (node.hasFailed())
    return;
  Type i64 = node.state().builder.getI64Type();
  Value lengths = alongAxis(node, node.cast(node.operand(1), i64), 0, 2);
  Value at = steps(node, length, 1, 1, 2);
  Value opposite = node.sub(node.sub(lengths, node.scalar(i64, 1)), at);
  Value isReversed = node.compare(ir::ComparePredicate::gt, lengths, at);
  Value from = node.add(node.select(isReversed, opposite, at),
                        steps(node, sequences, length, 0, 2));
  shape.erase(shape.begin());
  shape[0] = Size(sequences * length);
  node.result(
      0, node.transpose(node.gather(node.reshape(x, shape), from, 0), order));
}

void convertScatter(Node &node) { convertScatterElements(node); }

void convertScatterND(Node &node) {
  Value x = node.operand(0), indices = node.operand(1),
        updates = node.operand(2);
  std::optional<ir::ScatterKind> kind = scatterKind(node);
  Ints shape = node.dims(x), wanted = node.dims(indices);
  if (node.hasFailed())
    return;
  int64_t depth = wanted.empty() ? 0 : wanted.back();
  if (!node.require(depth > 0, "indices without elements in their last dim") ||
      !node.require(depth <= static_cast<int64_t>(shape.size()),
                    "indices of " + Twine(depth) + " dims; the operand has " +
                        Twine(shape.size())))
    return;
  Value places =
      placesOfRows(node, ArrayRef(shape).take_front(depth), indices, 0, true);
  node.result(
      0, scatterRows(node, x, asRows(shape, depth), places, updates, *kind));
}

/// Elements at their places in the tensor that was pooled, and zeros; with a
/// shape that is given, in its first part.
void convertMaxUnpool(Node &node) {
  Value x = node.operand(0), places = node.operand(1);
  Ints shape = node.dims(x), sizes = node.getInts("kernel_shape");
  size_t rank = sizes.size();
  Ints strides = node.getInts("strides", Ints(rank, 1));
  Ints pads = node.getInts("pads", Ints(2 * rank, 0));
  if (!node.requireRank("the operand", shape.size(), rank + 2) ||
      !node.require(node.dims(places) == shape,
                    "indices of another shape than the operand's") ||
      !node.requireCount("strides", strides.size(), rank) ||
      !node.requireCount("pads", pads.size(), 2 * rank) ||
      !node.requireSizes(strides, 1, "strides has a number out of range") ||
      !node.requireSizes(sizes, 1, "kernel_shape has a number out of range") ||
      !node.requireSizes(pads, 0, "pads has a number out of range") ||
      !node.requireSizes(ArrayRef(shape).drop_front(2), 1,
                         "a spatial dim has a size out of range"))
    return;
  for (size_t i = 0; i < rank; ++i)
    shape[i + 2] =
        (shape[i + 2] - 1) * strides[i] + sizes[i] - pads[i] - pads[rank + i];
  Ints wanted = node.hasOperand(2) ? node.constants(2) : shape;
  if (!node.require(llvm::all_of(shape, [](auto n) { return n > 0; }),
                    "pads that leave no elements") ||
      !node.requireCount("output_shape", wanted.size(), shape.size()) ||
      !node.require(llvm::all_of(wanted, [](auto n) { return n >= 0; }),
                    "output_shape has a negative number") ||
      node.hasFailed())
    return;
  Value zeros = node.expand(node.scalar(x, 0), shape);
  if (node.hasFailed())
    return;
  Value y = scatterRows(node, zeros, asRows(shape, shape.size()),
                        asVector(node, places), asVector(node, x),
                        ir::ScatterKind::replace);
  Ints low(shape.size(), 0), high;
  for (auto [size, own] : llvm::zip(wanted, shape))
    high.push_back(size - own);
  Ints none = low;
  y = crop(node, y, low, high);
  node.result(0, node.pad(y, low, high, none, 0));
}

/// Rows of a cache from an index on, one for each sequence of the batch.
void convertTensorScatter(Node &node) {
  Value cache = node.operand(0), updates = node.operand(1);
  int64_t axis = node.axis(node.getInt("axis", -2), node.rank(cache));
  std::string mode = node.getString("mode", "linear");
  Ints shape = node.dims(cache), given = node.dims(updates);
  if (!node.require(mode == "linear" || mode == "circular",
                    "mode '" + mode + "' is not known") ||
      !node.requireRank("the update", given.size(), shape.size()) ||
      !node.require(axis > 0, "axis 0 is that of the batch") ||
      node.hasFailed())
    return;
  Type i64 = node.state().builder.getI64Type();
  // Along the axis, counted from the first row that is written.
  Ints dims(given.begin(), given.begin() + axis + 1);
  int64_t rank = axis + 1, size = shape[axis];
  Value indices = node.expand(steps(node, dims[axis], 1, axis, rank), dims);
  if (node.hasOperand(2))
    indices = node.add(
        indices, alongAxis(node, node.cast(node.operand(2), i64), 0, rank));
  if (mode == "circular") {
    Value length = node.scalar(i64, size);
    Value rounds = node.div(indices, length);
    indices = node.sub(indices, node.mul(rounds, length));
  }
  Value places =
      placesAlong(node, ArrayRef(shape).take_front(rank), indices, axis, true);
  node.result(0, scatterRows(node, cache, asRows(shape, rank), places, updates,
                             ir::ScatterKind::replace));
}

void convertTopK(Node &node) {
  Value x = node.operand(0);
  int64_t axis = node.axis(node.getInt("axis", -1), node.rank(x));
  Ints k = node.hasOperand(1) ? node.constants(1) : Ints{node.getInt("k", 0)};
  if (!node.requireCount("k", k.size(), 1) || node.hasFailed())
    return;
  SmallVector<NamedAttribute> attributes{node.integer("k", k[0]),
                                         node.integer("axis", axis)};
  if (!node.getInt("largest", 1))
    attributes.push_back(node.unit("ascending"));
  Value values = node.emit<ir::TopKOp>(x, attributes);
  if (node.hasFailed())
    return;
  if (node.isWanted(0))
    node.result(0, values);
  if (node.isWanted(1))
    node.result(1, values.getDefiningOp<ir::TopKOp>().getIndices());
}

} // namespace tandem::onnx
