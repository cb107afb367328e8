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
#include <numeric>
#include <sstream>

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

/// All around what is between each two neighbors of bf16.
std::vector<uint32_t> patterns() {
  std::vector<uint32_t> result;
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
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

constexpr size_t kSide = 256, kAll = kSide * kSide;

/// An op on %x of type 256x256xT, and in the end perhaps %x again.
struct Move {
  const char *op;
  const char *result; ///< The shape of the result.
  /// The number of the element that element `i` of the result is.
  size_t (*source)(size_t i);
};

const Move kMoves[] = {
    {"broadcast %x shape = [256, 256, 5] dims = [0, 1] : (256x256xT)",
     "256x256x5", [](size_t i) { return i / 5; }},
    {"broadcast %x shape = [256, 256, 40] dims = [0, 1] : (256x256xT)",
     "256x256x40", [](size_t i) { return i / 40; }},
    {"broadcast %x shape = [256, 256, 5, 7] dims = [0, 1] : (256x256xT)",
     "256x256x5x7", [](size_t i) { return i / 35; }},
    {"broadcast %x shape = [5, 256, 256] dims = [1, 2] : (256x256xT)",
     "5x256x256", [](size_t i) { return i % kAll; }},
    {"transpose %x permutation = [1, 0] : (256x256xT)", "256x256",
     [](size_t i) { return i % kSide * kSide + i / kSide; }},
    {"slice %x starts = [0, 1] limits = [256, 256] strides = [1, 5] : "
     "(256x256xT)",
     "256x51", [](size_t i) { return i / 51 * kSide + i % 51 * 5 + 1; }},
    {"concat %x, %x axis = 1 : (256x256xT, 256x256xT)", "256x512",
     [](size_t i) { return i / (2 * kSide) * kSide + i % kSide; }}};

/// Text with "256x256xT" and the like written as types of `element`.
std::string withTypes(std::string text, const std::string &element) {
  for (size_t at = 0; (at = text.find("256x256xT", at)) != std::string::npos;)
    text.replace(at, 9, "tensor<256x256x" + element + ">");
  return text;
}

/// The kernel of one op on all 65536 numbers of 16 bits.
std::vector<uint16_t> runOnAll(const std::string &op, const std::string &shape,
                               const std::string &element, size_t count,
                               const CPUTargetOptions &options) {
  const std::string result = "tensor<" + shape + "x" + element + ">";
  auto kernel =
      compileKernel(withTypes("module @k { func.func @k(%x: 256x256xT) -> " +
                                  result + " { %0 = tandem." + op + " -> " +
                                  result + " return %0 : " + result + " } }",
                              element),
                    options);
  EXPECT_TRUE(kernel) << kernel.error().str();
  if (!kernel)
    return {};
  std::vector<uint16_t> all(kAll), results(count);
  std::iota(all.begin(), all.end(), 0);
  kernel->run({all.data(), results.data()});
  return results;
}

/// Ops that move elements change no bit of them, not even of subnormal numbers
/// and NaN. Left to LLVM 22, masked vectors of a broadcast element are rounded.
TEST_P(BF16, MovesAllBits) {
  for (const char *element : {"bf16", "f16"})
    for (const Move &move : kMoves) {
      SCOPED_TRACE(std::string(move.op) + " of " + element);
      size_t count = 1;
      for (std::stringstream shape(move.result); !shape.eof();) {
        size_t size = 0;
        shape >> size;
        shape.ignore(1);
        count *= size;
      }
      auto results = runOnAll(move.op, move.result, element, count, options());
      for (size_t i = 0; i < results.size(); ++i)
        ASSERT_EQ(results[i], move.source(i)) << "element " << i;
    }
}

/// Ops whose results are numbers of 16 bits: nothing is rounded or flushed.
template <typename T>
void expectExact(const std::string &op, const std::string &element,
                 double (*function)(double), const CPUTargetOptions &options) {
  SCOPED_TRACE(op + " of " + element);
  auto results = runOnAll(op, "256x256", element, kAll, options);
  for (size_t i = 0; i < results.size(); ++i) {
    T x, actual;
    x.bits = static_cast<uint16_t>(i);
    actual.bits = results[i];
    const auto value = static_cast<double>(x);
    if (std::isnan(value))
      ASSERT_TRUE(std::isnan(static_cast<double>(actual))) << i;
    else
      ASSERT_EQ(actual.bits, T(function(value)).bits) << value;
  }
}

template <typename T>
void expectAllExact(const std::string &element,
                    const CPUTargetOptions &options) {
  expectExact<T>(
      "relu %x : (256x256xT)", element, [](double x) { return x < 0 ? 0 : x; },
      options);
  expectExact<T>(
      "neg %x : (256x256xT)", element, [](double x) { return -x; }, options);
  expectExact<T>(
      "max %x, %x : (256x256xT, 256x256xT)", element,
      [](double x) { return x; }, options);
  // Twice a number, and squares, some of which are subnormal.
  expectExact<T>(
      "add %x, %x : (256x256xT, 256x256xT)", element,
      [](double x) { return x + x; }, options);
  expectExact<T>(
      "mul %x, %x : (256x256xT, 256x256xT)", element,
      [](double x) { return x * x; }, options);
}

TEST_P(BF16, KeepsSubnormalResults) {
  expectAllExact<tandem::BF16>("bf16", options());
  expectAllExact<F16>("f16", options());
}

INSTANTIATE_TEST_SUITE_P(Hosts, BF16, bf16Hosts(), hostName);

} // namespace
