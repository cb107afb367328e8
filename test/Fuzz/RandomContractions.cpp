//===- RandomContractions.cpp - Random conv, matmul, pools, reductions ----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomWindows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

/// Storage types other than f32 more often than elsewhere: contractions treat
/// them each in its way.
DType randomContracted(GraphBuilder &b) {
  int64_t draw = b.random.below(100);
  return draw < 64   ? DType::f32
         : draw < 70 ? DType::f64
         : draw < 80 ? DType::f16
                     : DType::bf16;
}

/// A divisor of `size` other than 1, at random; `size` if that has no other.
int64_t randomDivisor(GraphBuilder &b, int64_t size) {
  std::vector<int64_t> divisors;
  for (int64_t divisor = 2; divisor <= size; ++divisor)
    if (size % divisor == 0)
      divisors.push_back(divisor);
  return divisors.empty() ? 1 : divisors[b.random.below(std::ssize(divisors))];
}

/// Weights that are a transposed view of others, of which one dim is two that
/// need not be adjacent there. Often it is the last, whose inner part stays
/// where it is.
int pickViewedWeights(GraphBuilder &b, const TensorType &type, double length) {
  const int rank = type.shape.rank();
  const int split =
      b.random.chance(50) ? rank - 1 : static_cast<int>(b.random.below(rank));
  std::vector<int64_t> sizes(type.shape.begin(), type.shape.end());
  const int64_t block = randomDivisor(b, sizes[split]);
  sizes[split] /= block;
  sizes.insert(sizes.begin() + split + 1, block);
  std::vector<int64_t> permutation(sizes.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  for (int64_t i = rank - b.random.below(2); i > 0; --i)
    std::swap(permutation[i], permutation[b.random.below(i + 1)]);
  Shape source{std::span<const int64_t>(sizes)};
  for (size_t i = 0; i < sizes.size(); ++i)
    source[static_cast<int>(permutation[i])] = sizes[i];
  int weights = b.pickWeights({type.dtype, source}, length);
  return reshape(b, transpose(b, weights, permutation), type.shape);
}

int pickWeights(GraphBuilder &b, const TensorType &type, double length) {
  return b.random.chance(25) ? pickViewedWeights(b, type, length)
                             : b.pickWeights(type, length);
}

/// A pooling of the value that was made last, of a layout; half the time of 2
/// by 2, as in most networks.
void poolLast(GraphBuilder &b, const std::string &layout) {
  int x = static_cast<int>(b.graph.nodes.size()) - 1;
  fb::PoolAttrsT attrs;
  attrs.layout = layout;
  bool isUsual = b.random.chance(50);
  for (char letter : spatialLetters(layout.size() - 2)) {
    int64_t size = b.type(x).shape[static_cast<int>(layout.find(letter))];
    int64_t window = isUsual ? std::min<int64_t>(size, 2)
                             : b.random.between(1, std::min<int64_t>(size, 3));
    attrs.window.push_back(window);
    attrs.strides.push_back(
        isUsual || b.random.chance(50) ? window : b.random.between(1, 3));
    attrs.pad_low.push_back(isUsual ? 0 : b.random.below(window));
    attrs.pad_high.push_back(isUsual ? 0 : b.random.below(window));
    attrs.dilations.push_back(1);
  }
  bool isMean = b.random.chance(50);
  attrs.count_include_pad = isMean && b.random.chance(50);
  pool(b, isMean ? OpKind::avg_pool : OpKind::max_pool, std::move(attrs), x);
}

/// A layer of 3 x 3 that Winograd's method can compute, with what may be fused
/// into it before and after.
void appendUsualConv(GraphBuilder &b) {
  fb::ConvAttrsT attrs;
  attrs.input_layout = attrs.output_layout = "NHWC";
  attrs.kernel_layout = "HWIO";
  attrs.strides = attrs.pad_low = attrs.pad_high = attrs.dilations = {1, 1};
  int64_t inputs = b.random.pick<int64_t>({8, 9, 16, 17, 24, 33});
  int64_t outputs = b.random.pick<int64_t>({8, 16, 17, 32, 40});
  std::vector<int64_t> size = {b.random.between(4, 20),
                               b.random.between(4, 30)};
  int x = b.pickOfType(
      {DType::f32, arrange("NHWC", b.random.between(1, 2), 'N', inputs, size)});
  if (b.random.chance(50))
    x = appendPrologue(b, x, 3);
  Shape weights = {3, 3, inputs, outputs};
  int y = conv(b, attrs, x, b.randomConstant({DType::f32, weights}, 0x1p-8));
  if (b.random.chance(30))
    appendEpilogue(b, y, 3);
  if (b.random.chance(50))
    poolLast(b, "NHWC");
}

void appendConv(GraphBuilder &b) {
  size_t rank = b.random.pick<size_t>({1, 1, 2, 2, 2, 2, 3});
  Windows w = randomWindows(b, rank);
  Channels c = randomChannels(b, rank);
  fb::ConvAttrsT attrs;
  setRandomLayouts(b, rank, attrs);
  attrs.groups = c.groups;
  setWindows(w, attrs);
  DType dtype = randomContracted(b);
  int x =
      b.pickOfType({dtype, arrange(attrs.input_layout, b.random.between(1, 3),
                                   'N', c.inputs * c.groups, w.input)});
  if (b.random.chance(30))
    x = appendPrologue(b, x, static_cast<int>(attrs.input_layout.find('C')));
  Shape weights =
      arrange(attrs.kernel_layout, c.outputs, 'O', c.inputs, w.window);
  auto length = static_cast<double>(weights.numElements() / c.outputs);
  int kernel = pickWeights(b, {dtype, weights}, length);
  int y = b.random.chance(30)
              ? convWithBias(b, attrs, x, kernel, b.input({dtype, {c.outputs}}))
              : conv(b, attrs, x, kernel);
  if (b.random.chance(60))
    appendEpilogue(b, y, static_cast<int>(attrs.output_layout.find('C')));
  if (b.random.chance(25))
    poolLast(b, attrs.output_layout);
}

/// A transposed convolution; half the time with the sizes of an upsampling
/// layer, whose window is a multiple of the stride.
void appendConvBackwardData(GraphBuilder &b) {
  const size_t rank = b.random.pick<size_t>({1, 1, 2, 2, 2, 3});
  const Channels c = randomChannels(b, rank);
  fb::ConvAttrsT attrs;
  setRandomLayouts(b, rank, attrs);
  attrs.groups = c.groups;
  const bool isUsual = b.random.chance(50);
  std::vector<int64_t> input, window;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t stride = b.random.between(1, isUsual ? 4 : 3);
    const int64_t dilation =
        !isUsual && b.random.chance(25) ? b.random.between(2, 3) : 1;
    window.push_back(isUsual ? stride * b.random.between(1, 2)
                             : b.random.between(1, 5));
    input.push_back(b.random.between(1, rank == 3 ? 3 : 9));
    attrs.strides.push_back(stride);
    attrs.dilations.push_back(dilation);
    attrs.output_padding.push_back(isUsual ? 0 : b.random.below(3));
    const int64_t last = stride * (input[i] - 1) + dilation * (window[i] - 1) +
                         attrs.output_padding[i];
    const auto pad = [&] {
      return b.random.below(std::min<int64_t>(last / 2, 3) + 1);
    };
    attrs.pad_low.push_back(pad());
    attrs.pad_high.push_back(pad());
  }
  const DType dtype = randomContracted(b);
  int x =
      b.pickOfType({dtype, arrange(attrs.input_layout, b.random.between(1, 3),
                                   'N', c.inputs * c.groups, input)});
  if (b.random.chance(30))
    x = appendPrologue(b, x, static_cast<int>(attrs.input_layout.find('C')));
  const Shape weights = arrange(attrs.kernel_layout, c.inputs * c.groups, 'O',
                                c.outputs / c.groups, window);
  const int kernel = pickWeights(
      b, {dtype, weights},
      static_cast<double>(weights.numElements() * c.groups / c.outputs));
  const int y = convBackwardData(b, attrs, x, kernel);
  if (b.random.chance(60))
    appendEpilogue(b, y, static_cast<int>(attrs.output_layout.find('C')));
}

void appendMatmul(GraphBuilder &b) {
  fb::MatmulAttrsT attrs;
  attrs.transpose_lhs = b.random.chance(30);
  attrs.transpose_rhs = b.random.chance(30);
  int64_t m = b.randomWidth(), n = b.randomWidth(), k = b.randomWidth();
  DType dtype = randomContracted(b);
  if (b.random.chance(b.isLarge ? 50 : 15)) {
    // Weights that no near cache holds, and few uses of them.
    dtype = b.random.pick({DType::f32, DType::f16, DType::bf16, dtype});
    m = b.random.between(1, 6);
    n = b.random.between(500, 2000);
    k = b.random.between(300, 1200);
  } else if (b.isLarge) {
    m += b.random.between(50, 400);
  }
  Shape lhs, rhs;
  bool isWeights = b.random.chance(40); // Of two dims, the same for each batch.
  for (int64_t batch = b.random.below(3); batch > 0; --batch) {
    int64_t size = b.random.between(1, 3);
    lhs.push_back(b.random.chance(20) ? 1 : size);
    if (!isWeights)
      rhs.push_back(b.random.chance(20) ? 1 : size);
  }
  lhs.push_back(attrs.transpose_lhs ? k : m);
  lhs.push_back(attrs.transpose_lhs ? m : k);
  rhs.push_back(attrs.transpose_rhs ? n : k);
  rhs.push_back(attrs.transpose_rhs ? k : n);
  int x = b.pickOfType({dtype, lhs});
  if (b.random.chance(30))
    x = appendPrologue(b, x, lhs.rank() - 1);
  int y = pickWeights(b, {dtype, rhs}, static_cast<double>(k));
  int z = matmul(b, attrs, x, y);
  if (b.random.chance(60))
    appendEpilogue(b, z, b.type(z).shape.rank() - 1);
}

/// The gradient of the weights of a convolution.
void appendConvBackwardWeights(GraphBuilder &b) {
  const size_t rank = b.random.pick<size_t>({1, 1, 2, 2, 2, 3});
  const Windows w = randomWindows(b, rank);
  const Channels c = randomChannels(b, rank);
  fb::ConvAttrsT attrs;
  setRandomLayouts(b, rank, attrs);
  attrs.groups = b.random.chance(70) ? 1 : c.groups;
  attrs.window = w.window;
  setWindows(w, attrs);
  std::vector<int64_t> positions;
  for (size_t i = 0; i < rank; ++i)
    positions.push_back((w.input[i] + w.padLow[i] + w.padHigh[i] -
                         w.dilations[i] * (w.window[i] - 1) - 1) /
                            w.strides[i] +
                        1);
  const DType dtype = randomContracted(b);
  const int64_t batch = b.random.between(1, 4);
  int x = b.pickOfType({dtype, arrange(attrs.input_layout, batch, 'N',
                                       c.inputs * attrs.groups, w.input)});
  if (b.random.chance(30))
    x = appendPrologue(b, x, static_cast<int>(attrs.input_layout.find('C')));
  const Shape shape =
      arrange(attrs.output_layout, batch, 'N', c.outputs, positions);
  const auto length = static_cast<double>(shape.numElements() / c.outputs);
  const int y =
      convBackwardWeights(b, attrs, x, pickWeights(b, {dtype, shape}, length));
  if (b.random.chance(40))
    appendEpilogue(b, y, static_cast<int>(attrs.kernel_layout.find('O')));
}

void appendPool(GraphBuilder &b) {
  size_t rank = b.random.pick<size_t>({1, 2, 2, 3});
  Windows w = randomWindows(b, rank);
  std::string s = spatialLetters(rank);
  fb::PoolAttrsT attrs;
  attrs.layout = b.random.chance(50) ? "N" + s + "C" : "NC" + s;
  attrs.window = w.window;
  setWindows(w, attrs);
  bool average = b.random.chance(50);
  attrs.count_include_pad = average && b.random.chance(50);
  int64_t channels = b.random.pick<int64_t>({1, 3, 8, 17});
  int x = b.pickOfType(
      {b.randomFloat(),
       arrange(attrs.layout, b.random.between(1, 2), 'N', channels, w.input)});
  if (!b.random.chance(30))
    pool(b, average ? OpKind::avg_pool : OpKind::max_pool, std::move(attrs), x);
  else if (average)
    avgPoolGradient(b, std::move(attrs), w.input, x);
  else
    indexedPool(b, std::move(attrs), w.input, x);
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
  double m = b.node(x).magnitude;
  if (kind == ReduceKind::sum)
    m *= length;
  else if (kind == ReduceKind::argmax)
    m = length;
  if (b.type(x).dtype == DType::f16 && m > 1000)
    return;
  OpDesc desc;
  desc.kind = OpKind::reduce;
  desc.attrs.Set(std::move(attrs));
  b.op(std::move(desc), {x}, m);
}

void appendSoftmax(GraphBuilder &b) {
  int x = b.tamed(b.pickFloat(1, 4));
  fb::AxisAttrsT attrs;
  attrs.axis = b.random.below(b.type(x).shape.rank());
  OpDesc desc;
  desc.kind = OpKind::softmax;
  desc.attrs.Set(std::move(attrs));
  b.op(std::move(desc), {x}, 1);
}

/// Appends a softmax and the op of its gradient.
void appendSoftmaxBackward(GraphBuilder &b) {
  const int g = b.tamed(b.pickFloat(1, 4), 4);
  fb::AxisAttrsT attrs;
  attrs.axis = b.random.below(b.type(g).shape.rank());
  OpDesc desc;
  desc.kind = OpKind::softmax;
  desc.attrs.Set(attrs);
  const int y = b.op(desc, {b.input(b.type(g))}, 1);
  desc.kind = OpKind::softmax_backward;
  b.op(std::move(desc), {y, g}, 2 * b.node(g).magnitude);
}

void appendBatchNorm(GraphBuilder &b) {
  int x = b.tamed(b.pickFloat(2, 4), 4);
  normalizeChannels(b, x, b.random.below(b.type(x).shape.rank()));
}

/// Appends a resize of floats with a common method: dims of images, or any.
void appendResize(GraphBuilder &b) {
  const int x = b.pickFloat(1, 4);
  const Shape shape = b.type(x).shape;
  if (shape.numElements() > 4096)
    return;
  fb::ResizeAttrsT attrs;
  attrs.mode = fb::ResizeMode(b.random.below(3));
  attrs.coordinates = fb::ResizeCoordinates(b.random.below(5));
  attrs.rounding = fb::NearestRounding(b.random.below(4));
  attrs.antialias = b.random.chance(20);
  attrs.exclude_outside = b.random.chance(20);
  const bool hasSizes = b.random.chance(50);
  double magnitude = b.node(x).magnitude;
  for (int dim = 0; dim < shape.rank(); ++dim) {
    if (shape[dim] == 0 || b.random.chance(40) || attrs.dims.size() == 3)
      continue;
    const int64_t size = b.random.chance(50)
                             ? 2 * shape[dim]
                             : b.random.between(1, shape[dim] + 2);
    attrs.dims.push_back(dim);
    if (hasSizes)
      attrs.sizes.push_back(size);
    else
      attrs.scales.push_back(static_cast<double>(size) /
                             static_cast<double>(shape[dim]));
    if (attrs.mode == fb::ResizeMode::cubic) // The sum of |weights|.
      magnitude *= attrs.exclude_outside ? 8 : 1.5;
  }
  OpDesc desc;
  desc.kind = OpKind::resize;
  desc.attrs.Set(std::move(attrs));
  b.op(std::move(desc), {x}, magnitude);
}

} // namespace

void fuzz::appendContraction(GraphBuilder &b) {
  int64_t draw = b.random.below(100);
  if (draw < 55)
    appendConv(b);
  else if (draw < 67)
    appendUsualConv(b);
  else if (draw < 77)
    appendConvBackwardData(b);
  else if (draw < 84)
    appendConvBackwardWeights(b);
  else
    appendMatmul(b);
}

void fuzz::appendReduction(GraphBuilder &b) {
  static void (*const kinds[])(GraphBuilder &) = {
      appendPool,    appendPool,      appendReduce, appendReduce,
      appendSoftmax, appendBatchNorm, appendResize, appendSoftmaxBackward};
  kinds[b.random.below(std::size(kinds))](b);
}
