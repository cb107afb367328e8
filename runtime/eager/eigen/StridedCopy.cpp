//===- StridedCopy.cpp - Copies between strided views -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedCopy.h"
#include "Parallel.h"

#include <algorithm>
#include <cstring>

using namespace tandem;
using namespace tandem::eager;

/// Removes a dim from a shape and its strides.
static void removeDim(Shape &shape, std::array<Strides, 2> &strides, int dim) {
  Shape rest;
  std::array<Strides, 2> kept{};
  for (int i = 0; i < shape.rank(); ++i) {
    if (i == dim)
      continue;
    for (int n = 0; n < 2; ++n)
      kept[n][rest.rank()] = strides[n][i];
    rest.push_back(shape[i]);
  }
  shape = rest;
  strides = kept;
}

StridedCopy::StridedCopy(const Shape &shape, const Strides &inStrides,
                         int64_t inStart, const Strides &outStrides,
                         int64_t outStart, int64_t width)
    : outer(shape), strides{inStrides, outStrides},
      start{inStart * width, outStart * width}, width(width),
      kernel(kernels().transpose(width)) {
  mergeDims(outer, strides);
  for (auto &set : strides)
    for (int64_t &stride : set)
      stride *= width;
  kind = choose();
}

/// Takes the innermost dim, and a transpose's second one, out of `outer`.
StridedCopy::Inner StridedCopy::choose() {
  const int last = outer.rank() - 1;
  if (last < 0)
    return innerStride = {width, width}, Inner::contiguous;
  inner = outer[last];
  innerStride = {strides[0][last], strides[1][last]};
  removeDim(outer, strides, last);
  if (innerStride[1] != width)
    return Inner::strided;
  if (innerStride[0] == width)
    return Inner::contiguous;
  if (innerStride[0] == 0)
    return Inner::repeat;
  for (int dim = 0; dim < outer.rank(); ++dim)
    if (strides[0][dim] == width && outer[dim] > 1) {
      columns = outer[dim];
      columnStride = strides[1][dim];
      removeDim(outer, strides, dim);
      return Inner::transpose;
    }
  return Inner::strided;
}

void StridedCopy::run(const void *from, void *to) const {
  const char *in = static_cast<const char *>(from) + start[0];
  char *out = static_cast<char *>(to) + start[1];
  if (kind == Inner::transpose)
    runTransposed(in, out);
  else if (kind == Inner::contiguous && outer.rank() == 0)
    runContiguous(in, out);
  else
    runRows(in, out);
}

void StridedCopy::runContiguous(const char *in, char *out) const {
  if (in == out) // The memory plan has placed the operand in the result.
    return;
  parallelFor(inner * width, 4 * kGrain, [&](int64_t begin, int64_t end) {
    std::memcpy(out + begin, in + begin, end - begin);
  });
}

/// In blocks that keep both sides of an exchange within the caches.
void StridedCopy::runTransposed(const char *in, char *out) const {
  constexpr int64_t block = 64, run = 1024;
  const int64_t down = countParts(inner, run);
  const int64_t across = countParts(columns, block);
  const int64_t work = std::min(columns, block) * std::min(inner, run);
  parallelFor(
      outer.numElements() * down * across, grainFor(2 * work),
      [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
          StridedIndex<2> at(outer, strides);
          at.advance(task / (down * across));
          const int64_t row = task / across % down * run;
          const int64_t column = task % across * block;
          kernel(in + at.offset(0) + row * innerStride[0] + column * width,
                 out + at.offset(1) + row * width + column * columnStride,
                 std::min(run, inner - row), std::min(block, columns - column),
                 innerStride[0] / width, columnStride / width);
        }
      });
}

void StridedCopy::runRows(const char *in, char *out) const {
  parallelFor(outer.numElements(), grainFor(inner),
              [&](int64_t begin, int64_t end) {
                StridedIndex<2> at(outer, strides);
                at.advance(begin);
                for (int64_t row = begin; row < end; ++row, at.next())
                  copyRow(in + at.offset(0), out + at.offset(1));
              });
}

template <typename T>
static void copyElements(const char *in, char *out, int64_t n,
                         const std::array<int64_t, 2> &stride) {
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T *>(out + i * stride[1]) =
        *reinterpret_cast<const T *>(in + i * stride[0]);
}

void StridedCopy::copyRow(const char *in, char *out) const {
  if (kind == Inner::contiguous) {
    std::memcpy(out, in, inner * width);
    return;
  }
  switch (width) {
  case 1:
    return copyElements<uint8_t>(in, out, inner, innerStride);
  case 2:
    return copyElements<uint16_t>(in, out, inner, innerStride);
  case 4:
    return copyElements<uint32_t>(in, out, inner, innerStride);
  default:
    return copyElements<uint64_t>(in, out, inner, innerStride);
  }
}
