//===- MathAccuracyTest.cpp - Errors of the functions, in ULP -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledOp.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>

using namespace tandem;
using namespace tandem::test;

namespace {

struct Function {
  const char *name;
  double (*exact)(double);
  /// Most units in the last place of f32 by which a result may be off.
  double maxUlp;
  /// Whether it is computed of -x.
  bool isOfNegated = false;
};

void PrintTo(const Function &function, std::ostream *os) {
  *os << function.name;
}

/// Every 2^16th-or-so bit pattern of f32 (all exponents, both signs), and the
/// values at which functions change.
std::vector<float> samples() {
  std::vector<float> values = {
      0.0f,    -0.0f,          1.0f,           -1.0f,    0.5f,
      -0.5f,   0x1.b6b4a4p-2f, 0x1.72c32cp+1f, INFINITY, -INFINITY,
      NAN,     88.7228f,       88.73f,         -87.33f,  -87.34f,
      -103.9f, -104.1f,        9.0f,           -9.0f};
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 39119)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (int i = -20000; i <= 20000; ++i)
    values.push_back(static_cast<float>(i) / 1000);
  return values;
}

/// The distance in units of the last place of `exact` as an f32, subnormals
/// included; infinite where one is NaN or infinite and the other is not.
double ulpsApart(float actual, double exact) {
  float rounded = static_cast<float>(exact);
  if (std::isnan(rounded) || std::isnan(actual))
    return std::isnan(rounded) && std::isnan(actual) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(actual))
    return rounded == actual ? 0 : INFINITY;
  float magnitude =
      std::max(std::abs(rounded), std::numeric_limits<float>::min());
  double ulp = std::nextafter(magnitude, INFINITY) - magnitude;
  return std::abs(actual - exact) / ulp;
}

class MathAccuracy : public testing::TestWithParam<Function> {};

/// A kernel of the function on `size` values, with vectors of `vectorBits`.
Expected<CompiledKernel> compileFunction(const Function &function, size_t size,
                                         unsigned vectorBits) {
  std::string type = "tensor<" + std::to_string(size) + "xf32>";
  CPUTargetOptions options;
  options.vectorBits = vectorBits;
  std::string negated = " %n = tandem.neg %x : " + type;
  return compileKernel("module @k { func.func @k(%x: " + type + ") -> " + type +
                           " { " + (function.isOfNegated ? negated : "") +
                           " %0 = tandem." + function.name +
                           (function.isOfNegated ? " %n : " : " %x : ") + type +
                           " return %0 : " + type + " } }",
                       options);
}

/// The largest error seen, and where.
struct Worst {
  double ulps = 0;
  float at = 0, is = 0;

  void update(const Function &function, std::span<const float> x,
              std::span<const float> y) {
    for (size_t i = 0; i < x.size(); ++i)
      if (double apart = ulpsApart(y[i], function.exact(x[i])); apart > ulps)
        *this = {apart, x[i], y[i]};
  }

  void expectWithin(const Function &function) const {
    testing::Test::RecordProperty("ulp", std::to_string(ulps));
    EXPECT_LE(ulps, function.maxUlp)
        << function.name << "(" << at << ") = " << is << ", exactly "
        << function.exact(at);
  }
};

void checkSamples(const Function &function, unsigned vectorBits) {
  std::vector<float> x = samples(), y(x.size());
  auto kernel = compileFunction(function, x.size(), vectorBits);
  ASSERT_TRUE(kernel) << kernel.error().str();
  kernel->run({x.data(), y.data()});
  Worst worst;
  worst.update(function, x, y);
  worst.expectWithin(function);
}

/// All 2^32 values; minutes.
void checkAll(const Function &function, unsigned vectorBits) {
  constexpr size_t chunk = 1 << 20;
  std::vector<float> x(chunk), y(chunk);
  auto kernel = compileFunction(function, chunk, vectorBits);
  ASSERT_TRUE(kernel) << kernel.error().str();
  Worst worst;
  for (uint64_t first = 0; first <= 0xffffffffu; first += chunk) {
    for (size_t i = 0; i < chunk; ++i)
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(first + i));
    kernel->run({x.data(), y.data()});
    worst.update(function, x, y);
  }
  worst.expectWithin(function);
  std::printf("%s: %.3f ULP at %a\n", function.name, worst.ulps,
              static_cast<double>(worst.at));
}

TEST_P(MathAccuracy, IsWithinItsBound) { checkSamples(GetParam(), 0); }

/// As on processors whose vectors are narrower: powers of two come from bits.
TEST_P(MathAccuracy, IsWithinItsBoundOnNarrowVectors) {
  checkSamples(GetParam(), 256);
}

/// With --gtest_also_run_disabled_tests.
TEST_P(MathAccuracy, DISABLED_IsWithinItsBoundEverywhere) {
  checkAll(GetParam(), 0);
}
TEST_P(MathAccuracy, DISABLED_IsWithinItsBoundEverywhereOnNarrowVectors) {
  checkAll(GetParam(), 256);
}

double rsqrt(double x) { return 1 / std::sqrt(x); }
double expOfNegated(double x) { return std::exp(-x); }

INSTANTIATE_TEST_SUITE_P(
    F32, MathAccuracy,
    testing::Values(
        Function{"exp", std::exp, 2}, Function{"exp", expOfNegated, 2, true},
        Function{"tanh", std::tanh, 2}, Function{"log", std::log, 2},
        Function{"log1p", std::log1p, 2}, Function{"expm1", std::expm1, 2},
        Function{"erf", std::erf, 2}, Function{"sin", std::sin, 2},
        Function{"cos", std::cos, 2}, Function{"sqrt", std::sqrt, 0.5001},
        Function{"rsqrt", rsqrt, 2}),
    [](const auto &info) {
      return info.param.name +
             std::string(info.param.isOfNegated ? "OfNegated" : "");
    });

} // namespace
