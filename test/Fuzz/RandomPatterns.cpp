//===- RandomPatterns.cpp - Epilogues, softmax and norms in ops -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

int addOrSub(GraphBuilder &b, OpKind kind, int x, int y) {
  double m = b.node(x).magnitude + b.node(y).magnitude;
  return b.op(kind, {x, y}, m,
              b.node(x).error + b.node(y).error +
                  unitRoundoff(b.type(x).dtype) * m);
}

int mul(GraphBuilder &b, int x, int y) {
  const Node p = b.node(x), q = b.node(y);
  double m = p.magnitude * q.magnitude;
  return b.op(OpKind::mul, {x, y}, m,
              p.magnitude * q.error + q.magnitude * p.error +
                  p.error * q.error + unitRoundoff(p.type.dtype) * m);
}

/// `dims` of x, which stay as dims of size 1.
int reduce(GraphBuilder &b, fb::ReduceKind kind, int x,
           const std::vector<int64_t> &dims) {
  const Node n = b.node(x);
  double length = 1;
  for (int64_t dim : dims)
    length *= static_cast<double>(n.type.shape[static_cast<int>(dim)]);
  double unit = unitRoundoff(n.type.dtype) * (4 + std::sqrt(length));
  double m = n.magnitude, e = n.error;
  if (kind == fb::ReduceKind::sum)
    m *= length, e = length * e + unit * m;
  else if (kind == fb::ReduceKind::mean)
    e += unit * m;
  fb::ReduceAttrsT attrs;
  attrs.kind = kind;
  attrs.dims = dims;
  attrs.keep_dims = true;
  OpDesc desc;
  desc.kind = OpKind::reduce;
  desc.attrs.Set(std::move(attrs));
  return b.op(std::move(desc), {x}, m, e);
}

/// A row, a column, some dims in the middle, or all of them.
std::vector<int64_t> randomDims(GraphBuilder &b, int rank) {
  int64_t first = b.random.below(rank);
  int64_t last =
      b.random.chance(50) ? rank - 1 : b.random.between(first, rank - 1);
  std::vector<int64_t> dims;
  for (int64_t dim = first; dim <= last; ++dim)
    dims.push_back(dim);
  return dims;
}

int pickForNorm(GraphBuilder &b) {
  return b.tamed(
      b.pick(
          [](const Node &n) {
            return isFloat(n.type.dtype) && n.type.shape.rank() > 0 &&
                   n.type.dtype != DType::f16;
          },
          [&] {
            return TensorType{b.random.chance(85) ? DType::f32 : DType::bf16,
                              b.randomShape(1, 4)};
          }),
      4);
}

/// exp(x - max) / sum(exp(x - max)): the sum is 1 or more.
void appendSoftmaxByOps(GraphBuilder &b) {
  int x = pickForNorm(b);
  std::vector<int64_t> dims = randomDims(b, b.type(x).shape.rank());
  double unit = unitRoundoff(b.type(x).dtype);
  int most = reduce(b, fb::ReduceKind::max, x, dims);
  int below = addOrSub(b, OpKind::sub, x, most);
  int powers =
      b.op(OpKind::exp, {below}, 1, 1.1 * b.node(below).error + 4 * unit);
  int sum = reduce(b, fb::ReduceKind::sum, powers, dims);
  double error = b.node(powers).error + b.node(sum).error + unit;
  b.op(OpKind::div, {powers, sum}, 1, 2 * error);
}

/// (x - mean) / sqrt(variance + 1/2), times a scale, plus an offset; now and
/// then the mean and the variance are read by others, too.
void appendNormByOps(GraphBuilder &b) {
  int x = pickForNorm(b);
  const TensorType type = b.type(x);
  std::vector<int64_t> dims = randomDims(b, type.shape.rank());
  int mean = reduce(b, fb::ReduceKind::mean, x, dims);
  int centered = addOrSub(b, OpKind::sub, x, mean);
  int variance =
      reduce(b, fb::ReduceKind::mean, mul(b, centered, centered), dims);
  int positive = b.awayFromZero(variance);
  int factor =
      b.op(OpKind::rsqrt, {positive}, 1.5,
           1.5 * b.node(positive).error + 8 * unitRoundoff(type.dtype));
  int y = mul(b, centered, factor);
  Shape vector{type.shape[type.shape.rank() - 1]};
  if (b.random.chance(60))
    y = mul(b, y, b.input({type.dtype, vector}));
  if (b.random.chance(60))
    addOrSub(b, OpKind::add, y, b.input({type.dtype, vector}));
}

int activate(GraphBuilder &b, int x) {
  const Node n = b.node(x);
  double unit = unitRoundoff(n.type.dtype);
  if (b.random.chance(60))
    return b.op(OpKind::relu, {x}, n.magnitude, n.error);
  return b.op(b.random.pick({OpKind::tanh, OpKind::sigmoid}), {x}, 1,
              n.error + 8 * unit);
}

int normalizeChannels(GraphBuilder &b, int x, int64_t axis) {
  const Node n = b.node(x);
  TensorType channel{n.type.dtype, Shape{n.type.shape[static_cast<int>(axis)]}};
  int scale = b.input(channel), offset = b.input(channel);
  int mean = b.input(channel), variance = b.awayFromZero(b.input(channel));
  double m = (n.magnitude + 1) * 1.5 + 1;
  fb::BatchNormAttrsT attrs;
  attrs.axis = axis;
  attrs.epsilon = 1e-5;
  OpDesc desc;
  desc.kind = OpKind::batch_norm;
  desc.attrs.Set(std::move(attrs));
  return b.op(std::move(desc), {x, scale, offset, mean, variance}, m,
              1.5 * n.error + 3 * m * b.node(variance).error +
                  16 * unitRoundoff(n.type.dtype) * m);
}

} // namespace

void fuzz::appendEpilogue(GraphBuilder &b, int x, int channelAxis) {
  const TensorType type = b.type(x);
  if (b.random.chance(40)) {
    Shape bias(type.shape.span().subspan(channelAxis));
    for (int i = 1; i < bias.rank(); ++i)
      bias[i] = 1;
    x = addOrSub(b, OpKind::add, x, b.input({type.dtype, bias}));
  }
  if (b.random.chance(25))
    x = normalizeChannels(b, x, channelAxis);
  if (b.random.chance(30))
    x = addOrSub(b, OpKind::add, b.input(type), x);
  if (b.random.chance(60))
    x = activate(b, x);
  if (b.random.chance(15) && type.dtype == DType::f32) {
    fb::CastAttrsT attrs;
    attrs.dtype = DType::bf16;
    OpDesc desc;
    desc.kind = OpKind::cast;
    desc.attrs.Set(attrs);
    double m = b.node(x).magnitude;
    b.op(std::move(desc), {x}, m,
         b.node(x).error + unitRoundoff(DType::bf16) * m);
  }
}

void fuzz::appendPattern(GraphBuilder &b) {
  if (b.random.chance(50))
    appendSoftmaxByOps(b);
  else
    appendNormByOps(b);
}
