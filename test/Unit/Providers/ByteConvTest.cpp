//===- ByteConvTest.cpp - Convolutions of integers of 8 bits --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <cstring>
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
  for (const Provider *provider : {&oneDNNProvider(), &eigenProvider()})
    checkAgainstReference(*provider,
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

/// Runs an op in the eager tier, with the weights as a constant or not.
void checkEager(const OpDesc &op, const std::vector<Tensor> &operands,
                bool hasConstantWeights) {
  const Tensor expected = reference(op, operands);
  const TensorType types[] = {operands[0].type(), operands[1].type()},
                   type = expected.type();
  const Tensor constants[] = {Tensor(), operands[1]};
  OpSignature signature{op, types, {&type, 1}};
  if (hasConstantWeights)
    signature.constants = constants;
  const auto prepared = prepareOp(eagerProviders(), signature);
  ASSERT_TRUE(prepared) << prepared.error().message;
  Tensor result = emptyTensor(type);
  ASSERT_TRUE(runOp(**prepared, operands, {&result, 1}));
  EXPECT_EQ(std::memcmp(result.data(), expected.data(), result.bytes()), 0)
      << name(op.kind);
}

/// Sums beyond 2^24, most of them odd: f32 would round them.
TEST(ByteSums, BeyondF32) {
  const auto makeTensor = [](const TensorType &type, auto makeElement) {
    Tensor tensor = emptyTensor(type);
    const int64_t last = type.shape[type.shape.rank() - 1];
    for (int64_t i = 0; i < type.shape.numElements(); ++i)
      tensor.as<uint8_t>()[i] = uint8_t(makeElement(i % last));
    return tensor;
  };
  fb::ConvAttrsT attrs;
  attrs.strides = attrs.dilations = {1, 1};
  attrs.pad_low = attrs.pad_high = {1, 1};
  attrs.input_layout = attrs.output_layout = "NHWC";
  attrs.kernel_layout = "HWIO";
  fb::MatmulAttrsT widens;
  widens.widen = true;
  const OpDesc conv = makeOp(OpKind::conv, attrs),
               matmul = makeOp(OpKind::matmul, widens);
  const auto weightOf = [](int64_t output) {
    return output % 2 == 0 ? 127 : -127;
  };
  for (DType dtype : {DType::i8, DType::ui8}) {
    const auto dataOf = [&](int64_t input) {
      return (dtype == DType::ui8 ? 255 : 127) - (input == 0);
    };
    for (bool hasConstantWeights : {false, true}) {
      checkEager(conv,
                 {makeTensor({dtype, {1, 6, 6, 512}}, dataOf),
                  makeTensor({DType::i8, {3, 3, 512, 32}}, weightOf)},
                 hasConstantWeights);
      checkEager(matmul,
                 {makeTensor({dtype, {16, 4608}}, dataOf),
                  makeTensor({DType::i8, {4608, 32}}, weightOf)},
                 hasConstantWeights);
    }
  }
}

} // namespace
