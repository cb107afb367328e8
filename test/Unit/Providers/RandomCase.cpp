//===- RandomCase.cpp - Random ops with random attributes -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <algorithm>
#include <numeric>

using namespace tandem;
using namespace tandem::test;

namespace {
/// The dice, and what they make.
class Maker {
public:
  Maker(OpKind kind, DType dtype, std::mt19937_64 &rng)
      : kind(kind), dtype(dtype), rng(rng) {}

  std::optional<Case> make();

private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng);
  }
  bool coin() { return pick(0, 1); }
  /// The result type of a cast or a bitcast.
  DType resultType() {
    while (true)
      if (const DType to = kDTypes[pick(0, std::size(kDTypes) - 1)];
          kind == OpKind::cast || (byteWidth(to) == byteWidth(dtype) &&
                                   isNumber(to) == isNumber(dtype)))
        return to;
  }
  Shape shape(int minRank = 0, int maxRank = 4) {
    Shape result;
    const int rank = pick(minRank, maxRank);
    for (int i = 0; i < rank; ++i)
      result.push_back(pick(0, 3) == 0 ? 1 : pick(1, coin() ? 7 : 40));
    while (rank && result.numElements() > 20000)
      result[pick(0, rank - 1)] = 1;
    return result;
  }
  Tensor tensor(const Shape &shape, DType type) {
    Tensor result = emptyTensor({type, shape});
    fillRandom(result, rng());
    // Small integers are there, too: products and shifts of others are lost.
    if (isInteger(type) && coin())
      for (int64_t i = 0; i < result.bytes(); ++i)
        result.as<uint8_t>()[i] = rng();
    return result;
  }
  Tensor tensor(const Shape &shape) { return tensor(shape, dtype); }
  /// Whether operands are of 8 bits, and their products may be summed in i32.
  bool areBytes() const { return dtype == DType::ui8 || dtype == DType::i8; }
  /// A shape that broadcasts into `full`.
  Shape narrower(const Shape &full) {
    const int rank = pick(0, 2) ? full.rank() : pick(0, full.rank());
    Shape result(full.span().last(rank));
    for (int i = 0; i < rank; ++i)
      if (pick(0, 2) == 0)
        result[i] = 1;
    return result;
  }
  std::vector<int64_t> list(int n, int64_t low, int64_t high) {
    std::vector<int64_t> values;
    for (int i = 0; i < n; ++i)
      values.push_back(pick(low, high));
    return values;
  }
  std::vector<int64_t> permutation(int rank) {
    std::vector<int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), rng);
    return order;
  }

  Case elementwise(int operands);
  Case slice();
  Case pad();
  Case concat();
  Case gather();
  Case scatter();
  Case topk();
  Case sort();
  Case scan();
  Case fft();
  Tensor indicesInto(int64_t size);
  Case broadcast();
  /// The layouts and groups of a convolution; its other attributes are missing.
  fb::ConvAttrsT layoutsAndGroups(int rank);
  Case conv();
  Case convBackwardData();
  Case convBackwardWeights();
  Case matmul();
  Case pool();
  Case poolBackward();
  Case resize();
  Case reduce();
  Case moments();
  Case random();
  Case batchNorm();
  Case layerNorm();
  Case layerNormBackward();
  std::string layout(std::string letters);
  Tensor laidOut(const std::string &layout, int64_t first, int64_t second,
                 const std::vector<int64_t> &spatial, char firstLetter,
                 char secondLetter);

  OpKind kind;
  DType dtype;
  std::mt19937_64 &rng;
};
} // namespace

Case Maker::elementwise(int count) {
  const Shape full = shape();
  Case c;
  for (int i = 0; i < count; ++i)
    c.operands.push_back(
        tensor(i == count - 1 ? full : narrower(full),
               kind == OpKind::select && i == 0 ? DType::i1 : dtype));
  std::shuffle(c.operands.begin() + (kind == OpKind::select), c.operands.end(),
               rng);
  c.op = makeOp(kind);
  if (getOpInfo(kind).attrs == fb::OpAttrs::GeluAttrs)
    c.op = makeOp(kind, fb::GeluAttrsT{{}, coin()});
  if (kind == OpKind::cast || kind == OpKind::bitcast)
    c.op = makeOp(kind, fb::CastAttrsT{{}, resultType()});
  if (kind == OpKind::compare)
    c.op =
        makeOp(kind, fb::CompareAttrsT{{}, fb::ComparePredicate(pick(0, 5))});
  return c;
}

Case Maker::slice() {
  const Shape from = shape(1);
  fb::SliceAttrsT attrs;
  for (int64_t dim : from) {
    const int64_t start = pick(0, dim - 1), limit = pick(start + 1, dim);
    attrs.starts.push_back(coin() ? start : start - dim);
    attrs.limits.push_back(limit == dim && coin() ? dim + 5 : limit);
    attrs.strides.push_back(coin() ? 1 : pick(1, 3));
  }
  return {makeOp(kind, attrs), {tensor(from)}};
}

Case Maker::pad() {
  const Shape from = shape(1, 3);
  fb::PadAttrsT attrs;
  attrs.low = list(from.rank(), 0, 3);
  attrs.high = list(from.rank(), 0, 3);
  attrs.interior = list(from.rank(), 0, coin() ? 0 : 2);
  attrs.value = pick(-2, 2) * 0.5;
  return {makeOp(kind, attrs), {tensor(from)}};
}

Case Maker::concat() {
  Shape one = shape(1);
  const int axis = pick(0, one.rank() - 1);
  Case c{makeOp(kind, fb::AxisAttrsT{{}, axis}), {}};
  for (int i = pick(1, 4); i > 0; --i) {
    one[axis] = pick(0, 5);
    c.operands.push_back(tensor(one));
  }
  return c;
}

/// Some are out of range.
Tensor Maker::indicesInto(int64_t size) {
  Tensor indices = tensor(shape(0, 2), coin() ? DType::i32 : DType::i64);
  for (int64_t i = 0; i < indices.shape().numElements(); ++i)
    if (indices.dtype() == DType::i32)
      indices.as<int32_t>()[i] = pick(-1, size);
    else
      indices.as<int64_t>()[i] = pick(-1, size);
  return indices;
}

Case Maker::gather() {
  const Shape from = shape(1, 3);
  const int axis = pick(0, from.rank() - 1);
  return {makeOp(kind, fb::GatherAttrsT{{}, axis}),
          {tensor(from), indicesInto(from[axis])}};
}

Case Maker::scatter() {
  const Shape to = shape(1, 3);
  const int axis = pick(0, to.rank() - 1);
  const Tensor indices = indicesInto(to[axis]);
  Shape updates(to.span().first(axis));
  for (int64_t dim : indices.shape())
    updates.push_back(dim);
  for (int64_t dim : to.span().subspan(axis + 1))
    updates.push_back(dim);
  const auto how = fb::ScatterKind(dtype == DType::i1 ? 0 : pick(0, 4));
  return {makeOp(kind, fb::ScatterAttrsT{{}, axis, how}),
          {tensor(to), indices, tensor(updates)}};
}

Case Maker::topk() {
  const Shape from = shape(1);
  const int axis = pick(0, from.rank() - 1);
  const int64_t k = coin() ? from[axis] : pick(0, from[axis]);
  return {makeOp(kind, fb::TopKAttrsT{{}, axis, k, coin()}), {tensor(from)}};
}

Case Maker::sort() {
  const Shape from = shape(1);
  const int axis = pick(0, from.rank() - 1);
  return {makeOp(kind, fb::SortAttrsT{{}, axis, coin()}), {tensor(from)}};
}

Case Maker::scan() {
  const Shape from = shape(1);
  const int axis = pick(0, from.rank() - 1);
  const auto how = fb::ScanKind(pick(0, isFloat(dtype) ? 4 : 3));
  return {makeOp(kind, fb::ScanAttrsT{{}, axis, how, coin(), coin()}),
          {tensor(from)}};
}

Case Maker::fft() {
  const auto how = fb::FFTKind(pick(0, 3));
  Shape from = shape(1, 3);
  const int axis = pick(0, from.rank() - 1);
  const int64_t size = pick(1, coin() ? 12 : 70);
  const bool isHalf = how == fb::FFTKind::irfft;
  from[axis] = isHalf ? size / 2 + 1 : size;
  if (how != fb::FFTKind::rfft)
    from.push_back(2);
  return {makeOp(kind, fb::FFTAttrsT{{}, axis, how, isHalf ? size : 0}),
          {tensor(from)}};
}

Case Maker::broadcast() {
  const Shape to = shape(1);
  fb::BroadcastAttrsT attrs;
  attrs.shape.assign(to.begin(), to.end());
  Shape from;
  for (int dim = 0; dim < to.rank(); ++dim)
    if (coin()) {
      attrs.dims.push_back(dim);
      from.push_back(coin() ? 1 : to[dim]);
    }
  return {makeOp(kind, attrs), {tensor(from)}};
}

/// Mostly a usual layout, channels first or last; sometimes any.
std::string Maker::layout(std::string letters) {
  if (pick(0, 3) == 0) {
    std::shuffle(letters.begin(), letters.end(), rng);
    return letters;
  }
  if (coin())
    return letters;
  if (letters[0] == 'O')
    return letters.substr(2) + "IO";
  return "N" + letters.substr(2) + "C";
}

Tensor Maker::laidOut(const std::string &layout, int64_t first, int64_t second,
                      const std::vector<int64_t> &spatial, char firstLetter,
                      char secondLetter) {
  const std::string letters = std::string("DHW").substr(3 - spatial.size());
  Shape result;
  for (char letter : layout)
    result.push_back(letter == firstLetter    ? first
                     : letter == secondLetter ? second
                                              : spatial[letters.find(letter)]);
  return tensor(result);
}

fb::ConvAttrsT Maker::layoutsAndGroups(int rank) {
  const std::string spatial = std::string("DHW").substr(3 - rank);
  fb::ConvAttrsT attrs;
  attrs.input_layout = layout("NC" + spatial);
  attrs.kernel_layout = layout("OI" + spatial);
  attrs.output_layout = coin() ? attrs.input_layout : layout("NC" + spatial);
  attrs.groups = pick(0, 2) == 0 ? pick(1, 3) : 1;
  return attrs;
}

Case Maker::conv() {
  const int rank = pick(1, 3);
  fb::ConvAttrsT attrs = layoutsAndGroups(rank);
  const int64_t in = pick(1, coin() ? 3 : 20), out = pick(1, coin() ? 4 : 20);
  const auto window = list(rank, 1, 3);
  attrs.strides = list(rank, 1, 2);
  attrs.dilations = list(rank, 1, coin() ? 1 : 2);
  attrs.pad_low = list(rank, 0, 2);
  attrs.pad_high = list(rank, 0, 2);
  const auto image = list(rank, 5, rank == 1 ? 40 : 9);
  Case c{
      makeOp(kind, attrs),
      {laidOut(attrs.input_layout, pick(1, 3), in * attrs.groups, image, 'N',
               'C'),
       laidOut(attrs.kernel_layout, out * attrs.groups, in, window, 'O', 'I')}};
  if (areBytes())
    c.operands[1] = tensor(c.operands[1].shape(), DType::i8);
  else if (coin())
    c.operands.push_back(tensor({out * attrs.groups}));
  return c;
}

Case Maker::convBackwardData() {
  const int rank = pick(1, 3);
  fb::ConvAttrsT attrs = layoutsAndGroups(rank);
  const int64_t in = pick(1, coin() ? 3 : 20), out = pick(1, coin() ? 4 : 20);
  const auto window = list(rank, 1, rank == 1 ? 7 : 4);
  attrs.strides = list(rank, 1, 3);
  attrs.dilations = list(rank, 1, coin() ? 1 : 3);
  attrs.output_padding = list(rank, 0, 4);
  const auto image = list(rank, 1, rank == 1 ? 20 : 5);
  for (int i = 0; i < rank; ++i) {
    const int64_t size = attrs.strides[i] * (image[i] - 1) +
                         attrs.dilations[i] * (window[i] - 1) +
                         attrs.output_padding[i];
    attrs.pad_low.push_back(pick(0, std::min<int64_t>(size, 4)));
    attrs.pad_high.push_back(
        pick(0, std::min<int64_t>(size - attrs.pad_low[i], 4)));
  }
  Case c{
      makeOp(kind, attrs),
      {laidOut(attrs.input_layout, pick(1, 3), in * attrs.groups, image, 'N',
               'C'),
       laidOut(attrs.kernel_layout, in * attrs.groups, out, window, 'O', 'I')}};
  if (coin())
    c.operands.push_back(tensor({out * attrs.groups}));
  return c;
}

Case Maker::convBackwardWeights() {
  const int rank = pick(1, 3);
  fb::ConvAttrsT attrs = layoutsAndGroups(rank);
  const int64_t in = pick(1, coin() ? 3 : 20), out = pick(1, coin() ? 4 : 20),
                batch = pick(1, 3);
  attrs.window = list(rank, 1, rank == 1 ? 7 : 3);
  attrs.strides = list(rank, 1, coin() ? 1 : 3);
  attrs.dilations = list(rank, 1, coin() ? 1 : 2);
  attrs.pad_low = list(rank, 0, 2);
  attrs.pad_high = list(rank, 0, 2);
  const auto image = list(rank, 7, rank == 1 ? 40 : 9);
  std::vector<int64_t> positions;
  for (int i = 0; i < rank; ++i) {
    const int64_t extent = attrs.dilations[i] * (attrs.window[i] - 1) + 1;
    int64_t room = image[i] + attrs.pad_low[i] + attrs.pad_high[i] - extent;
    if (room < 0) {
      attrs.pad_high[i] -= room;
      room = 0;
    }
    positions.push_back(room / attrs.strides[i] + 1);
  }
  return {
      makeOp(kind, attrs),
      {laidOut(attrs.input_layout, batch, in * attrs.groups, image, 'N', 'C'),
       laidOut(attrs.output_layout, batch, out * attrs.groups, positions, 'N',
               'C')}};
}

Case Maker::matmul() {
  const int64_t m = pick(1, 40), n = pick(1, 40), k = pick(1, 60);
  fb::MatmulAttrsT attrs;
  attrs.transpose_lhs = coin();
  attrs.transpose_rhs = coin();
  attrs.widen = areBytes() && coin();
  const Shape batch = shape(0, 2);
  Shape lhs = narrower(batch), rhs = coin() ? batch : narrower(batch);
  lhs.push_back(attrs.transpose_lhs ? k : m);
  lhs.push_back(attrs.transpose_lhs ? m : k);
  rhs.push_back(attrs.transpose_rhs ? n : k);
  rhs.push_back(attrs.transpose_rhs ? k : n);
  if (lhs.numElements() > 40000 || rhs.numElements() > 40000)
    return matmul();
  return {makeOp(kind, attrs),
          {tensor(lhs), tensor(rhs, attrs.widen ? DType::i8 : dtype)}};
}

Case Maker::pool() {
  const int rank = pick(1, 3);
  const std::string spatial = std::string("DHW").substr(3 - rank);
  fb::PoolAttrsT attrs;
  attrs.layout = layout("NC" + spatial);
  attrs.window = list(rank, 1, 3);
  attrs.strides = list(rank, 1, 3);
  attrs.dilations = list(rank, 1, pick(0, 2) ? 1 : 2);
  for (int i = 0; i < rank; ++i) {
    attrs.pad_low.push_back(pick(0, attrs.window[i] - 1));
    attrs.pad_high.push_back(pick(0, attrs.window[i] - 1));
  }
  attrs.count_include_pad = coin();
  const auto image = list(rank, 5, rank == 1 ? 60 : 12);
  return {makeOp(kind, attrs),
          {laidOut(attrs.layout, pick(1, 3), pick(1, 20), image, 'N', 'C')}};
}

/// A gradient for a random pool and, of max_pool, an index, a few of whose
/// numbers are those of taps in padding or of none.
Case Maker::poolBackward() {
  Case c = pool();
  fb::PoolAttrsT &attrs = *c.op.attrs.AsPoolAttrs();
  const std::string letters =
      std::string("DHW").substr(3 - attrs.window.size());
  int64_t taps = 1;
  for (size_t i = 0; i < letters.size(); ++i) {
    const auto dim = static_cast<int>(attrs.layout.find(letters[i]));
    attrs.input_sizes.push_back(c.operands[0].shape()[dim]);
    taps *= attrs.window[i];
  }
  OpDesc forward = c.op;
  forward.kind = OpKind::avg_pool;
  const auto pooled = inferType(forward, typesOf(c.operands));
  if (!pooled)
    return c;
  c.operands = {tensor(pooled->shape)};
  if (kind == OpKind::avg_pool_backward)
    return c;
  std::vector<double> index(pooled->shape.numElements());
  for (double &number : index)
    number = static_cast<double>(pick(0, pick(0, 9) == 0 ? 255 : taps - 1));
  c.operands.push_back(tensorOf(DType::ui8, pooled->shape, index));
  return c;
}

/// Most dims keep their sizes or get a few times larger or smaller.
Case Maker::resize() {
  const Shape from = shape(1, 4);
  fb::ResizeAttrsT attrs;
  attrs.mode = fb::ResizeMode(dtype == DType::i1 ? 0 : pick(0, 2));
  attrs.coordinates = fb::ResizeCoordinates(pick(0, 5));
  attrs.rounding = fb::NearestRounding(pick(0, 3));
  attrs.antialias = pick(0, 2) == 0;
  attrs.exclude_outside = pick(0, 2) == 0;
  attrs.extrapolation_value = pick(-3, 3) / 2.0;
  const bool isCropped =
      attrs.coordinates == fb::ResizeCoordinates::tf_crop_and_resize;
  const int given = pick(0, 2); // Sizes, scales, or both.
  int64_t elements = from.numElements();
  for (int dim = 0; dim < from.rank(); ++dim) {
    if (pick(0, 2) == 0 || elements > 20000)
      continue;
    attrs.dims.push_back(dim);
    const int64_t size =
        coin() ? pick(1, 2 * from[dim]) : pick(1, 3) * from[dim];
    elements = elements / from[dim] * size;
    if (given != 1)
      attrs.sizes.push_back(size);
    if (given != 0)
      attrs.scales.push_back((static_cast<double>(size) + 0.25 * pick(0, 2)) /
                             static_cast<double>(from[dim]));
    if (isCropped) {
      attrs.starts.push_back(pick(-2, 4) / 10.0);
      attrs.ends.push_back(pick(5, 12) / 10.0);
    }
  }
  if (attrs.mode != fb::ResizeMode::nearest && isInteger(dtype) &&
      byteWidth(dtype) == 8) { // Others are rounded to f64.
    Tensor small = tensor(from, isUnsigned(dtype) ? DType::ui32 : DType::i32);
    return {makeOp(kind, attrs), {tensorOf(dtype, from, valuesOf(small))}};
  }
  return {makeOp(kind, attrs), {tensor(from)}};
}

Case Maker::reduce() {
  const Shape from = shape(1);
  fb::ReduceAttrsT attrs;
  attrs.kind = fb::ReduceKind(pick(0, 5));
  attrs.keep_dims = coin();
  attrs.dims = permutation(from.rank());
  attrs.dims.resize(
      attrs.kind == fb::ReduceKind::argmax ? 1 : pick(0, from.rank()));
  return {makeOp(kind, attrs), {tensor(from)}};
}

Case Maker::moments() {
  const Shape from = shape(1);
  fb::MomentsAttrsT attrs;
  attrs.keep_dims = coin();
  attrs.dims = permutation(from.rank());
  attrs.dims.resize(pick(0, from.rank()));
  return {makeOp(kind, attrs), {tensor(from)}};
}

Case Maker::random() {
  const Shape to = shape();
  fb::RandomAttrsT attrs;
  attrs.shape.assign(to.begin(), to.end());
  Case c{makeOp(kind, attrs), {}};
  for (int i = 0; i < 2; ++i) {
    c.operands.push_back(emptyTensor({DType::ui64, {}}));
    *c.operands.back().as<uint64_t>() = coin() ? rng() : ~uint64_t(pick(0, 9));
  }
  return c;
}

Case Maker::batchNorm() {
  const Shape from = shape(1);
  fb::BatchNormAttrsT attrs;
  attrs.axis = pick(0, from.rank() - 1);
  attrs.epsilon = 1e-3;
  const Shape channels{from[attrs.axis]};
  Case c{makeOp(kind, attrs), {tensor(from)}};
  for (int i = 0; i < 3; ++i)
    c.operands.push_back(tensor(channels));
  Tensor variance = tensor(channels);
  std::vector<double> values = valuesOf(variance);
  for (double &value : values)
    value = value * value + 0.1;
  c.operands.push_back(tensorOf(dtype, channels, values));
  return c;
}

Case Maker::layerNorm() {
  const Shape from = shape(1);
  const Shape last(from.span().last(pick(1, from.rank())));
  return {makeOp(kind, fb::LayerNormAttrsT{{}, 0.01}),
          {tensor(from), tensor(last), tensor(last)}};
}

Case Maker::layerNormBackward() {
  const Shape from = shape(1);
  const Shape last(from.span().last(pick(1, from.rank())));
  const TensorType statistics = statisticsType({dtype, from}, last.rank());
  return {makeOp(kind),
          {tensor(from), tensor(from), tensor(last),
           tensor(statistics.shape, statistics.dtype),
           tensor(statistics.shape, statistics.dtype)}};
}

std::optional<Case> Maker::make() {
  switch (kind) {
  case OpKind::reshape: {
    const Shape from = shape();
    fb::ReshapeAttrsT attrs;
    attrs.shape = {from.numElements()};
    return Case{makeOp(kind, attrs), {tensor(from)}};
  }
  case OpKind::transpose: {
    const Shape from = shape(1, 5);
    return Case{makeOp(kind, fb::TransposeAttrsT{{}, permutation(from.rank())}),
                {tensor(from)}};
  }
  case OpKind::iota: {
    const Shape to = shape(1);
    fb::IotaAttrsT attrs;
    attrs.axis = pick(0, to.rank() - 1);
    attrs.type = std::make_unique<fb::TensorTypeT>(toFlat({dtype, to}));
    return Case{makeOp(kind, attrs), {}};
  }
  case OpKind::softmax: {
    const Shape from = shape(1);
    return Case{makeOp(kind, fb::AxisAttrsT{{}, pick(0, from.rank() - 1)}),
                {tensor(from)}};
  }
  case OpKind::softmax_backward: {
    const Shape from = shape(1);
    return Case{makeOp(kind, fb::AxisAttrsT{{}, pick(0, from.rank() - 1)}),
                {tensor(from), tensor(from)}};
  }
  case OpKind::broadcast:
    return broadcast();
  case OpKind::slice:
    return slice();
  case OpKind::pad:
    return pad();
  case OpKind::concat:
    return concat();
  case OpKind::gather:
    return gather();
  case OpKind::scatter:
    return scatter();
  case OpKind::topk:
    return topk();
  case OpKind::sort:
    return sort();
  case OpKind::scan:
    return scan();
  case OpKind::fft:
    return fft();
  case OpKind::conv:
    return conv();
  case OpKind::conv_backward_data:
    return convBackwardData();
  case OpKind::conv_backward_weights:
    return convBackwardWeights();
  case OpKind::matmul:
    return matmul();
  case OpKind::max_pool:
  case OpKind::avg_pool:
  case OpKind::max_pool_with_index:
    return pool();
  case OpKind::max_pool_backward:
  case OpKind::avg_pool_backward:
    return poolBackward();
  case OpKind::resize:
    return resize();
  case OpKind::reduce:
    return reduce();
  case OpKind::moments:
    return moments();
  case OpKind::random:
    return random();
  case OpKind::batch_norm:
    return batchNorm();
  case OpKind::layer_norm:
    return layerNorm();
  case OpKind::layer_norm_backward:
    return layerNormBackward();
  default:
    return elementwise(getOpInfo(kind).minOperands);
  }
}

std::optional<Case> test::randomCase(OpKind kind, DType dtype,
                                     std::mt19937_64 &rng) {
  if (kind == OpKind::custom_call)
    return std::nullopt;
  std::optional<Case> c = Maker(kind, dtype, rng).make();
  const std::vector<TensorType> types = typesOf(c->operands);
  return inferType(c->op, types) ? c : std::nullopt;
}
