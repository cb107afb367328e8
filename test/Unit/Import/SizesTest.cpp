//===- SizesTest.cpp - Arithmetic on sizes with free dims -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sizes/SizeFunctions.h"

#include <gtest/gtest.h>

#include <limits>

using namespace tandem::onnx;

namespace {

const Size n = Size::ofDim(0), m = Size::ofDim(1);
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST(Sizes, ProductsOfFreeDimsCommute) {
  EXPECT_EQ(multiply(n, m), multiply(m, n));
  EXPECT_EQ(productOf({n, Size(7), Size(7)}), multiply(Size(49), n));
  EXPECT_EQ(multiply(n, Size(0)), Size(0));
}

TEST(Sizes, QuotientsAreExactOrUnknown) {
  Size flat = *productOf({n, Size(64), Size(49)});
  EXPECT_EQ(divide(flat, n), Size(3136));
  EXPECT_EQ(divide(flat, Size(3136)), n);
  EXPECT_EQ(divide(flat, m), std::nullopt);
  EXPECT_EQ(divide(n, Size(2)), std::nullopt);
  EXPECT_EQ(divide(Size(-7), Size(2)), Size(-3));
  EXPECT_EQ(divide(Size(1), Size(0)), std::nullopt);
}

TEST(Sizes, RemaindersHaveTheDivisorsSign) {
  const SizeFunction modulo = findSizeFunction("Mod");
  EXPECT_EQ(modulo(Size(56), Size(7)), Size(0));
  EXPECT_EQ(modulo(Size(-5), Size(3)), Size(1));
  EXPECT_EQ(modulo(Size(5), Size(-3)), Size(-1));
  EXPECT_EQ(modulo(Size(kLeast), Size(-1)), Size(0));
  EXPECT_EQ(modulo(Size(1), Size(0)), std::nullopt);
  EXPECT_EQ(modulo(*multiply(n, Size(14)), Size(7)), Size(0));
  EXPECT_EQ(modulo(n, Size(7)), std::nullopt);
}

TEST(Sizes, SumsAreOfEqualDims) {
  EXPECT_EQ(add(n, n), multiply(Size(2), n));
  EXPECT_EQ(add(n, Size(0)), n);
  EXPECT_EQ(add(n, m), std::nullopt);
  EXPECT_EQ(add(n, Size(1)), std::nullopt);
  EXPECT_EQ(add(n, *multiply(n, Size(-1))), Size(0));
}

TEST(Sizes, OverflowIsNoNumber) {
  EXPECT_EQ(add(Size(kMax), Size(1)), std::nullopt);
  EXPECT_EQ(multiply(Size(kMax), Size(2)), std::nullopt);
  EXPECT_EQ(divide(Size(kLeast), Size(-1)), std::nullopt);
}

TEST(Sizes, NumbersBecomeTheNearestInteger) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(toInteger(-2.5), -2);
  EXPECT_EQ(toInteger(0x1p63), kMax);
  EXPECT_EQ(toInteger(infinity), kMax);
  EXPECT_EQ(toInteger(-infinity), kLeast);
  EXPECT_EQ(toInteger(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(Sizes, PredicatesOfFreeDimsAreUnknown) {
  auto less = findSizePredicate("Less"), equal = findSizePredicate("Equal");
  EXPECT_EQ(less(Size(2), Size(3)), Size(1));
  EXPECT_EQ(less(n, Size(3)), std::nullopt);
  EXPECT_EQ(equal(n, Size(-1)), Size(0));
  EXPECT_EQ(equal(n, Size(3)), std::nullopt);
  EXPECT_EQ(findSizeFunction("Less"), nullptr);
}

} // namespace
