//===- ByteContractionTest.cpp - Contractions of 8-bit integers -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All results are exact. Many factors have the largest magnitudes, so that
// instructions that saturate would give other results.
//
//===----------------------------------------------------------------------===//

#include "../Providers/Cases.h"
#include "CompiledOp.h"

using namespace tandem;
using namespace tandem::test;

namespace {

/// The type of the data, and what is taken away from this host.
using Param = std::tuple<DType, const char *>;

class ByteContraction : public testing::TestWithParam<Param> {
protected:
  /// Integers of which a third is the least and a third the largest one.
  static Tensor varied(DType dtype, const Shape &shape, uint64_t seed) {
    Tensor result = emptyTensor({dtype, shape});
    std::mt19937_64 rng(seed);
    const bool isSigned = dtype == DType::i8;
    for (int64_t i = 0; i < result.bytes(); ++i) {
      const auto least = uint8_t(isSigned ? -128 : 0),
                 largest = uint8_t(isSigned ? 127 : 255);
      const uint8_t values[] = {least, largest, uint8_t(rng())};
      result.as<uint8_t>()[i] = values[rng() % 3];
    }
    return result;
  }

  void check(const Case &c) {
    const Provider &provider = contractingProvider(std::get<1>(GetParam()));
    ASSERT_TRUE(supports(provider, c.op, c.operands)) << c.describe();
    SCOPED_TRACE(c.describe());
    auto result = run(provider, c.op, c.operands);
    ASSERT_TRUE(result) << result.error().str();
    EXPECT_EQ(valuesOf(*result), valuesOf(reference(c.op, c.operands)));
  }

  DType data() const { return std::get<0>(GetParam()); }

  Case makeConv(int64_t inputs, int64_t outputs, int64_t kernel,
                int64_t groups = 1, int64_t stride = 1,
                const std::string &weights = "HWIO") {
    fb::ConvAttrsT attrs;
    attrs.strides = {1, stride};
    attrs.dilations = {1, 1};
    attrs.pad_low = attrs.pad_high = {kernel / 2, kernel / 2};
    attrs.groups = groups;
    attrs.input_layout = attrs.output_layout = "NHWC";
    attrs.kernel_layout = weights;
    Shape shape;
    for (char letter : weights)
      shape.push_back(letter == 'O'   ? outputs * groups
                      : letter == 'I' ? inputs
                                      : kernel);
    return {makeOp(OpKind::conv, attrs),
            {varied(data(), {2, 4, 13, inputs * groups}, 1),
             varied(DType::i8, shape, 2)}};
  }
};

/// Weights that are not packed: one input after the other.
TEST_P(ByteContraction, Outputs) {
  for (int64_t outputs : {2, 3, 16, 33, 65})
    for (int64_t inputs : {1, 2, 5, 16})
      check(makeConv(inputs, outputs, 3));
}

/// Up to four inputs that are innermost are a quad. The unused places of two
/// and three inputs are those of other outputs.
TEST_P(ByteContraction, OneQuad) {
  for (int64_t outputs : {2, 15, 16, 33})
    for (int64_t stride : {1, 2})
      check(makeConv(4, outputs, 3, 1, stride, "HWOI"));
}

TEST_P(ByteContraction, Groups) {
  for (int64_t channels : {2, 15, 16, 33, 100})
    for (int64_t stride : {1, 2})
      for (int64_t kernel : {3, 5})
        check(makeConv(1, 1, kernel, channels, stride));
  check(makeConv(3, 20, 3, 2));
}

TEST_P(ByteContraction, Matmul) {
  for (int64_t m : {1, 7, 61})
    for (int64_t k : {1, 3, 32, 65})
      for (int64_t n : {2, 16, 33})
        for (bool transposeLhs : {false, true}) {
          fb::MatmulAttrsT attrs;
          attrs.transpose_lhs = transposeLhs;
          attrs.widen = true;
          check({makeOp(OpKind::matmul, attrs),
                 {varied(data(), transposeLhs ? Shape{k, m} : Shape{m, k}, 1),
                  varied(DType::i8, {k, n}, 2)}});
        }
}

INSTANTIATE_TEST_SUITE_P(
    Hosts, ByteContraction,
    testing::Combine(testing::Values(DType::ui8, DType::i8),
                     testing::Values("", "-avx512vnni", "-avx512bw", "-avx512f",
                                     "-avx512f,-avx2")),
    [](const testing::TestParamInfo<Param> &info) {
      return std::string(std::get<0>(info.param) == DType::ui8 ? "ui8_"
                                                               : "i8_") +
             hostName({std::get<1>(info.param), info.index});
    });

} // namespace
