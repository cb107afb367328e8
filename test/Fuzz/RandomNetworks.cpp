//===- RandomNetworks.cpp - Blocks of convolutions and attention ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions one after the other with what networks have between them, which
// single random ops seldom make: residuals, pre-activation, branches that meet
// in a concat, slices of channels, changes of layout, gates and heads.
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

#include <iterator>
#include <numeric>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

/// One image or sequence on its way through blocks.
class ConvNetwork {
public:
  explicit ConvNetwork(GraphBuilder &b)
      : b(b), rank(b.random.pick<size_t>({1, 2, 2, 2, 2, 3})),
        channelsLast(b.random.chance(50)) {
    DType dtype = b.random.chance(70) ? DType::f32 : DType::bf16;
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < rank; ++i)
      sizes.push_back(rank == 3 ? b.random.between(3, 5)
                                : b.random.between(4, 15));
    x = b.pickOfType({dtype, arrange(layout(), b.random.between(1, 2), 'N',
                                     randomChannels(), sizes)});
  }

  void append();

private:
  void appendPlain();
  void appendPreActivation();
  void appendResidual();
  void appendSeparable();
  void appendBranches();
  void appendShuffle();
  void appendGate();
  void appendPool();
  void appendLayoutChange();
  void appendHead();

  std::string layout() const {
    std::string s = spatialLetters(rank);
    return channelsLast ? "N" + s + "C" : "NC" + s;
  }
  int axis() const { return channelsLast ? static_cast<int>(rank) + 1 : 1; }
  std::vector<int64_t> spatialDims() const {
    std::vector<int64_t> dims(rank);
    std::iota(dims.begin(), dims.end(), channelsLast ? 1 : 2);
    return dims;
  }
  int64_t channels() const { return b.type(x).shape[axis()]; }
  int64_t randomChannels() {
    return b.random.pick<int64_t>({1, 3, 8, 13, 16, 17, 32, 33});
  }
  /// Attributes of a convolution that keeps the sizes, stride aside.
  fb::ConvAttrsT getSameConv(int64_t window, int64_t stride) const;
  /// A layer on `value`, which has the layout of the network.
  int convolve(int value, int64_t outputs, int64_t window, int64_t stride = 1,
               int64_t groups = 1);
  int normAndActivate(int value) {
    return activate(b, b.random.chance(70) ? normalizeChannels(b, value, axis())
                                           : value);
  }

  GraphBuilder &b;
  size_t rank;
  bool channelsLast;
  int x = 0;
};

} // namespace

fb::ConvAttrsT ConvNetwork::getSameConv(int64_t window, int64_t stride) const {
  fb::ConvAttrsT attrs;
  attrs.strides.assign(rank, stride);
  attrs.pad_low.assign(rank, window / 2);
  attrs.pad_high.assign(rank, window / 2);
  attrs.dilations.assign(rank, 1);
  attrs.input_layout = attrs.output_layout = layout();
  std::string s = spatialLetters(rank);
  attrs.kernel_layout = channelsLast ? s + "IO" : "OI" + s;
  return attrs;
}

int ConvNetwork::convolve(int value, int64_t outputs, int64_t window,
                          int64_t stride, int64_t groups) {
  fb::ConvAttrsT attrs = getSameConv(window, stride);
  attrs.groups = groups;
  int64_t inputs = b.type(value).shape[axis()] / groups;
  Shape shape = arrange(attrs.kernel_layout, outputs, 'O', inputs,
                        std::vector<int64_t>(rank, window));
  auto length = static_cast<double>(shape.numElements() / outputs);
  int kernel = b.pickWeights({b.type(value).dtype, shape}, length);
  return conv(b, attrs, value, kernel);
}

void ConvNetwork::appendPlain() {
  int64_t window = b.random.pick<int64_t>({1, 3, 3});
  x = convolve(x, randomChannels(), window, b.random.chance(20) ? 2 : 1);
  appendEpilogue(b, x, axis());
  x = activate(b, x);
  if (b.random.chance(25))
    appendPool();
}

/// Norm and activation before each convolution, the first of them perhaps for
/// the shortcut as well.
void ConvNetwork::appendPreActivation() {
  int active = normAndActivate(x);
  int y = convolve(active, randomChannels(), 3);
  y = convolve(normAndActivate(y), channels(), 3);
  x = add(b, y, b.random.chance(30) ? active : x);
}

/// Two or three convolutions (a bottleneck) and a shortcut, which has one of
/// its own where the sizes change.
void ConvNetwork::appendResidual() {
  bool isBottleneck = b.random.chance(40);
  int64_t stride = b.random.chance(25) ? 2 : 1;
  int64_t outputs = b.random.chance(30) ? randomChannels() : channels();
  int y = convolve(x, randomChannels(), isBottleneck ? 1 : 3, stride);
  y = normAndActivate(y);
  if (isBottleneck)
    y = normAndActivate(convolve(y, b.type(y).shape[axis()], 3));
  y = convolve(y, outputs, isBottleneck ? 1 : 3);
  if (b.random.chance(60))
    y = normalizeChannels(b, y, axis());
  bool isSame = stride == 1 && outputs == channels();
  int shortcut = isSame ? x : convolve(x, outputs, 1, stride);
  x = b.random.chance(50) ? add(b, y, shortcut) : add(b, shortcut, y);
  x = activate(b, x);
}

/// A filter for each channel, then a product of channels.
void ConvNetwork::appendSeparable() {
  int y = convolve(x, channels(), 3, b.random.chance(20) ? 2 : 1, channels());
  x = activate(b, convolve(normAndActivate(y), randomChannels(), 1));
}

/// Convolutions of the same data, and perhaps the data, one after another along
/// the channels.
void ConvNetwork::appendBranches() {
  std::vector<int> parts;
  if (b.random.chance(40))
    parts.push_back(x);
  for (int64_t n = b.random.between(1, 3); n > 0; --n) {
    int y = convolve(x, b.random.pick<int64_t>({1, 5, 8, 16}),
                     b.random.pick<int64_t>({1, 1, 3}));
    parts.push_back(b.random.chance(50) ? activate(b, y) : y);
  }
  if (parts.size() == 1)
    parts.push_back(x);
  x = concat(b, std::move(parts), axis());
  if (b.random.chance(50))
    x = normAndActivate(x);
}

/// Part of the channels goes through a convolution, the rest past it; then the
/// channels take turns.
void ConvNetwork::appendShuffle() {
  if (channels() % 2 != 0)
    return appendPlain();
  int64_t half = channels() / 2;
  int first = slice(b, x, axis(), 0, half);
  int second = slice(b, x, axis(), half, channels());
  second = activate(b, convolve(second, half, 3));
  int joined = concat(b, {first, second}, axis());
  const Shape whole = b.type(joined).shape;
  Shape split;
  std::vector<int64_t> swapped;
  for (int i = 0; i < whole.rank(); ++i) {
    auto at = static_cast<int64_t>(split.rank());
    swapped.push_back(i == axis() ? at + 1 : at);
    split.push_back(i == axis() ? 2 : whole[i]);
    if (i != axis())
      continue;
    swapped.push_back(at);
    split.push_back(half);
  }
  x = transpose(b, reshape(b, joined, split), swapped);
  x = reshape(b, x, whole);
}

/// The mean of each channel, through two products, scales the channel.
void ConvNetwork::appendGate() {
  int64_t width = b.random.between(1, 9), count = channels();
  DType dtype = b.type(x).dtype;
  int mean = reduceKept(b, fb::ReduceKind::mean, x, spatialDims());
  Shape kept = b.type(mean).shape;
  int y = reshape(b, mean, {kept[0], count});
  y = matmul(
      b, {}, y,
      b.pickWeights({dtype, {count, width}}, static_cast<double>(count)));
  y = activate(b, y);
  y = matmul(
      b, {}, y,
      b.pickWeights({dtype, {width, count}}, static_cast<double>(width)));
  y = b.op(OpKind::sigmoid, {y}, 1);
  x = mul(b, x, reshape(b, y, kept));
}

void ConvNetwork::appendPool() {
  fb::PoolAttrsT attrs;
  int64_t window = b.random.between(2, 3);
  for (int64_t dim : spatialDims())
    if (b.type(x).shape[static_cast<int>(dim)] < window)
      return;
  attrs.layout = layout();
  attrs.window.assign(rank, window);
  attrs.strides.assign(rank, b.random.between(1, 2));
  attrs.pad_low.assign(rank, b.random.below(2));
  attrs.pad_high.assign(rank, b.random.below(2));
  attrs.dilations.assign(rank, 1);
  bool isMean = b.random.chance(50);
  attrs.count_include_pad = isMean && b.random.chance(50);
  x = pool(b, isMean ? OpKind::avg_pool : OpKind::max_pool, std::move(attrs),
           x);
}

void ConvNetwork::appendLayoutChange() {
  std::vector<int64_t> permutation = {0};
  if (channelsLast)
    permutation.push_back(axis());
  for (int64_t dim : spatialDims())
    permutation.push_back(dim);
  if (!channelsLast)
    permutation.push_back(axis());
  x = transpose(b, x, std::move(permutation));
  channelsLast = !channelsLast;
}

/// Means of channels, or all there is, to a few classes.
void ConvNetwork::appendHead() {
  if (b.random.chance(60))
    x = reduceKept(b, fb::ReduceKind::mean, x, spatialDims());
  const Shape shape = b.type(x).shape;
  int64_t features = shape.numElements() / shape[0];
  DType dtype = b.type(x).dtype;
  x = reshape(b, x, {shape[0], features});
  x = matmul(b, {}, x,
             b.pickWeights({dtype, {features, b.random.between(1, 17)}},
                           static_cast<double>(features)));
  x = softmaxByOps(b, b.tamed(x), {1});
}

void ConvNetwork::append() {
  static void (ConvNetwork::*const blocks[])() = {
      &ConvNetwork::appendPlain,       &ConvNetwork::appendPreActivation,
      &ConvNetwork::appendResidual,    &ConvNetwork::appendSeparable,
      &ConvNetwork::appendBranches,    &ConvNetwork::appendShuffle,
      &ConvNetwork::appendGate,        &ConvNetwork::appendPool,
      &ConvNetwork::appendPool,        &ConvNetwork::appendLayoutChange,
      &ConvNetwork::appendLayoutChange};
  for (int64_t n = b.random.between(1, 4); n > 0; --n) {
    (this->*blocks[b.random.below(std::size(blocks))])();
    if (b.random.chance(20))
      b.keep(x);
  }
  if (b.random.chance(25))
    appendHead();
}

namespace {

/// [batch, length, width] to the heads of one projection,
/// [batch, heads, length, width / heads].
int projectToHeads(GraphBuilder &b, int x, int64_t heads) {
  const TensorType type = b.type(x);
  int64_t width = type.shape[2];
  int y = matmul(
      b, {}, x,
      b.pickWeights({type.dtype, {width, width}}, static_cast<double>(width)));
  if (b.random.chance(40))
    y = add(b, y, b.input({type.dtype, {width}}));
  y = reshape(b, y, {type.shape[0], type.shape[1], heads, width / heads});
  return transpose(b, y, {0, 2, 1, 3});
}

int attend(GraphBuilder &b, int x, int64_t heads) {
  const TensorType type = b.type(x);
  int q = projectToHeads(b, x, heads), k = projectToHeads(b, x, heads);
  int v = projectToHeads(b, x, heads);
  fb::MatmulAttrsT toKeys;
  toKeys.transpose_rhs = true;
  int scores = matmul(b, toKeys, q, k);
  scores = mul(b, scores, b.constant({type.dtype, Shape{}}, 0.25));
  int y = matmul(b, {}, softmaxByOps(b, b.tamed(scores), {3}), v);
  return reshape(b, transpose(b, y, {0, 2, 1, 3}), type.shape);
}

/// Two products with an activation between them.
int feedForward(GraphBuilder &b, int x) {
  const TensorType type = b.type(x);
  int64_t width = type.shape[2], inner = b.random.pick<int64_t>({7, 32, 65});
  int y = matmul(
      b, {}, x,
      b.pickWeights({type.dtype, {width, inner}}, static_cast<double>(width)));
  return matmul(
      b, {}, activate(b, y),
      b.pickWeights({type.dtype, {inner, width}}, static_cast<double>(inner)));
}

/// A transformer's block, norms before or after each half.
void appendAttention(GraphBuilder &b) {
  int64_t heads = b.random.between(1, 3);
  int64_t width = heads * b.random.pick<int64_t>({3, 8, 16});
  int64_t length = b.random.pick<int64_t>({1, 5, 16, 17, 31});
  DType dtype = b.random.chance(75) ? DType::f32 : DType::bf16;
  int x = b.pickOfType({dtype, {b.random.between(1, 2), length, width}});
  bool isNormFirst = b.random.chance(50);
  auto withShortcut = [&](auto half) {
    int from = isNormFirst ? normalize(b, x, {2}) : x;
    x = b.tamed(add(b, x, half(from)), 4);
    if (!isNormFirst)
      x = normalize(b, x, {2});
  };
  withShortcut([&](int from) { return attend(b, from, heads); });
  if (b.random.chance(50))
    withShortcut([&](int from) { return feedForward(b, from); });
}

} // namespace

void fuzz::appendNetwork(GraphBuilder &b) {
  if (b.random.chance(75))
    ConvNetwork(b).append();
  else
    appendAttention(b);
}
