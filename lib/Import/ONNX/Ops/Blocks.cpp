//===- Blocks.cpp - ONNX ops on blocks, and determinants ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

using namespace mlir;

namespace tandem::onnx {

namespace {

/// What the operands and attributes of Col2Im describe: an image, and the
/// blocks that a convolution reads of it.
struct ImageBlocks {
  Ints image, block, strides, dilations, pads;
  /// The operand's shape: (N, channels * elements of a block, blocks).
  Ints shape;
  /// The number of blocks along each dim, and of elements in each.
  Sizes counts;
  int64_t taps = 1;

  size_t rank() const { return image.size(); }
};

/// An error unless there is a number in range for each dim.
bool requireNumbers(Node &node, const ImageBlocks &of) {
  const int64_t rank = of.rank();
  if (!node.require(rank > 0 && rank <= 6,
                    "images of " + Twine(rank) + " dims; 1 to 6 are supported"))
    return false;
  for (auto [numbers, name] : {std::pair{&of.image, "image_shape"},
                               {&of.block, "block_shape"},
                               {&of.strides, "strides"},
                               {&of.dilations, "dilations"}})
    if (!node.requireCount(name, numbers->size(), rank) ||
        !node.requireSizes(*numbers, 1,
                           Twine(name) + " has a number out of range"))
      return false;
  return node.requireCount("pads", of.pads.size(), 2 * rank) &&
         node.requireSizes(of.pads, 0, "pads has a number out of range");
}

std::optional<ImageBlocks> describeImageBlocks(Node &node) {
  ImageBlocks of;
  of.image = node.constants(1);
  of.block = node.constants(2);
  of.shape = node.dims(node.operand(0));
  const size_t rank = of.rank();
  of.strides = node.getInts("strides", Ints(rank, 1));
  of.dilations = node.getInts("dilations", Ints(rank, 1));
  of.pads = node.getInts("pads", Ints(2 * rank, 0));
  if (!node.requireRank("the operand of blocks", of.shape.size(), 3) ||
      !requireNumbers(node, of))
    return std::nullopt;
  int64_t blocks = 1;
  for (size_t i = 0; i < rank; ++i) {
    int64_t room = of.image[i] + of.pads[i] + of.pads[rank + i] -
                   (of.block[i] - 1) * of.dilations[i] - 1;
    of.counts.push_back(Size(room < 0 ? 0 : room / of.strides[i] + 1));
    of.taps = std::min(of.taps * of.block[i], kMaxSize);
    blocks = std::min(blocks * *of.counts.back().value(), kMaxSize);
  }
  if (!node.require(of.taps <= 4096, "blocks of more than 4096 elements") ||
      !node.require(of.shape[1] % of.taps == 0,
                    "blocks of " + Twine(of.taps) +
                        " elements do not divide dim 1, of size " +
                        Twine(of.shape[1])) ||
      !node.require(blocks == of.shape[2],
                    "the operand has " + Twine(of.shape[2]) +
                        " blocks; the image has " + Twine(blocks)))
    return std::nullopt;
  return of;
}

/// The blocks' elements `one` at place `tap`, spread over the image.
Value spread(Node &node, Value one, const ImageBlocks &of, int64_t tap) {
  const int64_t rank = of.rank();
  Ints low(rank + 2, 0), high = low, interior = low, none = low;
  for (int64_t i = rank - 1, rest = tap; i >= 0; rest /= of.block[i--]) {
    int64_t begin = rest % of.block[i] * of.dilations[i] - of.pads[i];
    int64_t count = *of.counts[i].value();
    interior[i + 2] = of.strides[i] - 1;
    low[i + 2] = begin;
    high[i + 2] = of.image[i] - begin - ((count - 1) * of.strides[i] + 1);
  }
  one = node.pad(one, none, none, interior, 0);
  one = crop(node, one, low, high);
  return node.pad(one, low, high, none, 0);
}

} // namespace

/// Blocks, as a convolution reads them, added up where they overlap: for each
/// place within a block, its elements spread over the image.
void convertCol2Im(Node &node) {
  std::optional<ImageBlocks> of = describeImageBlocks(node);
  if (!of)
    return;
  const Ints &shape = of->shape;
  const int64_t channels = shape[1] / of->taps;
  Value x =
      node.reshape(node.operand(0), {shape[0], channels, of->taps, shape[2]});
  Sizes each{Size(shape[0]), Size(channels)};
  each.append(of->counts);
  Value sum;
  for (int64_t tap = 0; tap < of->taps; ++tap) {
    Value one = node.reshape(node.slice(x, 2, tap, tap + 1), each);
    one = spread(node, one, *of, tap);
    sum = sum ? node.add(sum, one) : one;
  }
  node.result(0, sum);
}

/// By expansion along rows: the determinant of the last rows and each set of
/// as many columns.
void convertDet(Node &node) {
  constexpr int64_t kMax = 6;
  Value x = node.operand(0);
  int64_t rank = node.rank(x);
  if (!node.require(rank >= 2, "needs two dims or more"))
    return;
  int64_t size = node.dim(x, rank - 1);
  if (!node.require(size == node.dim(x, rank - 2), "needs square matrices") ||
      !node.require(size > 0, "matrices without rows are not supported") ||
      !node.require(size <= kMax, "matrices of more than " + Twine(kMax) +
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
