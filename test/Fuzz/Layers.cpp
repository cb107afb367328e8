//===- Layers.cpp - What networks are built of ----------------------------===//
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
  return b.op(kind, {x, y}, b.node(x).magnitude + b.node(y).magnitude);
}

/// The largest that a convolution's results can be.
double getMagnitude(GraphBuilder &b, const fb::ConvAttrsT &attrs, int x,
                    int kernel) {
  const Shape &shape = b.type(kernel).shape;
  int64_t outputs = shape[static_cast<int>(attrs.kernel_layout.find('O'))];
  return static_cast<double>(shape.numElements() / outputs) *
         b.node(x).magnitude * b.node(kernel).magnitude;
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

int fuzz::gather(GraphBuilder &b, int x, int indices, int64_t axis) {
  fb::GatherAttrsT attrs;
  attrs.axis = axis;
  const double magnitude = b.node(x).magnitude;
  OpDesc desc;
  desc.kind = OpKind::gather;
  desc.attrs.Set(std::move(attrs));
  return b.op(std::move(desc), {x, indices}, magnitude);
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
  return b.op(OpKind::mul, {x, y}, b.node(x).magnitude * b.node(y).magnitude);
}

int fuzz::cast(GraphBuilder &b, int x, DType dtype) {
  fb::CastAttrsT attrs;
  attrs.dtype = dtype;
  return b.op(describe(OpKind::cast, attrs), {x}, b.node(x).magnitude);
}

int fuzz::activate(GraphBuilder &b, int x) {
  if (b.random.chance(60))
    return b.op(OpKind::relu, {x}, b.node(x).magnitude);
  return b.op(b.random.pick({OpKind::tanh, OpKind::sigmoid}), {x}, 1);
}

int fuzz::reduceKept(GraphBuilder &b, fb::ReduceKind kind, int x,
                     const std::vector<int64_t> &dims) {
  const Node n = b.node(x);
  double length = 1;
  for (int64_t dim : dims)
    length *= static_cast<double>(n.type.shape[static_cast<int>(dim)]);
  double m = n.magnitude * (kind == fb::ReduceKind::sum ? length : 1);
  fb::ReduceAttrsT attrs;
  attrs.kind = kind;
  attrs.dims = dims;
  attrs.keep_dims = true;
  return b.op(describe(OpKind::reduce, std::move(attrs)), {x}, m);
}

int fuzz::softmaxByOps(GraphBuilder &b, int x,
                       const std::vector<int64_t> &dims) {
  int below = sub(b, x, reduceKept(b, fb::ReduceKind::max, x, dims));
  int powers = b.op(OpKind::exp, {below}, 1);
  // The greatest of the powers is 1, and so their sum at least.
  int sum = reduceKept(b, fb::ReduceKind::sum, powers, dims);
  return b.op(OpKind::div, {powers, sum}, 1);
}

int fuzz::normalize(GraphBuilder &b, int x, const std::vector<int64_t> &dims) {
  int centered = sub(b, x, reduceKept(b, fb::ReduceKind::mean, x, dims));
  int variance =
      reduceKept(b, fb::ReduceKind::mean, mul(b, centered, centered), dims);
  int positive = b.awayFromZero(variance);
  return mul(b, centered, b.op(OpKind::rsqrt, {positive}, 1.5));
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
              {x, scale, offset, mean, variance}, m);
}

int fuzz::conv(GraphBuilder &b, const fb::ConvAttrsT &attrs, int x,
               int kernel) {
  return b.op(describe(OpKind::conv, attrs), {x, kernel},
              getMagnitude(b, attrs, x, kernel));
}

int fuzz::convWithBias(GraphBuilder &b, const fb::ConvAttrsT &attrs, int x,
                       int kernel, int bias) {
  return b.op(describe(OpKind::conv, attrs), {x, kernel, bias},
              getMagnitude(b, attrs, x, kernel) + b.node(bias).magnitude);
}

int fuzz::convBackwardData(GraphBuilder &b, const fb::ConvAttrsT &attrs, int x,
                           int kernel) {
  const Shape &shape = b.type(kernel).shape;
  const int64_t channels =
      attrs.groups * shape[static_cast<int>(attrs.kernel_layout.find('I'))];
  return b.op(describe(OpKind::conv_backward_data, attrs), {x, kernel},
              static_cast<double>(shape.numElements() / channels) *
                  b.node(x).magnitude * b.node(kernel).magnitude);
}

int fuzz::convBackwardWeights(GraphBuilder &b, const fb::ConvAttrsT &attrs,
                              int x, int gradient) {
  const Shape &shape = b.type(gradient).shape;
  const int64_t channels =
      shape[static_cast<int>(attrs.output_layout.find('C'))];
  return b.op(describe(OpKind::conv_backward_weights, attrs), {x, gradient},
              static_cast<double>(shape.numElements() / channels) *
                  b.node(x).magnitude * b.node(gradient).magnitude);
}

int fuzz::matmul(GraphBuilder &b, const fb::MatmulAttrsT &attrs, int x, int y) {
  const Shape &shape = b.type(x).shape;
  int64_t k = shape[shape.rank() - (attrs.transpose_lhs ? 2 : 1)];
  return b.op(describe(OpKind::matmul, attrs), {x, y},
              static_cast<double>(k) * b.node(x).magnitude *
                  b.node(y).magnitude);
}

int fuzz::pool(GraphBuilder &b, OpKind kind, fb::PoolAttrsT attrs, int x) {
  return b.op(describe(kind, std::move(attrs)), {x}, b.node(x).magnitude);
}
