//===- RandomShapeOps.cpp - Random shape ops ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

#include <numeric>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

int pickAny(GraphBuilder &b, int minRank, int maxRank) {
  return b.pick(
      [&](const Node &n) {
        int rank = n.type.shape.rank();
        return rank >= minRank && rank <= maxRank;
      },
      [&] {
        return TensorType{b.randomFloat(),
                          b.randomShape(minRank, std::min(maxRank, 4))};
      });
}

void appendReshape(GraphBuilder &b) {
  int x = pickAny(b, 0, 6);
  const Shape &shape = b.type(x).shape;
  std::vector<int64_t> dims(shape.begin(), shape.end());
  if (dims.size() >= 2 && b.random.chance(60)) {
    size_t at = b.random.below(static_cast<int64_t>(dims.size()) - 1);
    dims[at] *= dims[at + 1];
    dims.erase(dims.begin() + at + 1);
  } else if (!dims.empty() && dims.size() < 6 && b.random.chance(60)) {
    size_t at = b.random.below(static_cast<int64_t>(dims.size()));
    int64_t factor = dims[at] % 2 == 0 ? 2 : 1;
    dims[at] /= factor;
    dims.insert(dims.begin() + at, factor);
  } else {
    dims = {b.type(x).shape.numElements()};
  }
  if (!dims.empty() && b.random.chance(20))
    dims[b.random.below(static_cast<int64_t>(dims.size()))] = -1;
  fb::ReshapeAttrsT attrs;
  attrs.shape = dims;
  move(b, OpKind::reshape, std::move(attrs), {x});
}

void appendTranspose(GraphBuilder &b) {
  int x = pickAny(b, 2, 5);
  std::vector<int64_t> permutation(b.type(x).shape.rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t i = permutation.size(); i-- > 1;)
    std::swap(permutation[i], permutation[b.random.below(i + 1)]);
  transpose(b, x, std::move(permutation));
}

void appendBroadcast(GraphBuilder &b) {
  int x = pickAny(b, 0, 3);
  const Shape &shape = b.type(x).shape;
  fb::BroadcastAttrsT attrs;
  for (int64_t dim : shape) {
    if (b.random.chance(30))
      attrs.shape.push_back(b.random.pick<int64_t>({1, 2, 3}));
    attrs.dims.push_back(static_cast<int64_t>(attrs.shape.size()));
    attrs.shape.push_back(dim == 1 && b.random.chance(50) ? 5 : dim);
  }
  if (b.random.chance(30))
    attrs.shape.push_back(b.random.pick<int64_t>({1, 2, 7}));
  move(b, OpKind::broadcast, std::move(attrs), {x});
}

void appendSlice(GraphBuilder &b) {
  int x = pickAny(b, 1, 5);
  fb::SliceAttrsT attrs;
  for (int64_t dim : b.type(x).shape) {
    int64_t start = b.random.chance(50) ? 0 : b.random.below(dim);
    int64_t limit =
        b.random.chance(50) ? dim : b.random.between(start + 1, dim);
    attrs.starts.push_back(b.random.chance(20) ? start - dim : start);
    attrs.limits.push_back(limit);
    attrs.strides.push_back(b.random.chance(25) ? b.random.between(1, 3) : 1);
  }
  move(b, OpKind::slice, std::move(attrs), {x});
}

void appendPad(GraphBuilder &b) {
  int x = pickAny(b, 1, 4);
  if (b.type(x).dtype == DType::i1)
    return;
  fb::PadAttrsT attrs;
  for (int i = 0; i < b.type(x).shape.rank(); ++i) {
    attrs.low.push_back(b.random.chance(40) ? b.random.between(1, 3) : 0);
    attrs.high.push_back(b.random.chance(40) ? b.random.between(1, 3) : 0);
    attrs.interior.push_back(b.random.chance(12) ? 1 : 0);
  }
  attrs.value = b.random.chance(70) ? 0 : 1;
  move(b, OpKind::pad, std::move(attrs), {x});
  Node &result = b.graph.nodes.back();
  result.magnitude = std::max(result.magnitude, 1.0);
}

void appendConcat(GraphBuilder &b) {
  int x = pickAny(b, 1, 4);
  const TensorType type = b.type(x);
  int axis = static_cast<int>(b.random.below(type.shape.rank()));
  std::vector<int> operands = {x};
  for (int64_t n = b.random.between(1, 3); n > 0; --n)
    operands.push_back(b.pick(
        [&](const Node &node) {
          if (node.type.dtype != type.dtype ||
              node.type.shape.rank() != type.shape.rank())
            return false;
          for (int i = 0; i < type.shape.rank(); ++i)
            if (i != axis && node.type.shape[i] != type.shape[i])
              return false;
          return true;
        },
        [&] {
          TensorType other = type;
          other.shape[axis] = b.random.pick<int64_t>({1, 2, 3, 5});
          return other;
        }));
  concat(b, std::move(operands), axis);
}

void appendGather(GraphBuilder &b) {
  int x = pickAny(b, 1, 3);
  int indices = b.pick(
      [](const Node &n) {
        return (n.type.dtype == DType::i32 || n.type.dtype == DType::i64) &&
               n.type.shape.rank() <= 2;
      },
      [&] {
        DType dtype = b.random.pick({DType::i32, DType::i64});
        return TensorType{dtype, b.randomShape(0, 1)};
      });
  if (b.type(x).shape.numElements() * b.type(indices).shape.numElements() >
      16384)
    return;
  gather(b, x, indices, b.random.below(b.type(x).shape.rank()));
}

/// Sums of 16 bits are rounded in another order than the bounds of errors know.
fb::ScatterKind pickScatterKind(GraphBuilder &b, DType dtype) {
  if (dtype == DType::i1)
    return fb::ScatterKind::replace;
  return b.random.pick(
      {fb::ScatterKind::replace, fb::ScatterKind::min,
       byteWidth(dtype) == 2 ? fb::ScatterKind::max : fb::ScatterKind::add});
}

void appendScatter(GraphBuilder &b) {
  int x = pickAny(b, 1, 3);
  const TensorType type = b.type(x);
  auto axis = static_cast<int>(b.random.below(type.shape.rank()));
  int indices = b.pick(
      [](const Node &n) {
        return (n.type.dtype == DType::i32 || n.type.dtype == DType::i64) &&
               n.type.shape.rank() == 1 && n.type.shape.numElements() <= 64;
      },
      [&] {
        return TensorType{b.random.pick({DType::i32, DType::i64}),
                          b.randomShape(1, 1)};
      });
  TensorType wanted = type;
  wanted.shape[axis] = b.type(indices).shape[0];
  if (type.shape.numElements() > 16384 || wanted.shape.numElements() > 16384)
    return;
  int updates = b.pick([&](const Node &n) { return n.type == wanted; },
                       [&] { return wanted; });
  fb::ScatterAttrsT attrs;
  attrs.axis = axis;
  attrs.kind = pickScatterKind(b, type.dtype);
  bool isSum = attrs.kind == fb::ScatterKind::add;
  double each = b.node(updates).magnitude, own = b.node(x).magnitude;
  double magnitude = isSum
                         ? own + each * static_cast<double>(wanted.shape[axis])
                         : std::max(own, each);
  OpDesc desc;
  desc.kind = OpKind::scatter;
  desc.attrs.Set(std::move(attrs));
  b.op(std::move(desc), {x, indices, updates}, magnitude);
}

OpDesc randomOrder(GraphBuilder &b, int64_t axis, int64_t size) {
  OpDesc desc;
  if (b.random.chance(50)) {
    fb::TopKAttrsT attrs;
    attrs.axis = axis;
    attrs.k = b.random.between(1, size);
    attrs.ascending = b.random.chance(50);
    desc.kind = OpKind::topk;
    desc.attrs.Set(std::move(attrs));
  } else {
    fb::SortAttrsT attrs;
    attrs.axis = axis;
    attrs.descending = b.random.chance(50);
    desc.kind = OpKind::sort;
    desc.attrs.Set(std::move(attrs));
  }
  return desc;
}

/// Appends a result of a topk or a sort. Indices are those of values that every
/// execution agrees on.
void appendOrder(GraphBuilder &b) {
  const bool wantsIndices = b.random.chance(50);
  const int x = wantsIndices ? b.pickExact() : b.pickFloat(1);
  const Shape shape = b.type(x).shape;
  if (shape.rank() == 0)
    return;
  const auto axis = static_cast<int>(b.random.below(shape.rank()));
  OpDesc desc = randomOrder(b, axis, shape[axis]);
  const double magnitude =
      wantsIndices ? static_cast<double>(shape[axis]) : b.node(x).magnitude;
  b.op(std::move(desc), {x}, magnitude, wantsIndices ? 1 : 0);
}

void appendIota(GraphBuilder &b) {
  fb::IotaAttrsT attrs;
  Shape shape = b.randomShape(1, 3);
  DType dtype = b.random.pick({DType::f32, DType::i32, DType::i64});
  attrs.axis = b.random.below(shape.rank());
  attrs.type = std::make_unique<fb::TensorTypeT>(toFlat({dtype, shape}));
  OpDesc desc;
  desc.kind = OpKind::iota;
  desc.attrs.Set(std::move(attrs));
  b.op(std::move(desc), {}, 33);
}

} // namespace

void fuzz::appendShapeOp(GraphBuilder &b) {
  static void (*const kinds[])(GraphBuilder &) = {
      appendReshape, appendTranspose, appendBroadcast, appendSlice, appendPad,
      appendConcat,  appendGather,    appendScatter,   appendOrder, appendIota};
  kinds[b.random.below(std::size(kinds))](b);
}
