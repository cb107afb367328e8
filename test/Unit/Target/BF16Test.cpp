//===- BF16Test.cpp - bf16 with and without instructions for it -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledOp.h"

#include "tandem/Runtime/Float16.h"
#include "tandem/Target/CPU/CPUTarget.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace tandem;
using namespace tandem::test;

namespace {

/// What is taken away from this host.
class BF16 : public testing::TestWithParam<const char *> {
protected:
  CPUTargetOptions options() const {
    CPUTargetOptions options;
    options.features = GetParam();
    return options;
  }

  /// A kernel that casts `size` elements.
  CompiledKernel compileCast(const char *from, const char *to, size_t size) {
    auto typeOf = [&](const char *element) {
      return "tensor<" + std::to_string(size) + "x" + element + ">";
    };
    auto kernel = compileKernel(
        "module @k { func.func @k(%x: " + typeOf(from) + ") -> " + typeOf(to) +
            " { %0 = tandem.cast %x : (" + typeOf(from) + ") -> " + typeOf(to) +
            " return %0 : " + typeOf(to) + " } }",
        options());
    EXPECT_TRUE(kernel) << kernel.error().str();
    return *kernel;
  }

  template <typename T>
  void expectRounded(const char *type, const std::vector<T> &values) {
    std::vector<uint16_t> result(values.size());
    compileCast(type, "bf16", values.size())
        .run({const_cast<T *>(values.data()), result.data()});
    for (size_t i = 0; i < values.size(); ++i) {
      auto value = static_cast<double>(values[i]);
      tandem::BF16 expected(value), actual;
      actual.bits = result[i];
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(static_cast<double>(actual)));
        continue;
      }
      EXPECT_EQ(actual.bits, expected.bits) << value;
    }
  }
};

/// All around what is between two neighbors of bf16, of all magnitudes, more
/// than fill some vectors.
std::vector<uint32_t> patterns() {
  std::vector<uint32_t> result;
  for (uint32_t upper = 0; upper < 0x10000; upper += 61)
    for (uint32_t lower :
         {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      result.push_back(upper << 16 | lower);
  for (uint32_t special : {0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fffffffu,
                           0xff800000u, 0xffffffffu})
    result.push_back(special);
  return result;
}

TEST_P(BF16, RoundsF32ToNearestEven) {
  std::vector<float> values;
  for (uint32_t bits : patterns())
    values.push_back(std::bit_cast<float>(bits));
  expectRounded("f32", values);
}

TEST_P(BF16, RoundsF64Once) {
  std::vector<double> values;
  for (uint32_t bits : patterns())
    for (double nudge : {0.0, 0x1p-40, -0x1p-40})
      values.push_back(std::bit_cast<float>(bits) * (1 + nudge));
  expectRounded("f64", values);
}

TEST_P(BF16, RoundsIntegersOnce) {
  std::vector<int32_t> values;
  for (uint32_t bits : patterns())
    values.push_back(static_cast<int32_t>(bits));
  // Half way between neighbors, and one more than f32 can tell from it.
  for (int shift = 9; shift < 30; ++shift)
    for (int more : {-1, 0, 1})
      values.push_back((0x181 << (shift - 8)) + more);
  values.push_back(0x40400001);
  expectRounded("i32", values);
}

/// Whether `bits`, finite and positive, are the number of bf16 nearest to
/// `value`, of two the even one. All sums are exact: neighbors are 2^k apart.
bool isNearest(uint16_t bits, int64_t value) {
  auto valueOf = [](int pattern) {
    tandem::BF16 number;
    number.bits = static_cast<uint16_t>(pattern);
    return static_cast<int64_t>(static_cast<double>(number));
  };
  int64_t here = valueOf(bits);
  int64_t up = valueOf(bits + 1) - here, down = here - valueOf(bits - 1);
  int64_t rest = 2 * (value - here);
  bool isEven = bits % 2 == 0;
  return isEven ? -down <= rest && rest <= up : -down < rest && rest < up;
}

TEST_P(BF16, RoundsLongIntegersOnce) {
  std::vector<int64_t> values;
  // About the middle between neighbors, from where f64 has all integers to
  // where it does not; the last place of f64 is up to 2^9.
  for (int shift = 10; shift < 53; ++shift)
    for (int64_t upper : {0x181, 0x183, 0x101, 0x1fd})
      for (int64_t more : {-513, -512, -257, -1, 0, 1, 256, 511, 513})
        values.push_back((upper << shift) + more);
  std::vector<int64_t> both = values;
  for (int64_t value : values)
    both.push_back(-value);
  std::vector<uint16_t> result(both.size());
  compileCast("i64", "bf16", both.size()).run({both.data(), result.data()});
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(isNearest(result[i], values[i])) << values[i];
    EXPECT_EQ(result[i + values.size()], result[i] | 0x8000) << -values[i];
  }
}

TEST_P(BF16, WidensExactly) {
  std::vector<uint16_t> values;
  for (uint32_t bits = 0; bits < 0x10000; bits += 7)
    values.push_back(static_cast<uint16_t>(bits));
  std::vector<uint32_t> result(values.size());
  compileCast("bf16", "f32", values.size()).run({values.data(), result.data()});
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(result[i], static_cast<uint32_t>(values[i]) << 16);
}

INSTANTIATE_TEST_SUITE_P(Hosts, BF16, bf16Hosts(), hostName);

} // namespace
