//===- EpiloguesTest.cpp - Fused epilogues by the fake libraries ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryFixture.h"

using namespace tandem;
using namespace tandem::test;
using testing::HasSubstr;

namespace {

constexpr DType kFloats[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

class EpiloguesTest : public LibraryTest {
protected:
  /// A product of 4x4 matrices whose first element is NaN.
  FusedCase matmulOfNaN() {
    FusedCase c;
    c.base.op = makeOp(OpKind::matmul, fb::MatmulAttrsT());
    c.activation = Activation::relu;
    c.result = {DType::f32, {4, 4}};
    return withNaN(c, {4, 4}, {4, 4});
  }
  FusedCase convOfNaN() {
    FusedCase c;
    fb::ConvAttrsT attrs;
    attrs.strides = attrs.dilations = {1, 1};
    attrs.pad_low = attrs.pad_high = {0, 0};
    attrs.input_layout = attrs.output_layout = "NHWC";
    attrs.kernel_layout = "OHWI";
    c.base.op = makeOp(OpKind::conv, attrs);
    c.activation = Activation::relu;
    c.result = {DType::f32, {1, 2, 2, 3}};
    return withNaN(c, {1, 2, 2, 3}, {3, 1, 1, 3});
  }
  float first(const FusedCase &c, const LibraryOptions &options) {
    const auto op = c.prepare(*libraries, options);
    EXPECT_TRUE(op && *op);
    const auto result = run(**op, c.operands, c.result);
    EXPECT_TRUE(result) << result.error().str();
    return result->as<float>()[0];
  }

private:
  FusedCase withNaN(FusedCase c, const Shape &lhs, const Shape &rhs) {
    std::mt19937_64 rng(3);
    c.operands = {integers({DType::f32, lhs}, rng),
                  integers({DType::f32, rhs}, rng)};
    c.operands[0].as<float>()[0] = std::nanf("");
    c.base.operands = c.operands;
    return c;
  }
};

TEST_F(EpiloguesTest, AgreeWithTheOpsOneByOne) {
  std::mt19937_64 rng(11);
  for (OpKind kind : {OpKind::conv, OpKind::matmul})
    for (DType dtype : kFloats) {
      int compared = 0;
      for (int i = 0; i < 60; ++i) {
        const FusedCase c = randomFused(kind, dtype, rng);
        SCOPED_TRACE(c.base.describe());
        const auto op = c.prepare(*libraries);
        ASSERT_TRUE(op) << op.error().str();
        if (!*op)
          continue;
        ++compared;
        const auto actual = run(**op, c.operands, c.result);
        ASSERT_TRUE(actual) << actual.error().str();
        ASSERT_EQ(valuesOf(*actual), valuesOf(c.expected()));
      }
      EXPECT_GT(compared, 30) << name(kind) << " " << name(dtype);
    }
}

TEST_F(EpiloguesTest, GeluIsThatByTanh) {
  std::mt19937_64 rng(13);
  FusedCase c = randomFused(OpKind::matmul, DType::f32, rng);
  c.activation = Activation::gelu_tanh;
  const auto op = c.prepare(*libraries);
  ASSERT_TRUE(op && *op);
  const auto actual = run(**op, c.operands, c.result);
  ASSERT_TRUE(actual);
  EXPECT_LE(compare(c.expected(), *actual).maxAbsolute, 1e-5);
  // No engine of cuDNN's that comes with its kernels has it.
  c = randomFused(OpKind::conv, DType::f32, rng);
  c.activation = Activation::gelu_tanh;
  EXPECT_EQ(*c.prepare(*libraries), nullptr);
}

/// By default the engines and algorithms are chosen that were seen to keep it:
/// the fake's have other workspace.
TEST_F(EpiloguesTest, ReluKeepsNaNUnlessItMayDropIt) {
  const LibraryOptions dropping{Precision::strict, /*mayDropNaN=*/true};
  for (const FusedCase &c : {convOfNaN(), matmulOfNaN()}) {
    EXPECT_TRUE(std::isnan(first(c, {})));
    EXPECT_EQ(first(c, dropping), 0);
    EXPECT_EQ((*c.prepare(*libraries))->workspaceBytes(), 0);
    EXPECT_GT((*c.prepare(*libraries, dropping))->workspaceBytes(), 0);
  }
}

TEST_F(EpiloguesTest, TheDeviceTellsWhatKeepsNaN) {
  const auto facts = device->libraryFacts();
  ASSERT_TRUE(facts) << facts.error().str();
  EXPECT_EQ(*facts,
            "cuDNN 9.19, engines whose relu keeps NaN: f32: 0 51; f64: 0 51; "
            "f16: 0 51; bf16: 0 51\n"
            "cuBLASLt 13.1, algorithms whose relu keeps NaN: f32: 21; f64: 21; "
            "f16: 21; bf16: 21\n");
}

TEST_F(EpiloguesTest, TheDevicePreparesThem) {
  const FusedCase c = matmulOfNaN();
  const std::vector<TensorType> types = typesOf(c.operands);
  const auto op = device->prepareFused(
      {{c.base.op, types, {&c.result, 1}}, false, Activation::relu}, {});
  ASSERT_TRUE(op && *op);
  const auto result = run(**op, c.operands, c.result);
  ASSERT_TRUE(result);
  EXPECT_TRUE(std::isnan(result->as<float>()[0]));
}

} // namespace
