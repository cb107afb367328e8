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
#include <limits>

using namespace tandem;
using namespace tandem::test;

namespace {

struct Function {
  const char *name;
  double (*exact)(double);
  /// Most units in the last place of f32 by which a result may be off.
  double maxUlp;
};

void PrintTo(const Function &function, std::ostream *os) {
  *os << function.name;
}

/// Every 2^16th-or-so bit pattern of f32 (all exponents, both signs), and the
/// values at which functions change.
std::vector<float> samples() {
  std::vector<float> values = {0.0f,   -0.0f,    1.0f,      -1.0f,   0.5f,
                               -0.5f,  INFINITY, -INFINITY, NAN,     88.7228f,
                               88.73f, -87.33f,  -87.34f,   -103.9f, -104.1f,
                               9.0f,   -9.0f};
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

/// Compares on all samples, with vectors of `vectorBits`.
void check(const Function &function, unsigned vectorBits) {
  std::vector<float> x = samples(), y(x.size());
  std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  CPUTargetOptions options;
  options.vectorBits = vectorBits;
  auto kernel =
      compileKernel("module @k { func.func @k(%x: " + type + ") -> " + type +
                    " { %0 = tandem." + function.name + " %x : " + type +
                    " return %0 : " + type + " } }");
  ASSERT_TRUE(kernel) << kernel.error().str();
  kernel->run({x.data(), y.data()});
  double worst = 0;
  float worstAt = 0, worstIs = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double apart = ulpsApart(y[i], function.exact(x[i]));
    if (apart > worst)
      worst = apart, worstAt = x[i], worstIs = y[i];
  }
  testing::Test::RecordProperty("ulp", std::to_string(worst));
  EXPECT_LE(worst, function.maxUlp)
      << function.name << "(" << worstAt << ") = " << worstIs << ", exactly "
      << function.exact(worstAt);
}

TEST_P(MathAccuracy, IsWithinItsBound) { check(GetParam(), 0); }

/// As on processors whose vectors are narrower: powers of two come from bits.
TEST_P(MathAccuracy, IsWithinItsBoundOnNarrowVectors) {
  check(GetParam(), 256);
}

double rsqrt(double x) { return 1 / std::sqrt(x); }

INSTANTIATE_TEST_SUITE_P(
    F32, MathAccuracy,
    testing::Values(
        Function{"exp", std::exp, 2}, Function{"tanh", std::tanh, 2},
        Function{"log", std::log, 2}, Function{"log1p", std::log1p, 3},
        Function{"expm1", std::expm1, 3}, Function{"erf", std::erf, 4},
        Function{"sin", std::sin, 2}, Function{"cos", std::cos, 2},
        Function{"sqrt", std::sqrt, 0.5001}, Function{"rsqrt", rsqrt, 2}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
