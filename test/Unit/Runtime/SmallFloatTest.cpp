//===- SmallFloatTest.cpp - Conversions of floats of 8 and 16 bits --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Float16.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

namespace {

using namespace tandem;

template <typename T> class SmallFloats : public testing::Test {};
// The second type is the interchange format E5M2 of 8 bits.
using Types = testing::Types<F16, SmallFloat<5, 2>, BF16>;
TYPED_TEST_SUITE(SmallFloats, Types);

template <typename T> T ofBits(unsigned bits) {
  T value;
  value.bits = static_cast<typename T::Bits>(bits);
  return value;
}

template <typename T> bool isNaN(unsigned bits) {
  return std::isnan(static_cast<double>(ofBits<T>(bits)));
}

TYPED_TEST(SmallFloats, ConvertToDoubleAndBack) {
  unsigned notNumbers = 0;
  for (unsigned bits = 0; bits < 1U << TypeParam::width; ++bits) {
    notNumbers += isNaN<TypeParam>(bits);
    if (!isNaN<TypeParam>(bits))
      ASSERT_EQ(TypeParam(static_cast<double>(ofBits<TypeParam>(bits))).bits,
                bits);
  }
  // All mantissas but that of infinity, with both signs.
  const auto infinity = static_cast<unsigned>(TypeParam::infinity);
  EXPECT_EQ(notNumbers, 2 * ((1U << (TypeParam::width - 1)) - infinity - 1));
}

TYPED_TEST(SmallFloats, RoundToTheNearestAndTiesToEven) {
  const auto infinity = static_cast<unsigned>(TypeParam::infinity);
  for (unsigned bits = 0; bits + 1 < infinity; ++bits) {
    const double low = static_cast<double>(ofBits<TypeParam>(bits)),
                 high = static_cast<double>(ofBits<TypeParam>(bits + 1)),
                 middle = low + (high - low) / 2;
    ASSERT_EQ(TypeParam(middle).bits, bits + bits % 2);
    ASSERT_EQ(TypeParam(std::nextafter(middle, low)).bits, bits);
    ASSERT_EQ(TypeParam(std::nextafter(middle, high)).bits, bits + 1);
  }
}

TYPED_TEST(SmallFloats, OverflowToInfinity) {
  const auto infinity = static_cast<unsigned>(TypeParam::infinity);
  const double largest = static_cast<double>(ofBits<TypeParam>(infinity - 1)),
               before = static_cast<double>(ofBits<TypeParam>(infinity - 2)),
               tie = largest + (largest - before) / 2;
  EXPECT_EQ(TypeParam(tie).bits, infinity);
  EXPECT_EQ(TypeParam(std::nextafter(tie, 0)).bits, infinity - 1);
  EXPECT_EQ(TypeParam(-std::numeric_limits<double>::infinity()).bits,
            infinity | 1U << (TypeParam::width - 1));
}

} // namespace
