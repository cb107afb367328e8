//===- ContiguousPartsTest.cpp - Parts of tensors without gaps ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Support/ContiguousParts.h"

#include <gmock/gmock.h>

using namespace tandem;
using ::testing::ElementsAre;
using ::testing::Optional;

namespace {

using Numbers = std::vector<int64_t>;

std::optional<int64_t> find(const Shape &shape, Numbers starts, Numbers limits,
                            Numbers strides, DType dtype = DType::f32) {
  fb::SliceAttrsT slice;
  slice.starts = std::move(starts);
  slice.limits = std::move(limits);
  slice.strides = std::move(strides);
  return findContiguousSlice(slice, {dtype, shape});
}

TEST(FindContiguousSlice, OfOneDim) {
  EXPECT_THAT(find({64}, {0}, {64}, {1}), Optional(0));
  EXPECT_THAT(find({64}, {16}, {32}, {1}), Optional(64));
  EXPECT_THAT(find({64}, {3}, {4}, {1}, DType::i8), Optional(3));
  EXPECT_THAT(find({64}, {-16}, {100}, {1}), Optional(192));
  EXPECT_EQ(find({64}, {0}, {64}, {2}), std::nullopt);
  // A single element has no stride.
  EXPECT_THAT(find({64}, {32}, {64}, {32}), Optional(128));
}

TEST(FindContiguousSlice, OfSeveralDims) {
  const Shape shape{4, 8, 16};
  EXPECT_THAT(find(shape, {1, 0, 0}, {3, 8, 16}, {1, 1, 1}), Optional(512));
  EXPECT_THAT(find(shape, {2, 3, 0}, {3, 5, 16}, {1, 1, 1}),
              Optional(4 * (2 * 128 + 3 * 16)));
  EXPECT_THAT(find(shape, {2, 3, 4}, {3, 4, 9}, {1, 1, 1}),
              Optional(4 * (2 * 128 + 3 * 16 + 4)));
  // Two rows of which the ends are cut off, and rows of two matrices.
  EXPECT_EQ(find(shape, {2, 3, 0}, {3, 5, 15}, {1, 1, 1}), std::nullopt);
  EXPECT_EQ(find(shape, {1, 3, 0}, {3, 4, 16}, {1, 1, 1}), std::nullopt);
  EXPECT_EQ(find(shape, {0, 0, 0}, {4, 8, 16}, {2, 1, 1}), std::nullopt);
  // A dim of size 1 may be in front.
  EXPECT_THAT(find({1, 8, 2}, {0, 4, 0}, {1, 8, 2}, {1, 1, 1}), Optional(32));
}

TEST(FindContiguousSlice, OfNothingAndOfUnknownSizes) {
  EXPECT_EQ(find({64}, {16}, {16}, {1}), std::nullopt);
  EXPECT_EQ(find({0, 4}, {0, 0}, {0, 4}, {1, 1}), std::nullopt);
  EXPECT_EQ(find({kDynamic}, {0}, {16}, {1}), std::nullopt);
  EXPECT_EQ(find({64}, {0}, {kDynamic}, {1}), std::nullopt);
  EXPECT_THAT(find({}, {}, {}, {}), Optional(0));
}

TEST(FindContiguousOperands, Cases) {
  const auto find = [](int64_t axis, std::vector<Shape> shapes) {
    std::vector<TensorType> types;
    for (const Shape &shape : shapes)
      types.push_back({DType::f32, shape});
    return findContiguousOperands(axis, types);
  };
  EXPECT_THAT(find(0, {{2, 3}, {0, 3}, {1, 3}}),
              Optional(ElementsAre(0, 24, 24)));
  EXPECT_THAT(find(1, {{1, 3}, {1, 5}}), Optional(ElementsAre(0, 12)));
  EXPECT_EQ(find(1, {{2, 3}, {2, 5}}), std::nullopt);
  EXPECT_EQ(find(0, {{kDynamic}, {2}}), std::nullopt);
}

} // namespace
