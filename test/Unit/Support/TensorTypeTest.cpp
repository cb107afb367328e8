//===- TensorTypeTest.cpp - Types and errors ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/ShapeRules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tandem;

TEST(TensorTypeTest, PrintsAsMLIRDoes) {
  EXPECT_EQ((TensorType{DType::f32, {4, kDynamic}}).str(), "tensor<4x?xf32>");
  EXPECT_EQ((TensorType{DType::bf16, {}}).str(), "tensor<bf16>");
  EXPECT_EQ((Shape{1000, 100, kDynamic}).str(), "1000x100x?");
}

TEST(TensorTypeTest, ComparesRankAndDims) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{2, 3, 1}));
  EXPECT_NE((Shape{}), (Shape{0}));
  EXPECT_NE((TensorType{DType::i8, {2}}), (TensorType{DType::i1, {2}}));
}

TEST(TensorTypeTest, CheckedBytes) {
  constexpr int64_t kLarge = int64_t(1) << 40;
  EXPECT_EQ(*checkedBytes({DType::f64, {3, 5}}), 120);
  EXPECT_EQ(*checkedBytes({DType::i1, {}}), 1);
  EXPECT_EQ(*checkedBytes({DType::f32, {3, 0, kLarge}}), 0);
  EXPECT_FALSE(checkedBytes({DType::f32, {kLarge, 0, kLarge}}));
  EXPECT_THAT(checkedBytes({DType::f32, {kLarge, kLarge}}).error().message,
              testing::HasSubstr("overflow"));
  EXPECT_THAT(checkedBytes({DType::f32, {-3}}).error().message,
              testing::HasSubstr("negative"));
  EXPECT_THAT(checkedBytes({DType::f32, {kDynamic}}).error().message,
              testing::HasSubstr("unknown size"));
}

TEST(TensorTypeTest, FlatFormsRoundTrip) {
  TensorType type{DType::i64, {1, kDynamic, 7}};
  EXPECT_EQ(fromFlat(toFlat(type)), type);
}

TEST(ErrorTest, LeavesOutWhatIsEmpty) {
  Error error{"too large", "allocate", "f.mlir:3:4", "use less"};
  EXPECT_EQ(error.str(), "f.mlir:3:4: error: allocate: too large (use less)");
  EXPECT_EQ((Error{"bad", "", "", ""}).str(), "error: bad");
}

TEST(LayoutTest, FindsTheDims) {
  auto dims = parseLayout("NDHWC", false);
  ASSERT_TRUE(dims);
  EXPECT_EQ(dims->batch, 0);
  EXPECT_EQ(dims->channel, 4);
  EXPECT_EQ(dims->numSpatial, 3);
  EXPECT_EQ(dims->spatial, (std::array<int, 3>{1, 2, 3}));
  auto kernel = parseLayout("OIW", true);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->spatial[0], 2);
  EXPECT_FALSE(parseLayout("NHWC", true));
  EXPECT_FALSE(parseLayout("NCH", false));
}
