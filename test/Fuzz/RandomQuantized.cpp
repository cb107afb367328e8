//===- RandomQuantized.cpp - Random layers of quantized numbers -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers as quantizers make them: integers of 8 bits are multiplied, the sums
// become f32, are scaled, rounded, and become integers of 8 bits again.
//
// A scale is a power of two, and half of the distance between two scaled sums
// is added before they are rounded. So no number is halfway between two
// integers, and every execution must round it to the same one.
//
//===----------------------------------------------------------------------===//

#include "RandomWindows.h"

#include <cmath>
#include <numeric>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

/// The largest magnitude of an integer of 8 bits.
double mostOf(DType dtype) { return dtype == DType::ui8 ? 255 : 128; }

int bitcast(GraphBuilder &b, int x, DType dtype) {
  fb::CastAttrsT attrs;
  attrs.dtype = dtype;
  OpDesc desc;
  desc.kind = OpKind::bitcast;
  desc.attrs.Set(attrs);
  return b.op(std::move(desc), {x}, mostOf(dtype));
}

/// Integers of the whole range: 32 x + 4 y, or 3 more, for inputs x and y in
/// [0, 8).
int inputBytes(GraphBuilder &b, const TensorType &type) {
  const TensorType whole{DType::ui8, type.shape};
  const auto scalar = [&](double value) {
    return b.constant({DType::ui8, Shape{}}, value);
  };
  int x = mul(b, b.input(whole), scalar(32));
  x = add(b, x, mul(b, b.input(whole), scalar(4)));
  if (b.random.chance(50))
    x = add(b, x, scalar(3));
  return type.dtype == DType::ui8 ? x : bitcast(b, x, type.dtype);
}

/// An existing value, or a new one.
int pickBytes(GraphBuilder &b, const TensorType &type) {
  for (int i = 0; i < std::ssize(b.graph.nodes); ++i)
    if (b.type(i) == type && b.node(i).isExact && b.random.chance(50))
      return i;
  return inputBytes(b, type);
}

/// Weights of i8, most often constant.
int pickByteWeights(GraphBuilder &b, const Shape &shape) {
  constexpr int64_t kMaxElements = 1 << 14; // Constants are printed.
  if (shape.numElements() > kMaxElements || b.random.chance(25))
    return inputBytes(b, {DType::i8, shape});
  // Products of 2^7 and multiples of 2^-7 are integers in [-128, 128).
  return cast(b, b.randomConstant({DType::f32, shape}, 128), DType::i8);
}

/// The sums less what a zero point of the data adds to them. `dim` is that of
/// the outputs in the weights, `axis` in the sums.
int subtractZeroPoint(GraphBuilder &b, int sums, int weights, int dim,
                      int axis) {
  const Shape shape = b.type(weights).shape;
  std::vector<int64_t> others;
  for (int i = 0; i < shape.rank(); ++i)
    if (i != dim)
      others.push_back(i);
  Shape channels;
  for (int i = 0; i < b.type(sums).shape.rank(); ++i)
    channels.push_back(i == axis ? shape[dim] : 1);
  int total =
      reduceKept(b, fb::ReduceKind::sum, cast(b, weights, DType::i32), others);
  total = reshape(b, total, channels);
  int zero = b.constant({DType::i32, Shape{}},
                        static_cast<double>(b.random.between(1, 255)));
  return sub(b, sums, mul(b, total, zero));
}

/// Scales sums of `length` products, and rounds them to integers of 8 bits.
int requantize(GraphBuilder &b, int sums, double length, int axis) {
  const auto scalar = [&](double value) {
    return b.constant({DType::f32, Shape{}}, value);
  };
  // The sums of random products are about sqrt(length) times 2^13.
  const double scale = std::exp2(-std::ceil(std::log2(length) / 2) -
                                 static_cast<double>(b.random.between(5, 8)));
  int x = mul(b, cast(b, sums, DType::f32), scalar(scale));
  x = add(b, x, scalar(scale / 2));
  if (b.random.chance(50)) {
    Shape channels;
    for (int i = 0; i < b.type(sums).shape.rank(); ++i)
      channels.push_back(i == axis ? b.type(sums).shape[i] : 1);
    // Multiples of 2 * scale.
    x = add(b, x, b.randomConstant({DType::f32, channels}, scale * 256));
  }
  if (b.random.chance(30))
    x = b.op(OpKind::relu, {x}, b.node(x).magnitude);
  x = b.op(OpKind::round, {x}, b.node(x).magnitude);
  const DType dtype = b.random.pick({DType::ui8, DType::i8});
  x = add(b, x,
          scalar(static_cast<double>(dtype == DType::ui8
                                         ? b.random.between(0, 255)
                                         : b.random.between(-128, 127))));
  x = cast(b, x, dtype);
  Node &last = b.graph.nodes.back();
  last.magnitude = mostOf(dtype);
  last.isExact = true;
  return x;
}

/// Looks |x - c| up in a table, for a random number c; in i8, this is less 128.
/// Neighbors in the table differ by 1. If they differed by more, error bounds
/// would be larger, because they do not know that `x` is exact.
int lookUp(GraphBuilder &b, int x) {
  const auto scalar = [&](int64_t value) {
    return b.constant({DType::i64, Shape{}}, static_cast<double>(value));
  };
  const DType dtype = b.random.pick({DType::ui8, DType::i8});
  int table = sub(b, b.blockIndices(256, 1), scalar(b.random.between(0, 255)));
  table = b.op(OpKind::abs, {table}, 255);
  if (dtype == DType::i8)
    table = sub(b, table, scalar(128));
  table = cast(b, table, dtype);
  if (b.type(x).dtype == DType::i8)
    x = bitcast(b, x, DType::ui8);
  return gather(b, table, cast(b, x, DType::i32), 0);
}

/// Adds the ops of the epilogue to the sums, and returns integers of 8 bits.
int finish(GraphBuilder &b, int sums, int weights, int dim, int axis) {
  const Shape &shape = b.type(weights).shape;
  const auto length = static_cast<double>(shape.numElements() / shape[dim]);
  if (b.random.chance(40))
    sums = subtractZeroPoint(b, sums, weights, dim, axis);
  if (b.random.chance(10))
    b.keep(sums);
  const int x = requantize(b, sums, length, axis);
  return b.random.chance(25) ? lookUp(b, x) : x;
}

DType randomData(GraphBuilder &b) {
  return b.random.pick({DType::ui8, DType::ui8, DType::i8});
}

void appendConvolution(GraphBuilder &b) {
  const size_t rank = b.random.pick<size_t>({1, 2, 2, 2, 3});
  const Windows w = randomWindows(b, rank);
  const Channels c = randomChannels(b, rank);
  fb::ConvAttrsT attrs;
  setRandomLayouts(b, rank, attrs);
  attrs.groups = c.groups;
  setWindows(w, attrs);
  const Shape data = arrange(attrs.input_layout, b.random.between(1, 3), 'N',
                             c.inputs * c.groups, w.input);
  const int x = pickBytes(b, {randomData(b), data});
  const int kernel = pickByteWeights(
      b, arrange(attrs.kernel_layout, c.outputs, 'O', c.inputs, w.window));
  const int sums = conv(b, attrs, x, kernel);
  finish(b, sums, kernel, static_cast<int>(attrs.kernel_layout.find('O')),
         static_cast<int>(attrs.output_layout.find('C')));
}

/// One to three products, one after another.
void appendProducts(GraphBuilder &b) {
  const int64_t rows = b.isLarge ? b.random.between(50, 400) : b.randomWidth();
  int64_t inputs = b.randomWidth();
  Shape data = b.random.chance(30) ? Shape{b.random.between(1, 3), rows, inputs}
                                   : Shape{rows, inputs};
  int x = pickBytes(b, {randomData(b), data});
  for (int64_t n = b.random.between(1, 3); n > 0; --n) {
    fb::MatmulAttrsT attrs;
    attrs.widen = true;
    attrs.transpose_rhs = b.random.chance(30);
    const int64_t outputs = b.randomWidth();
    const int weights =
        pickByteWeights(b, attrs.transpose_rhs ? Shape{outputs, inputs}
                                               : Shape{inputs, outputs});
    const int sums = matmul(b, attrs, x, weights);
    x = finish(b, sums, weights, attrs.transpose_rhs ? 0 : 1,
               b.type(sums).shape.rank() - 1);
    inputs = outputs;
  }
}

/// A product of two tensors that are both computed, of every batch.
void appendBatches(GraphBuilder &b) {
  const int64_t m = b.randomWidth(), n = b.randomWidth(), k = b.randomWidth(),
                batch = b.random.between(1, 3);
  fb::MatmulAttrsT attrs;
  attrs.widen = true;
  attrs.transpose_lhs = b.random.chance(50);
  attrs.transpose_rhs = b.random.chance(50);
  const Shape lhs =
                  attrs.transpose_lhs ? Shape{batch, k, m} : Shape{batch, m, k},
              rhs =
                  attrs.transpose_rhs ? Shape{batch, n, k} : Shape{batch, k, n};
  const int x = pickBytes(b, {randomData(b), lhs});
  const int y = pickBytes(b, {DType::i8, rhs});
  requantize(b, matmul(b, attrs, x, y), static_cast<double>(k), 2);
}

/// Scales of weights with `inputs` inputs, of which dim `dim` is that of the
/// inputs: one for each output, or one for each output and block of inputs.
int randomScales(GraphBuilder &b, const Shape &weights, int dim) {
  const int64_t inputs = weights[dim];
  const int64_t block =
      b.random.chance(50) ? inputs : b.random.between(1, inputs);
  Shape shape = weights;
  shape[dim] = (inputs + block - 1) / block;
  // Sums of products are then no greater than the data.
  const double scale =
      std::exp2(-7 - std::ceil(std::log2(static_cast<double>(inputs))));
  const int scales = b.randomConstant({DType::f32, shape}, scale);
  return block == inputs
             ? scales
             : gather(b, scales, b.blockIndices(inputs, block), dim);
}

/// A product in f32 with weights that are integers, less a zero point, times
/// scales.
void appendScaledWeights(GraphBuilder &b) {
  const int64_t rows = b.random.chance(50) ? 1 : b.randomWidth();
  // Tiles with pairs of integers have at least two vectors of outputs.
  const int64_t inputs = b.randomWidth(),
                outputs = b.random.chance(50) ? b.randomWidth()
                                              : b.random.between(17, 130);
  fb::MatmulAttrsT attrs;
  attrs.transpose_rhs = b.random.chance(50);
  const Shape shape =
      attrs.transpose_rhs ? Shape{outputs, inputs} : Shape{inputs, outputs};
  int weights = pickByteWeights(b, shape);
  // Integers of 4 bits, two of which may be in a byte.
  const bool areNarrow = b.random.chance(50);
  if (areNarrow)
    weights = b.op(OpKind::bitwise_and,
                   {weights, b.constant({DType::i8, Shape{}}, 15)}, 15);
  weights = cast(b, weights, DType::f32);
  const int64_t zeroPoint = areNarrow ? 8 : b.random.between(-8, 8);
  if (areNarrow || b.random.chance(50))
    weights =
        sub(b, weights,
            b.constant({DType::f32, Shape{}}, static_cast<double>(zeroPoint)));
  weights =
      mul(b, weights, randomScales(b, shape, attrs.transpose_rhs ? 1 : 0));
  const int x = b.pickOfType({DType::f32, Shape{rows, inputs}});
  const int product = matmul(b, attrs, x, weights);
  if (b.random.chance(50))
    appendEpilogue(b, product, 1);
}

} // namespace

void fuzz::appendQuantized(GraphBuilder &b) {
  const int64_t draw = b.random.below(100);
  if (draw < 50)
    appendConvolution(b);
  else if (draw < 80)
    appendProducts(b);
  else if (draw < 90)
    appendScaledWeights(b);
  else
    appendBatches(b);
}
