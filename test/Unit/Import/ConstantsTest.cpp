//===- ConstantsTest.cpp - The elements of constants ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Constants.h"

#include "tandem/Runtime/Float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace tandem;
using namespace tandem::onnx;

namespace {

/// Elements at an address that is odd, as in files.
template <typename T> struct Elements {
  explicit Elements(std::vector<T> values)
      : bytes(values.size() * sizeof(T) + 1) {
    std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(T));
    count = values.size();
  }
  Tensor as(DType dtype, bool isScalar = false) {
    TensorType type{dtype, {}};
    if (!isScalar)
      type.shape.push_back(count);
    return Tensor::borrow(type, bytes.data() + 1);
  }
  std::vector<char> bytes;
  int64_t count;
};

Integers make(DType dtype, Sizes elements) {
  return Integers{std::move(elements), false, dtype};
}

TEST(Constants, IntegersOfAnyTypeAreKnown) {
  Elements<int8_t> bytes({-128, 127});
  EXPECT_EQ(asIntegers(bytes.as(DType::i8))->elements, (Sizes{-128, 127}));
  EXPECT_EQ(asIntegers(bytes.as(DType::ui8))->elements, (Sizes{128, 127}));
  Elements<int64_t> wide({std::numeric_limits<int64_t>::min(), 7});
  std::optional<Integers> integers = asIntegers(wide.as(DType::i64));
  ASSERT_TRUE(integers);
  EXPECT_EQ(integers->elements[0], Size(std::numeric_limits<int64_t>::min()));
  EXPECT_FALSE(integers->isScalar);
  Elements<uint16_t> one({65535});
  EXPECT_TRUE(asIntegers(one.as(DType::ui16, true))->isScalar);
}

TEST(Constants, AnyByteIsTrue) {
  Elements<uint8_t> bytes({0, 1, 2, 255});
  EXPECT_EQ(asIntegers(bytes.as(DType::i1))->elements, (Sizes{0, 1, 1, 1}));
  EXPECT_EQ(asNumbers(bytes.as(DType::i1)),
            (llvm::SmallVector<double>{0, 1, 1, 1}));
}

TEST(Constants, NoIntegersAreFloatsMatricesOrBeyondI64) {
  Elements<float> floats({1, 2});
  EXPECT_FALSE(asIntegers(floats.as(DType::f32)));
  Elements<uint64_t> large({1, uint64_t(1) << 63});
  EXPECT_FALSE(asIntegers(large.as(DType::ui64)));
  int64_t matrix[] = {1, 2};
  EXPECT_FALSE(asIntegers(Tensor::borrow({DType::i64, {1, 2}}, matrix)));
}

TEST(Constants, FindsTheFirstNumberThatMatches) {
  Elements<float> floats({1, -2, std::nanf(""), -3});
  auto isWrong = [](double number) { return !(number >= 0); };
  std::optional<FoundNumber> found = findNumber(floats.as(DType::f32), isWrong);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->index, 1);
  EXPECT_EQ(found->number, -2);
  Elements<F16> halves({F16(0.5f), F16(65504.0f)});
  EXPECT_FALSE(findNumber(halves.as(DType::f16), isWrong));
  Elements<float> none({});
  EXPECT_FALSE(findNumber(none.as(DType::f32), [](double) { return true; }));
}

TEST(Constants, NumbersOfAnyTypeAreKnown) {
  Elements<uint64_t> large({uint64_t(1) << 63});
  EXPECT_EQ(asNumbers(large.as(DType::ui64)).front(), std::ldexp(1, 63));
  Elements<F16> halves({F16(0.5f), F16(-2.0f)});
  EXPECT_EQ(asNumbers(halves.as(DType::f16)),
            (llvm::SmallVector<double>{0.5, -2}));
  Elements<double> doubles({0.1});
  EXPECT_EQ(asNumbers(doubles.as(DType::f64)).front(), 0.1);
}

TEST(Constants, ElementsFitTheirType) {
  EXPECT_TRUE(fits(make(DType::ui8, {0, 255, Size::ofDim(0)})));
  EXPECT_FALSE(fits(make(DType::ui8, {256})));
  EXPECT_FALSE(fits(make(DType::ui64, {-1})));
  EXPECT_TRUE(fits(make(DType::ui64, {std::numeric_limits<int64_t>::max()})));
  EXPECT_TRUE(fits(make(DType::i8, {-128, 127})));
  EXPECT_FALSE(fits(make(DType::i8, {128})));
  EXPECT_FALSE(fits(make(DType::i1, {2})));
  EXPECT_FALSE(fits(make(DType::i32, {int64_t(1) << 31})));
  EXPECT_TRUE(fits(make(DType::i64, {std::numeric_limits<int64_t>::min()})));
}

} // namespace
