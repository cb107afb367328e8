//===- Layers.cpp - What networks are built of, with bounds ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

#include <cmath>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

template <typename Attrs> OpDesc describe(OpKind kind, Attrs attrs) {
  OpDesc desc;
  desc.kind = kind;
  desc.attrs.Set(std::move(attrs));
  return desc;
}

int addOrSub(GraphBuilder &b, OpKind kind, int x, int y) {
  double m = b.node(x).magnitude + b.node(y).magnitude;
  return b.op(kind, {x, y}, m,
              b.node(x).error + b.node(y).error +
                  unitRoundoff(b.type(x).dtype) * m);
}

struct Bound {
  double magnitude, error;
};
/// Of sums of `length` products of x and w.
Bound boundOfProducts(const Node &x, const Node &w, double length) {
  double m = length * x.magnitude * w.magnitude;
  double unit = unitRoundoff(x.type.dtype);
  return {m, length * (x.magnitude * w.error + w.magnitude * x.error) +
                 unit * std::sqrt(length) * m + 4 * unit * m};
}

/// The elements of a kernel that each output reads.
double getProducts(const fb::ConvAttrsT &attrs, const Shape &kernel) {
  int64_t outputs = kernel[static_cast<int>(attrs.kernel_layout.find('O'))];
  return static_cast<double>(kernel.numElements() / outputs);
}

} // namespace

std::string fuzz::spatialLetters(size_t rank) {
  return std::string("DHW").substr(3 - rank);
}

Shape fuzz::arrange(const std::string &layout, int64_t first, char firstName,
                    int64_t second, const std::vector<int64_t> &spatial) {
  Shape shape;
  size_t next = 0;
  for (char letter : layout)
    shape.push_back(letter == firstName              ? first
                    : letter == 'C' || letter == 'I' ? second
                                                     : spatial[next++]);
  return shape;
}

int fuzz::reshape(GraphBuilder &b, int x, const Shape &shape) {
  fb::ReshapeAttrsT attrs;
  attrs.shape.assign(shape.begin(), shape.end());
  return move(b, OpKind::reshape, std::move(attrs), {x});
}

int fuzz::transpose(GraphBuilder &b, int x, std::vector<int64_t> permutation) {
  fb::TransposeAttrsT attrs;
  attrs.permutation = std::move(permutation);
  return move(b, OpKind::transpose, std::move(attrs), {x});
}

int fuzz::concat(GraphBuilder &b, std::vector<int> operands, int64_t axis) {
  fb::AxisAttrsT attrs;
  attrs.axis = axis;
  return move(b, OpKind::concat, attrs, std::move(operands));
}

int fuzz::slice(GraphBuilder &b, int x, int axis, int64_t start,
                int64_t limit) {
  const Shape &shape = b.type(x).shape;
  fb::SliceAttrsT attrs;
  attrs.starts.assign(shape.rank(), 0);
  attrs.limits.assign(shape.begin(), shape.end());
  attrs.strides.assign(shape.rank(), 1);
  attrs.starts[axis] = start;
  attrs.limits[axis] = limit;
  return move(b, OpKind::slice, std::move(attrs), {x});
}

int fuzz::add(GraphBuilder &b, int x, int y) {
  return addOrSub(b, OpKind::add, x, y);
}

int fuzz::sub(GraphBuilder &b, int x, int y) {
  return addOrSub(b, OpKind::sub, x, y);
}

int fuzz::mul(GraphBuilder &b, int x, int y) {
  const Node p = b.node(x), q = b.node(y);
  double m = p.magnitude * q.magnitude;
  return b.op(OpKind::mul, {x, y}, m,
              p.magnitude * q.error + q.magnitude * p.error +
                  p.error * q.error + unitRoundoff(p.type.dtype) * m);
}

int fuzz::cast(GraphBuilder &b, int x, DType dtype) {
  fb::CastAttrsT attrs;
  attrs.dtype = dtype;
  double m = b.node(x).magnitude;
  return b.op(describe(OpKind::cast, attrs), {x}, m,
              b.node(x).error + unitRoundoff(dtype) * m);
}

int fuzz::activate(GraphBuilder &b, int x) {
  const Node n = b.node(x);
  if (b.random.chance(60))
    return b.op(OpKind::relu, {x}, n.magnitude, n.error);
  return b.op(b.random.pick({OpKind::tanh, OpKind::sigmoid}), {x}, 1,
              n.error + 8 * unitRoundoff(n.type.dtype));
}

int fuzz::reduceKept(GraphBuilder &b, fb::ReduceKind kind, int x,
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
  return b.op(describe(OpKind::reduce, std::move(attrs)), {x}, m, e);
}

int fuzz::softmaxByOps(GraphBuilder &b, int x,
                       const std::vector<int64_t> &dims) {
  double unit = unitRoundoff(b.type(x).dtype);
  int below = sub(b, x, reduceKept(b, fb::ReduceKind::max, x, dims));
  int powers =
      b.op(OpKind::exp, {below}, 1, 1.1 * b.node(below).error + 4 * unit);
  // The greatest of the powers is 1, and so their sum at least.
  int sum = reduceKept(b, fb::ReduceKind::sum, powers, dims);
  double error = b.node(powers).error + b.node(sum).error + unit;
  return b.op(OpKind::div, {powers, sum}, 1, 2 * error);
}

int fuzz::normalize(GraphBuilder &b, int x, const std::vector<int64_t> &dims) {
  int centered = sub(b, x, reduceKept(b, fb::ReduceKind::mean, x, dims));
  int variance =
      reduceKept(b, fb::ReduceKind::mean, mul(b, centered, centered), dims);
  int positive = b.awayFromZero(variance);
  int factor =
      b.op(OpKind::rsqrt, {positive}, 1.5,
           1.5 * b.node(positive).error + 8 * unitRoundoff(b.type(x).dtype));
  return mul(b, centered, factor);
}

int fuzz::normalizeChannels(GraphBuilder &b, int x, int64_t axis) {
  const Node n = b.node(x);
  TensorType channel{n.type.dtype, Shape{n.type.shape[static_cast<int>(axis)]}};
  bool areConstant = b.random.chance(50);
  auto parameter = [&] {
    return areConstant ? b.randomConstant(channel, 1) : b.input(channel);
  };
  int scale = parameter(), offset = parameter(), mean = parameter();
  int variance = b.awayFromZero(parameter());
  double m = (n.magnitude + 1) * 1.5 + 1;
  fb::BatchNormAttrsT attrs;
  attrs.axis = axis;
  attrs.epsilon = 1e-5;
  return b.op(describe(OpKind::batch_norm, attrs),
              {x, scale, offset, mean, variance}, m,
              1.5 * n.error + 3 * m * b.node(variance).error +
                  16 * unitRoundoff(n.type.dtype) * m);
}

int fuzz::conv(GraphBuilder &b, const fb::ConvAttrsT &attrs, int x,
               int kernel) {
  Bound bound = boundOfProducts(b.node(x), b.node(kernel),
                                getProducts(attrs, b.type(kernel).shape));
  return b.op(describe(OpKind::conv, attrs), {x, kernel}, bound.magnitude,
              bound.error);
}

int fuzz::convWithBias(GraphBuilder &b, const fb::ConvAttrsT &attrs, int x,
                       int kernel, int bias) {
  Bound bound = boundOfProducts(b.node(x), b.node(kernel),
                                getProducts(attrs, b.type(kernel).shape));
  bound.magnitude += b.node(bias).magnitude;
  bound.error +=
      b.node(bias).error + unitRoundoff(b.type(x).dtype) * bound.magnitude;
  return b.op(describe(OpKind::conv, attrs), {x, kernel, bias}, bound.magnitude,
              bound.error);
}

int fuzz::matmul(GraphBuilder &b, const fb::MatmulAttrsT &attrs, int x, int y) {
  const Shape &shape = b.type(x).shape;
  int64_t k = shape[shape.rank() - (attrs.transpose_lhs ? 2 : 1)];
  Bound bound = boundOfProducts(b.node(x), b.node(y), static_cast<double>(k));
  return b.op(describe(OpKind::matmul, attrs), {x, y}, bound.magnitude,
              bound.error);
}

int fuzz::pool(GraphBuilder &b, OpKind kind, fb::PoolAttrsT attrs, int x) {
  double m = b.node(x).magnitude, error = b.node(x).error;
  if (kind == OpKind::avg_pool)
    error += 8 * unitRoundoff(b.type(x).dtype) * m;
  return b.op(describe(kind, std::move(attrs)), {x}, m, error);
}
