//===- RandomContractions.cpp - Random conv, matmul, pools, reductions ----===//
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

/// Bounds of a sum of `length` products of x and w.
struct SumBound {
  double magnitude, error;
};
SumBound productSum(const Node &x, const Node &w, double length) {
  double m = length * x.magnitude * w.magnitude;
  double unit = unitRoundoff(x.type.dtype);
  return {m, length * (x.magnitude * w.error + w.magnitude * x.error) +
                 unit * std::sqrt(length) * m + 4 * unit * m};
}

/// The dims of a tensor in the order of its layout.
Shape arrange(const std::string &layout, int64_t first, char firstName,
              int64_t second, const std::vector<int64_t> &spatial) {
  Shape shape;
  size_t next = 0;
  for (char letter : layout)
    shape.push_back(letter == firstName              ? first
                    : letter == 'C' || letter == 'I' ? second
                                                     : spatial[next++]);
  return shape;
}

/// "W", "HW" or "DHW".
std::string spatialLetters(size_t rank) {
  return std::string("DHW").substr(3 - rank);
}

/// Sizes of a window op along its spatial dims, such that it fits and no window
/// lies in the padding alone.
struct Windows {
  std::vector<int64_t> input, window, strides, padLow, padHigh, dilations;
};
Windows randomWindows(GraphBuilder &b, size_t rank) {
  Windows w;
  for (size_t i = 0; i < rank; ++i) {
    int64_t window = b.random.between(1, 3);
    int64_t dilation = b.random.chance(20) ? 2 : 1;
    int64_t span = (window - 1) * dilation + 1;
    w.window.push_back(window);
    w.dilations.push_back(dilation);
    w.input.push_back(span + b.random.below(rank == 3 ? 3 : 12));
    w.strides.push_back(b.random.chance(25) ? 2 : 1);
    w.padLow.push_back(
        b.random.chance(40) && dilation == 1 ? b.random.below(window) : 0);
    w.padHigh.push_back(
        b.random.chance(40) && dilation == 1 ? b.random.below(window) : 0);
  }
  return w;
}

/// Sizes around those of tiles.
int64_t randomWidth(GraphBuilder &b) {
  return b.random.pick<int64_t>(
      {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65});
}

/// A float of exactly this shape: an input, or an existing value.
int pickOfShape(GraphBuilder &b, DType dtype, const Shape &shape) {
  return b.tamed(b.pick(
                     [&](const Node &n) {
                       return n.type.dtype == dtype && n.type.shape == shape;
                     },
                     [&] { return TensorType{dtype, shape}; }),
                 4);
}

void appendConv(GraphBuilder &b) {
  size_t rank = b.random.pick<size_t>({1, 1, 2, 2, 2, 3});
  Windows w = randomWindows(b, rank);
  std::string s = spatialLetters(rank);
  fb::ConvAttrsT attrs;
  bool channelsLast = b.random.chance(50);
  attrs.input_layout = channelsLast ? "N" + s + "C" : "NC" + s;
  attrs.output_layout =
      b.random.chance(90) == channelsLast ? "N" + s + "C" : "NC" + s;
  attrs.kernel_layout = b.random.pick<std::string>({"OI" + s, s + "IO"});
  attrs.groups = b.random.chance(20) ? b.random.between(2, 3) : 1;
  int64_t perGroup = b.random.pick<int64_t>({1, 1, 2, 3, 5, 8, 17});
  int64_t outputs = attrs.groups * randomWidth(b);
  if (b.random.chance(10)) {
    // One or two filters for each channel.
    attrs.groups = randomWidth(b);
    perGroup = 1;
    outputs = attrs.groups * b.random.between(1, 2);
  }
  attrs.strides = w.strides;
  attrs.pad_low = w.padLow;
  attrs.pad_high = w.padHigh;
  attrs.dilations = w.dilations;
  DType dtype = b.randomFloat();
  int x = pickOfShape(b, dtype,
                      arrange(attrs.input_layout, b.random.between(1, 3), 'N',
                              perGroup * attrs.groups, w.input));
  int kernel = pickOfShape(
      b, dtype, arrange(attrs.kernel_layout, outputs, 'O', perGroup, w.window));
  double length = static_cast<double>(perGroup);
  for (int64_t window : w.window)
    length *= static_cast<double>(window);
  SumBound bound = productSum(b.node(x), b.node(kernel), length);
  std::vector<int> operands = {x, kernel};
  if (b.random.chance(30)) {
    operands.push_back(b.input({dtype, Shape{outputs}}));
    bound.magnitude += 1;
    bound.error += unitRoundoff(dtype) * bound.magnitude;
  }
  std::string outputLayout = attrs.output_layout;
  OpDesc desc;
  desc.kind = OpKind::conv;
  desc.attrs.Set(std::move(attrs));
  int axis = static_cast<int>(outputLayout.find('C'));
  int y =
      b.op(std::move(desc), std::move(operands), bound.magnitude, bound.error);
  if (b.random.chance(60))
    appendEpilogue(b, y, axis);
}

void appendMatmul(GraphBuilder &b) {
  fb::MatmulAttrsT attrs;
  attrs.transpose_lhs = b.random.chance(30);
  attrs.transpose_rhs = b.random.chance(30);
  int64_t m = randomWidth(b), n = randomWidth(b), k = randomWidth(b);
  Shape lhs, rhs;
  for (int64_t batch = b.random.below(3); batch > 0; --batch) {
    int64_t size = b.random.between(1, 3);
    lhs.push_back(b.random.chance(20) ? 1 : size);
    rhs.push_back(b.random.chance(20) ? 1 : size);
  }
  lhs.push_back(attrs.transpose_lhs ? k : m);
  lhs.push_back(attrs.transpose_lhs ? m : k);
  rhs.push_back(attrs.transpose_rhs ? n : k);
  rhs.push_back(attrs.transpose_rhs ? k : n);
  DType dtype = b.randomFloat();
  int x = pickOfShape(b, dtype, lhs), y = pickOfShape(b, dtype, rhs);
  SumBound bound = productSum(b.node(x), b.node(y), static_cast<double>(k));
  OpDesc desc;
  desc.kind = OpKind::matmul;
  desc.attrs.Set(std::move(attrs));
  int z = b.op(std::move(desc), {x, y}, bound.magnitude, bound.error);
  if (b.random.chance(60))
    appendEpilogue(b, z, b.type(z).shape.rank() - 1);
}

void appendPool(GraphBuilder &b) {
  size_t rank = b.random.pick<size_t>({1, 2, 2, 3});
  Windows w = randomWindows(b, rank);
  std::string s = spatialLetters(rank);
  fb::PoolAttrsT attrs;
  attrs.layout = b.random.chance(50) ? "N" + s + "C" : "NC" + s;
  attrs.window = w.window;
  attrs.strides = w.strides;
  attrs.pad_low = w.padLow;
  attrs.pad_high = w.padHigh;
  attrs.dilations = w.dilations;
  bool average = b.random.chance(50);
  attrs.count_include_pad = average && b.random.chance(50);
  DType dtype = b.randomFloat();
  int x = pickOfShape(b, dtype,
                      arrange(attrs.layout, b.random.between(1, 2), 'N',
                              b.random.pick<int64_t>({1, 3, 8}), w.input));
  double m = b.node(x).magnitude, error = b.node(x).error;
  OpDesc desc;
  desc.kind = average ? OpKind::avg_pool : OpKind::max_pool;
  desc.attrs.Set(std::move(attrs));
  b.op(std::move(desc), {x}, m,
       average ? error + 8 * unitRoundoff(dtype) * m : error);
}

void appendReduce(GraphBuilder &b) {
  using fb::ReduceKind;
  auto kind = static_cast<ReduceKind>(b.random.below(6));
  int x = kind == ReduceKind::argmax ? b.pickExact() : b.pickFloat(1, 5);
  int rank = b.type(x).shape.rank();
  if (rank == 0)
    return;
  if (kind == ReduceKind::prod)
    x = b.tamed(x, 1);
  fb::ReduceAttrsT attrs;
  attrs.kind = kind;
  attrs.keep_dims = b.random.chance(40);
  double length = 1;
  for (int i = 0; i < rank; ++i)
    if (attrs.dims.empty()
            ? i == rank - 1 || b.random.chance(40)
            : kind != ReduceKind::argmax && b.random.chance(40)) {
      attrs.dims.push_back(i);
      length *= static_cast<double>(b.type(x).shape[i]);
    }
  double m = b.node(x).magnitude, e = b.node(x).error;
  double unit = unitRoundoff(b.type(x).dtype);
  double rounding = unit * (4 + std::sqrt(length));
  if (kind == ReduceKind::sum) {
    m *= length;
    e = length * e + rounding * m;
  } else if (kind == ReduceKind::mean) {
    e += rounding * m;
  } else if (kind == ReduceKind::prod) {
    e = length * (e + 2 * unit);
  } else if (kind == ReduceKind::argmax) {
    m = length;
  }
  if (b.type(x).dtype == DType::f16 && m > 1000)
    return;
  OpDesc desc;
  desc.kind = OpKind::reduce;
  desc.attrs.Set(std::move(attrs));
  b.op(std::move(desc), {x}, m, e);
}

void appendSoftmax(GraphBuilder &b) {
  int x = b.tamed(b.pickFloat(1, 4));
  fb::AxisAttrsT attrs;
  attrs.axis = b.random.below(b.type(x).shape.rank());
  double length =
      static_cast<double>(b.type(x).shape[static_cast<int>(attrs.axis)]);
  double unit = unitRoundoff(b.type(x).dtype), m = b.node(x).magnitude;
  double error = b.node(x).error + unit * (10 + std::sqrt(length) + 2 * m);
  OpDesc desc;
  desc.kind = OpKind::softmax;
  desc.attrs.Set(std::move(attrs));
  b.op(std::move(desc), {x}, 1, error);
}

void appendBatchNorm(GraphBuilder &b) {
  int x = b.tamed(b.pickFloat(2, 4), 4);
  const TensorType type = b.type(x);
  fb::BatchNormAttrsT attrs;
  attrs.axis = b.random.below(type.shape.rank());
  attrs.epsilon = 1e-5;
  TensorType channel{type.dtype,
                     Shape{type.shape[static_cast<int>(attrs.axis)]}};
  int scale = b.input(channel), offset = b.input(channel);
  int mean = b.input(channel), variance = b.awayFromZero(b.input(channel));
  double m = (b.node(x).magnitude + 1) * 1.5 + 1;
  double unit = unitRoundoff(type.dtype);
  OpDesc desc;
  desc.kind = OpKind::batch_norm;
  desc.attrs.Set(std::move(attrs));
  b.op(std::move(desc), {x, scale, offset, mean, variance}, m,
       1.5 * b.node(x).error + 3 * m * b.node(variance).error + 16 * unit * m);
}

} // namespace

void fuzz::appendContraction(GraphBuilder &b) {
  if (b.random.chance(70))
    appendConv(b);
  else
    appendMatmul(b);
}

void fuzz::appendReduction(GraphBuilder &b) {
  static void (*const kinds[])(GraphBuilder &) = {
      appendPool,   appendPool,    appendReduce,
      appendReduce, appendSoftmax, appendBatchNorm};
  kinds[b.random.below(std::size(kinds))](b);
}
