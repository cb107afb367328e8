//===- CompareTest.cpp - Comparing tensors --------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Compare.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

using namespace tandem;

namespace {

Tensor make(std::initializer_list<float> values) {
  Tensor tensor =
      *Tensor::allocate({DType::f32, {static_cast<int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), tensor.as<float>());
  return tensor;
}

const float kNaN = std::nanf(""), kInf = INFINITY;

TEST(CompareTest, EqualTensorsDoNotDiffer) {
  Tensor tensor = make({1, -2, 0, kNaN, kInf, -kInf});
  Difference difference = compare(tensor, tensor, {});
  EXPECT_EQ(difference.mismatches, 0);
  EXPECT_EQ(difference.maxAbsolute, 0);
  EXPECT_EQ(difference.worstIndex, -1);
}

TEST(CompareTest, ReportsTheWorstElement) {
  float next = std::nextafterf(1.0f, 2.0f);
  Difference difference =
      compare(make({1, 1, 4}), make({1, next, 5}), {0, 0.01, 0.5});
  EXPECT_EQ(difference.compared, 3);
  EXPECT_EQ(difference.mismatches, 1);
  EXPECT_EQ(difference.worstIndex, 2);
  EXPECT_EQ(difference.bound, 0.5);
  EXPECT_EQ(difference.maxBound, 0.5);
  EXPECT_EQ(difference.maxExpected, 4);
  EXPECT_EQ(difference.expected, 4);
  EXPECT_EQ(difference.actual, 5);
  EXPECT_EQ(difference.maxAbsolute, 1);
  EXPECT_EQ(difference.maxRelative, 0.25);
  EXPECT_EQ(difference.maxUlp, 1 << 21);
  EXPECT_EQ(compare(make({1}), make({next}), {}).maxUlp, 1);
  EXPECT_EQ(compare(make({-0.0f}), make({0.0f}), {}).mismatches, 0);
}

/// Farther beyond its bound, although nearer in value.
TEST(CompareTest, TheWorstElementIsThatFarthestBeyondItsBound) {
  Difference difference = compare(make({100, 1}), make({90, 1.1f}), {5, 0.001});
  EXPECT_EQ(difference.mismatches, 2);
  EXPECT_EQ(difference.worstIndex, 1);
  difference = compare(make({100, 1}), make({90, 1.1f}), {20, 0.001});
  EXPECT_EQ(difference.mismatches, 1);
  EXPECT_EQ(difference.worstIndex, 1);
}

TEST(CompareTest, NormwiseBoundsAreRelativeToTheLargestMagnitude) {
  auto mismatches = [](float error) {
    return compareNormwise(make({1000, 0}), make({1000, error}), 1e-3)
        .mismatches;
  };
  EXPECT_EQ(mismatches(0.5f), 0);
  EXPECT_EQ(mismatches(2), 1);
}

TEST(CompareTest, ElementsThatMayBeAnythingDoNotAgreeAlone) {
  Difference difference = compare(make({1, 2}), make({1, 7}), {0, kInf});
  EXPECT_EQ(difference.compared, 1);
  EXPECT_EQ(difference.unbounded, 1);
  EXPECT_TRUE(difference.agrees());
  EXPECT_FALSE(difference.isWeak());
  difference = compare(make({1, 2}), make({1, 7}), {kInf, kInf});
  EXPECT_EQ(difference.mismatches, 0);
  EXPECT_FALSE(difference.agrees());
  EXPECT_TRUE(difference.isWeak());
}

TEST(CompareTest, BoundsAboveATenthAreWeak) {
  EXPECT_FALSE(compare(make({1, -2}), make({1, -2}), {0, 0.2}).isWeak());
  EXPECT_TRUE(compare(make({1, -2}), make({1, -2}), {0.21, 0}).isWeak());
  EXPECT_TRUE(compare(make({0, 0}), make({0, 0}), {1e-30, 0}).isWeak());
}

TEST(CompareTest, ABoundBeyondTheLargestNumberAllowsAnInfinityOfItsSign) {
  const float kLargest = std::numeric_limits<float>::max();
  EXPECT_TRUE(compare(make({kLargest}), make({kInf}), {1e32}).agrees());
  EXPECT_FALSE(compare(make({kLargest}), make({-kInf}), {1e32}).agrees());
  EXPECT_FALSE(compare(make({kLargest}), make({kNaN}), {1e32}).agrees());
}

TEST(CompareTest, NaNsAndInfinitiesMustAgree) {
  const ErrorBounds loose{1e6};
  for (auto [expected, actual] : {std::pair{1.0f, kNaN},
                                  {kNaN, 1.0f},
                                  {kInf, 1.0f},
                                  {1.0f, -kInf},
                                  {kInf, -kInf},
                                  {kInf, kNaN}}) {
    Difference difference = compare(make({expected}), make({actual}), loose);
    EXPECT_EQ(difference.mismatches, 1) << expected << " " << actual;
    EXPECT_EQ(difference.maxUlp, INFINITY);
  }
}

TEST(CompareTest, IntegersMustBeEqual) {
  TensorType type{DType::i64, {2}};
  Tensor expected = *Tensor::allocate(type), actual = *Tensor::allocate(type);
  constexpr int64_t kLarge = int64_t(1) << 60;
  expected.as<int64_t>()[0] = actual.as<int64_t>()[0] = 3;
  expected.as<int64_t>()[1] = kLarge;
  actual.as<int64_t>()[1] = kLarge + 1; // equal as doubles
  Difference difference = compareNormwise(expected, actual, 1);
  EXPECT_EQ(difference.mismatches, 1);
  EXPECT_EQ(difference.worstIndex, 1);
}

TEST(CompareTest, UlpsAreThoseOfTheType) {
  for (DType dtype : {DType::f16, DType::bf16}) {
    TensorType type{dtype, {1}};
    Tensor expected = *Tensor::allocate(type), actual = *Tensor::allocate(type);
    *expected.as<uint16_t>() = 0x3c00;
    *actual.as<uint16_t>() = 0x3c02;
    EXPECT_EQ(compare(expected, actual, {}).maxUlp, 2);
  }
}

TEST(FillRandomTest, IsReproducibleAndInRange) {
  Tensor a = *Tensor::allocate({DType::f32, {10000}});
  Tensor b = *Tensor::allocate(a.type());
  fillRandom(a, 5);
  fillRandom(b, 5);
  EXPECT_EQ(compare(a, b, {}).mismatches, 0);
  fillRandom(b, 6);
  EXPECT_GT(compare(a, b, {}).mismatches, 9000);
  double sum = 0;
  for (int64_t i = 0; i < 10000; ++i) {
    ASSERT_GE(a.as<float>()[i], -1);
    ASSERT_LT(a.as<float>()[i], 1);
    sum += a.as<float>()[i];
  }
  EXPECT_LT(std::fabs(sum / 10000), 0.03);
}

TEST(FillRandomTest, IntegersAndTruthValues) {
  Tensor integers = *Tensor::allocate({DType::i32, {1000}});
  Tensor coins = *Tensor::allocate({DType::i1, {1000}});
  fillRandom(integers, 1);
  fillRandom(coins, 1);
  int heads = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    ASSERT_GE(integers.as<int32_t>()[i], 0);
    ASSERT_LT(integers.as<int32_t>()[i], 8);
    ASSERT_LE(coins.as<uint8_t>()[i], 1);
    heads += coins.as<uint8_t>()[i];
  }
  EXPECT_GT(heads, 400);
  EXPECT_LT(heads, 600);
}

TEST(FillRandomTest, BytesOfTheWholeRange) {
  for (DType dtype : {DType::i8, DType::ui8}) {
    Tensor bytes = *Tensor::allocate({dtype, {10000}});
    fillRandomBytes(bytes, 1);
    EXPECT_EQ(std::set<uint8_t>(bytes.as<uint8_t>(),
                                bytes.as<uint8_t>() + bytes.bytes())
                  .size(),
              256);
  }
  Tensor wide = *Tensor::allocate({DType::i32, {1000}});
  Tensor same = *Tensor::allocate(wide.type());
  fillRandomBytes(wide, 1);
  fillRandom(same, 1);
  EXPECT_EQ(compare(wide, same, {}).mismatches, 0);
}

} // namespace
