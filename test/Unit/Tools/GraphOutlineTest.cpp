//===- GraphOutlineTest.cpp - Weights of an outline -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem-bench/sweep/GraphOutline.h"

#include "tandem/Tandem.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>

using namespace tandem;
using testing::HasSubstr;

namespace {

const std::string kOutline = R"(
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %0 = tandem.constant dense_resource<w0> : tensor<3x4xf32>
  %1 = tandem.matmul %x, %0 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = tandem.constant dense_resource<w1> : tensor<4xf32>
  %3 = tandem.add %1, %2 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}
// weights w0 -3 signed
// weights w1 2 positive
)";

/// The constants of the graph that an outline becomes.
std::vector<Tensor> constantsOf(DType dtype) {
  auto text = bench::addWeights(kOutline, dtype);
  EXPECT_TRUE(text) << text.error().str();
  auto graph = Graph::parseString(*text);
  EXPECT_TRUE(graph) << graph.error().str();
  std::vector<Tensor> constants;
  for (const Constant &constant : (*graph)->eagerProgram()->constants)
    constants.push_back(constant.data);
  return constants;
}

TEST(GraphOutline, NumbersHaveTheirExponents) {
  const std::vector<Tensor> constants = constantsOf(DType::f32);
  ASSERT_EQ(constants.size(), 2u);
  ASSERT_EQ(constants[0].type(), (TensorType{DType::f32, {3, 4}}));
  int negative = 0;
  for (int i = 0; i < 12; ++i) {
    const float value = constants[0].as<float>()[i];
    EXPECT_EQ(std::ilogb(value), -3);
    negative += value < 0;
  }
  EXPECT_GT(negative, 0);
  EXPECT_LT(negative, 12);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(std::ilogb(constants[1].as<float>()[i]), 2);
    EXPECT_GT(constants[1].as<float>()[i], 0);
  }
}

TEST(GraphOutline, BF16IsTheUpperHalf) {
  const std::vector<Tensor> exact = constantsOf(DType::f32);
  const std::vector<Tensor> halves = constantsOf(DType::bf16);
  ASSERT_EQ(halves.size(), 2u);
  ASSERT_EQ(halves[0].type(), (TensorType{DType::bf16, {3, 4}}));
  for (int i = 0; i < 12; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, exact[0].as<float>() + i, sizeof word);
    EXPECT_EQ(halves[0].as<uint16_t>()[i], word >> 16);
  }
}

TEST(GraphOutline, WhatIsNoOutlineIsRefused) {
  auto none = bench::addWeights("func.func @main() { return }\n", DType::f32);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no list of weights"));
  auto other =
      bench::addWeights(kOutline + "// weights w2 0 signed\n", DType::f32);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("'w2' is no constant"));
}

} // namespace
