//===- CopyTest.cpp - Copies past the caches ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Measure/Copy.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>
#include <vector>

using namespace tandem::measure;

namespace {

/// Stores, bytes, and how far the target is from a line's beginning.
class Copy : public testing::TestWithParam<std::tuple<Stores, size_t, size_t>> {
protected:
  static constexpr char kBefore = 0x55;
  static constexpr size_t kAround = 128;

  Stores stores = std::get<0>(GetParam());
  size_t bytes = std::get<1>(GetParam()), offset = std::get<2>(GetParam());
  std::vector<char> memory = std::vector<char>(bytes + 2 * kAround, kBefore);
  char *target = memory.data() + offset;

  /// Whether what is beside the target is as it was.
  void expectTheRestUntouched() const {
    for (size_t i = 0; i < memory.size(); ++i)
      if (i < offset || i >= offset + bytes) {
        ASSERT_EQ(memory[i], kBefore) << i;
      }
  }
};

TEST_P(Copy, CopiesAllBytesAndNoOther) {
  std::vector<char> source(bytes);
  for (size_t i = 0; i < bytes; ++i)
    source[i] = static_cast<char>(i * 7 + i / 251);
  copyOnAllThreads(target, source.data(), bytes, stores);
  EXPECT_TRUE(std::equal(source.begin(), source.end(), target));
  expectTheRestUntouched();
}

TEST_P(Copy, ClearsAllBytesAndNoOther) {
  clearOnAllThreads(target, bytes, stores);
  EXPECT_EQ(std::count(target, target + bytes, 0), bytes);
  expectTheRestUntouched();
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, Copy,
    testing::Combine(testing::Values(Stores::cached, Stores::streaming),
                     testing::Values(0, 1, 63, 200, 8192, 40000),
                     testing::Values(0, 1, 16, 63)));

} // namespace
