//===- RelayoutTest.cpp - Elements of constants in another order ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/Relayout.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace mlir;
using namespace tandem::ir;

namespace {

struct RelayoutTest : testing::Test {
  RelayoutTest() { context.loadDialect<TandemDialect>(); }

  RankedTensorType typeOf(ArrayRef<int64_t> shape, unsigned bits = 32) {
    return RankedTensorType::get(shape, IntegerType::get(&context, bits));
  }
  /// 0, 1, 2, …
  ElementsAttr iota(ArrayRef<int64_t> shape, unsigned bits = 32) {
    SmallVector<APInt> values;
    for (int64_t i = 0; i < llvm::product_of(shape); ++i)
      values.push_back(APInt(bits, i, false, /*implicitTrunc=*/true));
    return DenseElementsAttr::get(typeOf(shape, bits), values);
  }
  static std::vector<char> bytesOf(ElementsAttr elements) {
    ArrayRef<char> bytes;
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
      bytes = resource.getRawHandle().getBlob()->getData();
    else
      bytes = cast<DenseElementsAttr>(elements).getRawData();
    return {bytes.begin(), bytes.end()};
  }
  void checkTransposed(int64_t rows, int64_t columns, unsigned bits) {
    ElementsAttr given = iota({rows, columns}, bits);
    ElementsAttr transposed = transpose(given, {1, 0});
    ASSERT_TRUE(transposed);
    EXPECT_EQ(transposed.getType(), typeOf({columns, rows}, bits));
    std::vector<char> from = bytesOf(given), to = bytesOf(transposed);
    ASSERT_EQ(from.size(), to.size());
    int64_t width = bits / 8;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        ASSERT_EQ(std::memcmp(&from[(i * columns + j) * width],
                              &to[(j * rows + i) * width], width),
                  0)
            << rows << "x" << columns << ", " << bits << " bits, at " << i
            << ", " << j;
  }

  MLIRContext context;
};

TEST_F(RelayoutTest, TransposesWholeAndCutTiles) {
  for (unsigned bits : {8, 16, 32, 64})
    for (int64_t rows : {1, 15, 16, 31, 33, 128})
      for (int64_t columns : {1, 2, 17, 32, 97})
        checkTransposed(rows, columns, bits);
}

TEST_F(RelayoutTest, SmallOnesAreUniquedByTheirElements) {
  ElementsAttr transposed = transpose(iota({2, 3}), {1, 0});
  EXPECT_EQ(transposed,
            DenseElementsAttr::get(typeOf({3, 2}),
                                   ArrayRef<int32_t>{0, 3, 1, 4, 2, 5}));
}

TEST_F(RelayoutTest, LargeOnesAreResourcesAndMadeOnce) {
  checkTransposed(256, 129, 32);
  ElementsAttr given = iota({256, 256});
  ElementsAttr transposed = transpose(given, {1, 0});
  EXPECT_TRUE(isa<DenseResourceElementsAttr>(transposed));
  EXPECT_EQ(transpose(given, {1, 0}), transposed);
  EXPECT_NE(transpose(iota({128, 512}), {1, 0}), transposed);
  // And back, from a resource.
  EXPECT_EQ(bytesOf(transpose(transposed, {1, 0})), bytesOf(given));
}

TEST_F(RelayoutTest, HugeOnesAreZeroWhereNothingIsPut) {
  // Over 2 MiB: two columns of three, the third is padding.
  int64_t rows = 200000;
  StridedBox box{{rows, 2}, {2, 1}, {3, 1}, 0, 0};
  ElementsAttr padded = rearrange(iota({rows, 2}), typeOf({rows, 3}), box);
  ASSERT_TRUE(padded);
  std::vector<char> bytes = bytesOf(padded);
  const auto *elements = reinterpret_cast<const int32_t *>(bytes.data());
  for (int32_t i = 0; i < rows; ++i) {
    ASSERT_EQ(elements[3 * i], 2 * i);
    ASSERT_EQ(elements[3 * i + 1], 2 * i + 1);
    ASSERT_EQ(elements[3 * i + 2], 0);
  }
}

TEST_F(RelayoutTest, SplatsStaySplats) {
  auto splat = DenseElementsAttr::get(typeOf({512, 256}), int32_t(7));
  ElementsAttr transposed = transpose(splat, {1, 0});
  EXPECT_EQ(transposed, DenseElementsAttr::get(typeOf({256, 512}), int32_t(7)));
}

TEST_F(RelayoutTest, ReshapesKeepTheBytes) {
  ElementsAttr small = iota({2, 3});
  EXPECT_EQ(bytesOf(reshape(small, typeOf({6}))), bytesOf(small));
  ElementsAttr large = transpose(iota({256, 256}), {1, 0});
  ElementsAttr flat = reshape(large, typeOf({65536}));
  EXPECT_EQ(flat.getType(), typeOf({65536}));
  EXPECT_EQ(bytesOf(flat), bytesOf(large));
}

TEST_F(RelayoutTest, MissingBytesAndBitsAreRefused) {
  DenseResourceElementsHandle handle =
      DenseResourceElementsHandle::getManagerInterface(&context).insert(
          "missing");
  auto missing = DenseResourceElementsAttr::get(typeOf({4, 4}), handle);
  EXPECT_FALSE(transpose(missing, {1, 0}));
  EXPECT_FALSE(transpose(iota({4, 4}, 1), {1, 0}));
}

} // namespace
