//===- Blocks.cpp - ONNX ops on blocks, and determinants ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

using namespace mlir;

namespace tandem::onnx {

/// Blocks, as a convolution reads them, added up where they overlap: for each
/// place within a block, its elements spread over the image.
void convertCol2Im(Node &node) {
  Value x = node.operand(0);
  Ints image = node.constants(1), block = node.constants(2);
  Ints shape = node.dims(x);
  size_t rank = image.size();
  Ints strides = node.getInts("strides", Ints(rank, 1));
  Ints dilations = node.getInts("dilations", Ints(rank, 1));
  Ints pads = node.getInts("pads", Ints(2 * rank, 0));
  if (!node.require(shape.size() == 3 && rank > 0 && rank <= 6 &&
                        block.size() == rank && strides.size() == rank &&
                        dilations.size() == rank && pads.size() == 2 * rank,
                    "needs (N, C, blocks), and a number for each dim"))
    return;
  for (const Ints *numbers : {&image, &block, &strides, &dilations, &pads})
    if (!node.requireSizes(*numbers, numbers == &pads ? 0 : 1,
                           "a size out of range"))
      return;
  Sizes counts;
  int64_t taps = 1, blocks = 1;
  for (size_t i = 0; i < rank; ++i) {
    int64_t room =
        image[i] + pads[i] + pads[rank + i] - (block[i] - 1) * dilations[i] - 1;
    counts.push_back(Size(room < 0 ? 0 : room / strides[i] + 1));
    taps = std::min(taps * block[i], kMostSize);
    blocks = std::min(blocks * *counts.back().value(), kMostSize);
  }
  if (!node.require(taps <= 4096 && shape[1] % taps == 0 && blocks == shape[2],
                    "blocks that do not fit the operand's shape"))
    return;
  int64_t channels = shape[1] / taps;
  x = node.reshape(x, {shape[0], channels, taps, shape[2]});
  Sizes each{Size(shape[0]), Size(channels)};
  each.append(counts);
  Value sum;
  for (int64_t tap = 0; tap < taps; ++tap) {
    Ints low(rank + 2, 0), high = low, interior = low;
    for (int64_t i = rank - 1, rest = tap; i >= 0; rest /= block[i--]) {
      int64_t begin = rest % block[i] * dilations[i] - pads[i];
      int64_t count = *counts[i].value();
      interior[i + 2] = strides[i] - 1;
      low[i + 2] = begin;
      high[i + 2] = image[i] - begin - ((count - 1) * strides[i] + 1);
    }
    Value one = node.reshape(node.slice(x, 2, tap, tap + 1), each);
    Ints none(rank + 2, 0);
    one = node.pad(one, none, none, interior, 0);
    one = crop(node, one, low, high);
    one = node.pad(one, low, high, none, 0);
    sum = sum ? node.add(sum, one) : one;
  }
  node.result(0, sum);
}

/// By expansion along rows: the determinant of the last rows and each set of
/// as many columns.
void convertDet(Node &node) {
  constexpr int64_t kMost = 6;
  Value x = node.operand(0);
  int64_t rank = node.rank(x), size = node.dim(x, rank - 1);
  if (!node.require(rank >= 2 && size == node.dim(x, rank - 2),
                    "needs square matrices") ||
      !node.require(size > 0 && size <= kMost, "matrices of more than " +
                                                   Twine(kMost) +
                                                   " rows are not supported"))
    return;
  Sizes batch = node.sizesOf(x);
  batch.truncate(rank - 2);
  auto element = [&](int64_t row, int64_t column) {
    Value one = node.slice(x, rank - 2, row, row + 1);
    return node.reshape(node.slice(one, rank - 1, column, column + 1), batch);
  };
  SmallVector<Value> minors(size_t(1) << size);
  for (unsigned columns = 1; columns < minors.size(); ++columns) {
    int64_t row = size - llvm::popcount(columns);
    Value sum;
    bool isNegative = false;
    for (int64_t column = 0; column < size; ++column) {
      unsigned bit = 1U << column;
      if (!(columns & bit))
        continue;
      Value term = element(row, column);
      if (Value minor = minors[columns & ~bit])
        term = node.mul(term, minor);
      sum = !sum         ? term
            : isNegative ? node.sub(sum, term)
                         : node.add(sum, term);
      isNegative = !isNegative;
    }
    minors[columns] = sum;
  }
  node.result(0, minors.back());
}

} // namespace tandem::onnx
