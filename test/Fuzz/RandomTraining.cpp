//===- RandomTraining.cpp - Random ops of training steps ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pools with indices, gradients of pools, moments, layer norms, random words
// and stop_gradient.
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

OpDesc describeOp(OpKind kind) {
  OpDesc desc;
  desc.kind = kind;
  return desc;
}

template <typename Attrs> OpDesc describeOp(OpKind kind, Attrs attrs) {
  OpDesc desc;
  desc.kind = kind;
  desc.attrs.Set(std::move(attrs));
  return desc;
}

/// Appends the gradient of a pool. Each element lies in at most as many windows
/// as a window has elements.
void appendGradient(GraphBuilder &b, OpKind kind, fb::PoolAttrsT attrs,
                    const std::vector<int64_t> &sizes,
                    std::vector<int> operands) {
  double windows = 1;
  for (int64_t window : attrs.window)
    windows *= static_cast<double>(window);
  attrs.input_sizes = sizes;
  const double magnitude = b.node(operands[0]).magnitude * windows;
  b.op(describeOp(kind, std::move(attrs)), std::move(operands), magnitude);
}

void appendMoments(GraphBuilder &b) {
  const int x = b.pickFloat(1, 5);
  fb::MomentsAttrsT attrs;
  attrs.keep_dims = b.random.chance(40);
  for (int i = 0; i < b.type(x).shape.rank(); ++i)
    if (b.random.chance(60))
      attrs.dims.push_back(i);
  const double magnitude = b.node(x).magnitude;
  const bool isMean = b.random.chance(50);
  if (isMean || magnitude < 30)
    b.op(describeOp(OpKind::moments, std::move(attrs)), {x},
         isMean ? magnitude : magnitude * magnitude, isMean ? 0 : 1);
}

/// A layer norm, its mean, or its gradients. A line of n elements has elements
/// up to sqrt(n) after normalization.
void appendLayerNorm(GraphBuilder &b) {
  const int x = b.tamed(b.pickFloat(1, 4));
  const TensorType type = b.type(x);
  const auto count = static_cast<int>(1 + b.random.below(type.shape.rank()));
  const TensorType last{type.dtype, Shape(type.shape.span().last(count))};
  const int scale = b.randomConstant(last, 1), offset = b.pickOfType(last);
  const auto size = static_cast<double>(last.shape.numElements());
  const OpDesc norm =
      describeOp(OpKind::layer_norm, fb::LayerNormAttrsT{{}, 0.1});
  const int64_t choice = b.random.below(10);
  if (choice < 1) {
    b.op(norm, {x, scale, offset}, b.node(x).magnitude, 1);
    return;
  }
  if (choice < 6) {
    b.op(norm, {x, scale, offset}, std::sqrt(size) + b.node(offset).magnitude);
    return;
  }
  const int mean = b.op(norm, {x, scale, offset}, b.node(x).magnitude, 1),
            inverse = b.op(norm, {x, scale, offset}, 4, 2);
  const int g = b.tamed(b.input(type), 4);
  const double lines =
      static_cast<double>(type.shape.numElements()) / std::max(size, 1.0);
  const size_t result = b.random.below(3);
  b.op(describeOp(OpKind::layer_norm_backward), {g, x, scale, mean, inverse},
       result == 0 ? 4 * 4 * (2 + size) : 4 * std::sqrt(size) * lines, result);
}

/// A number in [0, 1) from the upper bits of a word: the words are added to
/// nothing that could overflow.
void appendRandom(GraphBuilder &b) {
  const int key = b.input({DType::ui64, {}}),
            counter = b.input({DType::ui64, {}});
  fb::RandomAttrsT attrs;
  const Shape shape = b.randomShape(0, 4);
  attrs.shape.assign(shape.begin(), shape.end());
  const int words = b.op(describeOp(OpKind::random, std::move(attrs)),
                         {key, counter}, 0x1p32);
  const int shift = b.constant({DType::ui32, {}}, 8);
  const int bits = b.op(OpKind::shift_right, {words, shift}, 0x1p24);
  fb::CastAttrsT cast;
  cast.dtype = DType::f32;
  const int number = b.op(describeOp(OpKind::cast, cast), {bits}, 0x1p24);
  b.op(OpKind::mul, {number, b.constant({DType::f32, {}}, 0x1p-24)}, 1);
}

} // namespace

void fuzz::avgPoolGradient(GraphBuilder &b, fb::PoolAttrsT attrs,
                           const std::vector<int64_t> &sizes, int x) {
  const int y = pool(b, OpKind::avg_pool, attrs, x);
  appendGradient(b, OpKind::avg_pool_backward, std::move(attrs), sizes, {y});
}

void fuzz::indexedPool(GraphBuilder &b, fb::PoolAttrsT attrs,
                       const std::vector<int64_t> &sizes, int x) {
  const OpDesc forward = describeOp(OpKind::max_pool_with_index, attrs);
  const int y = b.op(forward, {x}, b.node(x).magnitude, 0);
  if (b.random.chance(40))
    return;
  const int index = b.op(forward, {b.input(b.type(x))}, 255, 1);
  appendGradient(b, OpKind::max_pool_backward, std::move(attrs), sizes,
                 {y, index});
}

void fuzz::appendTrainingOp(GraphBuilder &b) {
  const int64_t choice = b.random.below(13);
  if (choice >= 10)
    return appendLayerNorm(b);
  if (choice < 6)
    return appendMoments(b);
  if (choice < 9)
    return appendRandom(b);
  const int x = b.pickFloat();
  b.op(OpKind::stop_gradient, {x}, b.node(x).magnitude);
}
