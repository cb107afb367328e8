//===- RandomPatterns.cpp - Epilogues, softmax and norms in ops -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

using namespace tandem;
using namespace tandem::fuzz;

namespace {

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

void appendSoftmaxByOps(GraphBuilder &b) {
  int x = pickForNorm(b);
  softmaxByOps(b, x, randomDims(b, b.type(x).shape.rank()));
}

/// A norm, times a scale, plus an offset.
void appendNormByOps(GraphBuilder &b) {
  int x = pickForNorm(b);
  const TensorType type = b.type(x);
  int y = normalize(b, x, randomDims(b, type.shape.rank()));
  Shape vector{type.shape[type.shape.rank() - 1]};
  if (b.random.chance(60))
    y = mul(b, y, b.input({type.dtype, vector}));
  if (b.random.chance(60))
    add(b, y, b.input({type.dtype, vector}));
}

/// Reductions by rows, by columns and so on, of the same values, of what was
/// made of them and of one another, each read by elementwise ops after it.
void appendReductionsInSequence(GraphBuilder &b) {
  using fb::ReduceKind;
  int x = pickForNorm(b);
  int rank = b.type(x).shape.rank(), y = x;
  for (int64_t n = b.random.between(2, 4); n > 0; --n) {
    int from = b.random.pick({x, y, y});
    auto kind =
        b.random.pick({ReduceKind::mean, ReduceKind::max, ReduceKind::min});
    int reduced = reduceKept(b, kind, from, randomDims(b, rank));
    if (b.random.chance(15))
      b.keep(reduced);
    if (b.random.chance(20))
      reduced = reduceKept(b, ReduceKind::mean, reduced, randomDims(b, rank));
    y = b.random.chance(70) ? sub(b, y, reduced) : mul(b, y, reduced);
  }
}

/// Computes something of the shape of `part`, a flat array.
int computeFromPart(GraphBuilder &b, int part) {
  const TensorType type = b.type(part);
  if (b.random.chance(10))
    return b.constant(type, 0);
  int x = reshape(b, part, {type.shape[0] / 8, 8});
  if (b.random.chance(30))
    x = reduceKept(b, fb::ReduceKind::mean, x, {0});
  x = b.random.chance(60) ? activate(b, x) : x;
  x = add(b, x, b.pickOfType({type.dtype, {type.shape[0] / 8, 8}}));
  if (b.random.chance(10))
    b.keep(x);
  return reshape(b, x, type.shape);
}

/// Parts of a flat array, and an array of what is computed from them: as with
/// the parameters and the gradients of a training step. Most parts begin at
/// multiples of 64 bytes.
void appendArena(GraphBuilder &b) {
  const DType dtype = b.random.chance(85) ? DType::f32 : DType::bf16;
  const int64_t unit = b.random.chance(85) ? 64 / byteWidth(dtype) : 8;
  std::vector<int64_t> sizes;
  int64_t total = 0;
  for (int64_t n = b.random.between(2, 5); n > 0; --n) {
    sizes.push_back(unit * b.random.between(1, b.isLarge ? 300 : 4));
    total += sizes.back();
  }
  const int arena = b.tamed(b.pickOfType({dtype, {total}}), 4);
  std::vector<int> results;
  int64_t start = 0;
  for (int64_t size : sizes) {
    int part = slice(b, arena, 0, start, start + size);
    if (b.random.chance(15)) // A slice of a slice.
      part = slice(b, slice(b, arena, 0, start, total), 0, 0, size);
    results.push_back(computeFromPart(b, part));
    start += size;
  }
  const int next = concat(b, std::move(results), 0);
  if (b.random.chance(30))
    b.keep(next);
  if (b.random.chance(70))
    b.keep(add(b, arena, next));
}

} // namespace

void fuzz::appendEpilogue(GraphBuilder &b, int x, int channelAxis) {
  const TensorType type = b.type(x);
  if (b.random.chance(40)) {
    Shape bias(type.shape.span().subspan(channelAxis));
    for (int i = 1; i < bias.rank(); ++i)
      bias[i] = 1;
    x = add(b, x, b.input({type.dtype, bias}));
  }
  if (b.random.chance(25))
    x = normalizeChannels(b, x, channelAxis);
  if (b.random.chance(15))
    b.keep(x);
  if (b.random.chance(30))
    x = add(b, b.input(type), x);
  if (b.random.chance(60))
    x = activate(b, x);
  if (b.random.chance(15) && type.dtype == DType::f32)
    cast(b, x, DType::bf16);
}

int fuzz::appendPrologue(GraphBuilder &b, int x, int channelAxis) {
  const TensorType type = b.type(x);
  if (b.random.chance(30))
    x = normalizeChannels(b, x, channelAxis);
  if (b.random.chance(25))
    x = add(b, x, b.input(type));
  // Through a type that holds less.
  if (b.random.chance(15) && type.dtype == DType::f32)
    x = cast(b, cast(b, x, DType::bf16), DType::f32);
  if (b.random.chance(70))
    x = activate(b, x);
  if (b.random.chance(10))
    b.keep(x);
  return x;
}

void fuzz::appendPattern(GraphBuilder &b) {
  static void (*const kinds[])(GraphBuilder &) = {
      appendSoftmaxByOps, appendNormByOps, appendReductionsInSequence,
      appendArena, appendArena};
  kinds[b.random.below(std::size(kinds))](b);
}
