//===- ByteConvTest.cpp - Convolutions of integers of 8 bits --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <random>

using namespace tandem;
using namespace tandem::test;

namespace {

/// A convolution of bytes with a window of 3x3.
struct ByteConvCase {
  std::string layout;
  Shape input;
  /// The numbers of groups, and of output channels in each.
  int64_t groups, outputs;
  int64_t stride, dilation, low, high;
};

void checkByteConv(DType dtype, const ByteConvCase &c) {
  fb::ConvAttrsT attrs;
  attrs.strides = {1, c.stride};
  attrs.dilations = {1, c.dilation};
  attrs.pad_low = {1, c.low};
  attrs.pad_high = {1, c.high};
  attrs.input_layout = attrs.output_layout = c.layout;
  attrs.kernel_layout = "HWIO";
  attrs.groups = c.groups;
  const int64_t inputs = c.input[c.layout.find('C')] / c.groups;
  Tensor data = emptyTensor({dtype, c.input}),
         weights =
             emptyTensor({DType::i8, {3, 3, inputs, c.groups * c.outputs}});
  std::mt19937_64 rng(3);
  for (Tensor *tensor : {&data, &weights})
    for (int64_t i = 0; i < tensor->bytes(); ++i)
      tensor->as<uint8_t>()[i] = i % 3 == 0 ? 0x80 : rng();
  checkAgainstReference(eigenProvider(),
                        {makeOp(OpKind::conv, attrs), {data, weights}});
}

/// Convolutions of bytes whose rows are shorter and longer than the blocks that
/// are computed at a time: channels first and last, groups, and windows that
/// lie in the padding.
TEST(ByteConv, WholeChannels) {
  const ByteConvCase cases[] = {{"NCHW", {2, 3, 9, 37}, 1, 5, 1, 1, 1, 1},
                                {"NCHW", {3, 4, 5, 6}, 2, 3, 2, 1, 2, 0},
                                {"NHWC", {2, 9, 33, 3}, 1, 4, 1, 2, 2, 2},
                                {"NHWC", {1, 12, 5, 6}, 3, 2, 3, 1, 0, 4},
                                {"CHWN", {6, 7, 8, 2}, 3, 2, 2, 1, 1, 1},
                                {"NHCW", {1, 7, 4, 3}, 1, 2, 1, 1, 9, 9}};
  for (DType dtype : {DType::i8, DType::ui8})
    for (const ByteConvCase &c : cases)
      checkByteConv(dtype, c);
}

/// The same with one input for each output, and several outputs for a channel.
TEST(ByteConv, Depthwise) {
  const ByteConvCase cases[] = {{"NCHW", {2, 5, 9, 37}, 5, 1, 1, 1, 1, 1},
                                {"NCHW", {1, 3, 8, 40}, 3, 2, 2, 1, 2, 0},
                                {"NHWC", {2, 7, 9, 33}, 33, 1, 1, 2, 2, 2},
                                {"NHWC", {1, 9, 12, 5}, 5, 3, 3, 1, 0, 4},
                                {"CHWN", {6, 7, 8, 2}, 6, 1, 2, 1, 1, 1},
                                {"NHCW", {1, 7, 4, 11}, 4, 1, 1, 1, 9, 9}};
  for (DType dtype : {DType::i8, DType::ui8})
    for (const ByteConvCase &c : cases)
      checkByteConv(dtype, c);
}

} // namespace
