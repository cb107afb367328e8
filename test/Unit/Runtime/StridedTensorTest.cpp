//===- StridedTensorTest.cpp - Tensors from any memory --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/StridedTensor.h"

#include <cstring>
#include <gmock/gmock.h>
#include <numeric>
#include <vector>

using namespace tandem;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

template <typename T> std::vector<T> elements(const Tensor &tensor) {
  return {tensor.as<T>(), tensor.as<T>() + tensor.shape().numElements()};
}

std::vector<float> counting(int64_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

std::string errorOf(const StridedTensor &strided) {
  auto tensor = toTensor(strided);
  return tensor ? "" : tensor.error().str();
}

TEST(StridedTensor, DenseMemoryIsNotCopied) {
  std::vector<float> x = counting(6);
  const int64_t strides[] = {3, 1}, ofOne[] = {99, 3, 1};
  for (const StridedTensor &strided :
       {StridedTensor{{DType::f32, {2, 3}}, x.data()},
        StridedTensor{{DType::f32, {2, 3}}, x.data(), strides},
        StridedTensor{{DType::f32, {1, 2, 3}}, x.data(), ofOne}}) {
    auto tensor = toTensor(strided);
    ASSERT_TRUE(tensor) << tensor.error().str();
    EXPECT_EQ(tensor->data(), x.data());
    EXPECT_EQ(tensor->type(), strided.type);
  }
}

TEST(StridedTensor, TheOwnerLivesAsLongAsTheTensor) {
  int freed = 0;
  auto *memory = new float[4]{1, 2, 3, 4};
  StridedTensor strided{{DType::f32, {4}}, memory};
  strided.owner = std::shared_ptr<void>(memory, [&freed](void *data) {
    ++freed;
    delete[] static_cast<float *>(data);
  });
  Tensor copy;
  {
    auto tensor = toTensor(strided);
    strided.owner.reset();
    copy = *tensor;
  }
  EXPECT_EQ(freed, 0);
  EXPECT_THAT(elements<float>(copy), ElementsAre(1, 2, 3, 4));
  copy.reset();
  EXPECT_EQ(freed, 1);
}

TEST(StridedTensor, OtherOrdersAreCopied) {
  std::vector<float> x = counting(6);
  const int64_t columns[] = {1, 2}, repeated[] = {0, 1}, every[] = {2};
  auto transposed = toTensor({{DType::f32, {2, 3}}, x.data(), columns});
  EXPECT_THAT(elements<float>(*transposed), ElementsAre(0, 2, 4, 1, 3, 5));
  auto rows = toTensor({{DType::f32, {2, 3}}, x.data(), repeated});
  EXPECT_THAT(elements<float>(*rows), ElementsAre(0, 1, 2, 0, 1, 2));
  auto second = toTensor({{DType::f32, {3}}, x.data(), every});
  EXPECT_THAT(elements<float>(*second), ElementsAre(0, 2, 4));
}

TEST(StridedTensor, NegativeStridesGoBackwards) {
  std::vector<float> x = counting(6);
  const int64_t back[] = {-1}, both[] = {-3, -1};
  auto reversed = toTensor({{DType::f32, {3}}, x.data() + 5, back});
  EXPECT_THAT(elements<float>(*reversed), ElementsAre(5, 4, 3));
  auto turned = toTensor({{DType::f32, {2, 3}}, x.data() + 5, both});
  EXPECT_THAT(elements<float>(*turned), ElementsAre(5, 4, 3, 2, 1, 0));
}

TEST(StridedTensor, MisalignedMemoryIsCopied) {
  std::vector<double> x = {1, 2, 3, 4};
  std::vector<char> bytes(x.size() * sizeof(double) + 1);
  std::memcpy(bytes.data() + 1, x.data(), bytes.size() - 1);
  const int64_t every[] = {2};
  auto dense = toTensor({{DType::f64, {4}}, bytes.data() + 1});
  EXPECT_THAT(elements<double>(*dense), ElementsAre(1, 2, 3, 4));
  auto strided = toTensor({{DType::f64, {2}}, bytes.data() + 1, every});
  EXPECT_THAT(elements<double>(*strided), ElementsAre(1, 3));
}

/// A transpose is larger than the blocks in which it is copied, and every type
/// has elements of its own size.
TEST(StridedTensor, LargeTransposesOfEveryTypeAreCopied) {
  const int64_t rows = 130, columns = 75;
  for (DType dtype : {DType::f64, DType::f32, DType::bf16, DType::i8}) {
    const int64_t width = byteWidth(dtype);
    std::vector<char> bytes(rows * columns * width);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = char(i * 2654435761u >> 13);
    const int64_t strides[] = {1, rows};
    auto tensor = toTensor({{dtype, {rows, columns}}, bytes.data(), strides});
    ASSERT_TRUE(tensor) << tensor.error().str();
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        ASSERT_EQ(std::memcmp(tensor->as<char>() + (r * columns + c) * width,
                              bytes.data() + (c * rows + r) * width, width),
                  0);
  }
}

TEST(StridedTensor, EmptyTensorsNeedNoMemory) {
  auto tensor = toTensor({{DType::f32, {0, 3}}});
  ASSERT_TRUE(tensor) << tensor.error().str();
  EXPECT_TRUE(*tensor);
}

TEST(StridedTensor, WhatCannotBeTakenIsAnError) {
  float x = 0;
  const int64_t one[] = {1}, huge[] = {int64_t(1) << 62, 1};
  EXPECT_THAT(errorOf({{DType::f32, {4}}, nullptr}),
              HasSubstr("data is null, but tensor<4xf32> has elements"));
  EXPECT_THAT(errorOf({{DType::f32, {2, 2}}, &x, one}),
              HasSubstr("1 strides are given for tensor<2x2xf32>"));
  EXPECT_THAT(errorOf({{DType::f32, {-4}}, &x}), HasSubstr("negative dim"));
  EXPECT_THAT(errorOf({{DType::f32, {kDynamic}}, &x}),
              HasSubstr("unknown size"));
  EXPECT_THAT(errorOf({{DType::f32, {2, 2}}, &x, huge}),
              HasSubstr("too large"));
  const int64_t big = int64_t(1) << 40;
  EXPECT_THAT(errorOf({{DType::f32, {big, big}}, &x}), HasSubstr("overflow"));
}

} // namespace
