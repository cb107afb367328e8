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
      // The instruction takes subnormal numbers for zeros.
      bool isFlushed = value != 0 && std::abs(value) < 0x1p-126 &&
                       static_cast<double>(actual) == 0;
      EXPECT_TRUE(actual.bits == expected.bits || isFlushed)
          << value << ": " << actual.bits << ", not " << expected.bits;
    }
  }
};

/// All around what is between two neighbours of bf16, of all magnitudes, more
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
      if (double value = std::bit_cast<float>(bits); std::abs(value) > 0x1p-120)
        values.push_back(value * (1 + nudge));
  expectRounded("f64", values);
}

TEST_P(BF16, RoundsIntegersOnce) {
  std::vector<int32_t> values;
  for (uint32_t bits : patterns())
    values.push_back(static_cast<int32_t>(bits));
  // Half way between neighbours, and one more than f32 can tell from it.
  for (int shift = 9; shift < 30; ++shift)
    for (int more : {-1, 0, 1})
      values.push_back((0x181 << (shift - 8)) + more);
  values.push_back(0x40400001);
  expectRounded("i32", values);
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
