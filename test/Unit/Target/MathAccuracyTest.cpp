//===- MathAccuracyTest.cpp - Errors of the functions, in ULP -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../InverseErf.h"
#include "CompiledOp.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <type_traits>

using namespace tandem;
using namespace tandem::test;

namespace {

/// What exact values of T are computed in; on x86-64 long double has 64 bits.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <typename T> struct Function {
  const char *name;
  Wide<T> (*exact)(Wide<T>);
  /// Most units in the last place of T by which a result may be off.
  double maxUlp;
  /// Whether it is computed of -x.
  bool isOfNegated = false;
};

template <typename T>
void PrintTo(const Function<T> &function, std::ostream *os) {
  *os << function.name;
}

template <typename T>
constexpr const char *kTypeName = std::is_same_v<T, float> ? "f32" : "f64";

/// Every exponent and both signs at fractions that a stride of bit patterns
/// gives, and the values at which functions change.
template <typename T> std::vector<T> samples() {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> values = {
      T(0.0),    T(-0.0),          T(1.0),           T(-1.0),   T(0.5),
      T(-0.5),   T(0x1.b6b4a4p-2), T(0x1.72c32cp+1), infinity,  -infinity,
      NAN,       T(88.7228),       T(88.73),         T(-87.33), T(-87.34),
      T(-103.9), T(-104.1),        T(9.0),           T(-9.0),   T(709.7827),
      T(709.79), T(-708.4),        T(-745.1),        T(-745.2), T(19.0)};
  constexpr Bits stride = std::numeric_limits<Bits>::max() / 109793;
  for (Bits bits = 0; bits <= std::numeric_limits<Bits>::max() - stride;
       bits += stride)
    values.push_back(std::bit_cast<T>(bits));
  for (int i = -20000; i <= 20000; ++i)
    values.push_back(static_cast<T>(i) / 1000);
  return values;
}

/// The distance in units of the last place of `exact` as a T, subnormals
/// included; infinite where one is NaN or infinite and the other is not.
template <typename T> double ulpsApart(T actual, Wide<T> exact) {
  T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(actual))
    return std::isnan(rounded) && std::isnan(actual) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(actual))
    return rounded == actual ? 0 : INFINITY;
  T magnitude = std::max(std::abs(rounded), std::numeric_limits<T>::min());
  T ulp =
      std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  return static_cast<double>(std::abs(actual - exact) / ulp);
}

/// A kernel of tandem ops on `size` values, with vectors of `vectorBits`. In
/// the source, T is the type of a tensor.
template <typename T>
Expected<CompiledKernel> compileText(std::string source, size_t size,
                                     unsigned vectorBits) {
  CPUTargetOptions options;
  options.vectorBits = vectorBits;
  std::string type =
      "tensor<" + std::to_string(size) + "x" + kTypeName<T> + ">";
  for (size_t at; (at = source.find('T')) != std::string::npos;)
    source.replace(at, 1, type);
  return compileKernel("module @k { func.func @k" + source + " }", options);
}

template <typename T>
Expected<CompiledKernel> compileFunction(const Function<T> &function,
                                         size_t size, unsigned vectorBits) {
  std::string operand = function.isOfNegated ? "%n" : "%x";
  return compileText<T>("(%x: T) -> T { %n = tandem.neg %x : T %0 = tandem." +
                            std::string(function.name) + " " + operand +
                            " : T return %0 : T }",
                        size, vectorBits);
}

/// The largest error seen, and where.
template <typename T> struct Worst {
  double ulps = 0;
  T at = 0, is = 0;

  void update(const Function<T> &function, std::span<const T> x,
              std::span<const T> y) {
    for (size_t i = 0; i < x.size(); ++i)
      if (double apart = ulpsApart<T>(y[i], function.exact(x[i])); apart > ulps)
        *this = {apart, x[i], y[i]};
  }

  void expectWithin(const Function<T> &function) const {
    testing::Test::RecordProperty("ulp", std::to_string(ulps));
    EXPECT_LE(ulps, function.maxUlp)
        << function.name << "(" << at << ") = " << is << ", exactly "
        << function.exact(at);
  }
};

template <typename T>
void checkSamples(const Function<T> &function, unsigned vectorBits) {
  std::vector<T> x = samples<T>(), y(x.size());
  auto kernel = compileFunction<T>(function, x.size(), vectorBits);
  ASSERT_TRUE(kernel) << kernel.error().str();
  kernel->run({x.data(), y.data()});
  Worst<T> worst;
  worst.update(function, x, y);
  worst.expectWithin(function);
}

/// All 2^32 values; minutes.
void checkAll(const Function<float> &function, unsigned vectorBits) {
  constexpr size_t chunk = 1 << 20;
  std::vector<float> x(chunk), y(chunk);
  auto kernel = compileFunction<float>(function, chunk, vectorBits);
  ASSERT_TRUE(kernel) << kernel.error().str();
  Worst<float> worst;
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

class MathAccuracy : public testing::TestWithParam<Function<float>> {};
class MathAccuracyF64 : public testing::TestWithParam<Function<double>> {};

TEST_P(MathAccuracy, IsWithinItsBound) { checkSamples(GetParam(), 0); }
TEST_P(MathAccuracyF64, IsWithinItsBound) { checkSamples(GetParam(), 0); }

/// These kernels are those of processors whose vectors are narrower: powers of
/// two come from bits.
TEST_P(MathAccuracy, IsWithinItsBoundOnNarrowVectors) {
  checkSamples(GetParam(), 256);
}
TEST_P(MathAccuracyF64, IsWithinItsBoundOnNarrowVectors) {
  checkSamples(GetParam(), 256);
}

/// With --gtest_also_run_disabled_tests.
TEST_P(MathAccuracy, DISABLED_IsWithinItsBoundEverywhere) {
  checkAll(GetParam(), 0);
}
TEST_P(MathAccuracy, DISABLED_IsWithinItsBoundEverywhereOnNarrowVectors) {
  checkAll(GetParam(), 256);
}

template <typename W> W rsqrt(W x) { return 1 / std::sqrt(x); }
template <typename W> W expOfNegated(W x) { return std::exp(-x); }
template <typename W> W softplus(W x) {
  return (x < 0 ? 0 : x) + std::log1p(std::exp(-std::abs(x)));
}

template <typename T> auto functions() {
  using F = Function<T>;
  using W = Wide<T>;
  return testing::Values(
      F{"exp", std::exp, 2}, F{"exp", expOfNegated<W>, 2, true},
      F{"tanh", std::tanh, 2}, F{"log", std::log, 2}, F{"log1p", std::log1p, 2},
      F{"expm1", std::expm1, 2}, F{"erf", std::erf, 2}, F{"sin", std::sin, 2},
      F{"cos", std::cos, 2}, F{"asin", std::asin, 2}, F{"acos", std::acos, 2},
      F{"atan", std::atan, 2}, F{"sqrt", std::sqrt, 0.5001},
      F{"rsqrt", rsqrt<W>, 2}, F{"softplus", softplus<W>, 2},
      F{"erfinv", inverseErf<W>, 3});
}

constexpr auto nameOf = [](const auto &info) {
  return info.param.name +
         std::string(info.param.isOfNegated ? "OfNegated" : "");
};
INSTANTIATE_TEST_SUITE_P(F32, MathAccuracy, functions<float>(), nameOf);
INSTANTIATE_TEST_SUITE_P(F64, MathAccuracyF64, functions<double>(), nameOf);

//===----------------------------------------------------------------------===//
// pow and gelu
//===----------------------------------------------------------------------===//

template <typename T> class TypedMathAccuracy : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(TypedMathAccuracy, FloatTypes);

template <typename T>
std::vector<T> raise(const std::vector<T> &x, const std::vector<T> &y,
                     unsigned vectorBits) {
  std::vector<T> power(x.size());
  auto kernel = compileText<T>(
      "(%x: T, %y: T) -> T { %0 = tandem.pow %x, %y : T return %0 : T }",
      x.size(), vectorBits);
  EXPECT_TRUE(kernel) << kernel.error().str();
  if (kernel)
    kernel->run(
        {const_cast<T *>(x.data()), const_cast<T *>(y.data()), power.data()});
  return power;
}

/// Positive numbers of every magnitude to powers whose results cover the range,
/// a little beyond, and the neighborhood of 1.
TYPED_TEST(TypedMathAccuracy, PowIsWithinItsBound) {
  using T = TypeParam;
  constexpr T most = std::numeric_limits<T>::max();
  std::mt19937_64 random(7);
  std::uniform_real_distribution<Wide<T>> part(-1, 1);
  std::vector<T> x, y;
  for (int i = 0; i < 200000; ++i) {
    Wide<T> log = part(random) * std::log(Wide<T>(most));
    if (i % 2)
      log = part(random) / 8;
    x.push_back(static_cast<T>(std::exp(log)));
    Wide<T> result = Wide<T>(1.1) * part(random) * std::log(Wide<T>(most));
    y.push_back(static_cast<T>(result / std::log(Wide<T>(x.back()))));
  }
  for (unsigned vectorBits : {0, 256}) {
    const std::vector<T> power = raise(x, y, vectorBits);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      double apart =
          ulpsApart<T>(power[i], std::pow(Wide<T>(x[i]), Wide<T>(y[i])));
      worst = std::max(worst, apart);
      ASSERT_LE(apart, 2) << x[i] << "^" << y[i] << " = " << power[i];
    }
    this->RecordProperty("ulp" + std::to_string(vectorBits),
                         std::to_string(worst));
  }
}

/// Signs, too.
TYPED_TEST(TypedMathAccuracy, PowOfSpecialValuesIsThatOfC) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::vector<T> values, x, y;
  for (T value :
       {T(0), T(0.5), T(0.75), T(1), T(1.5), T(2), T(3), T(1e30),
        1 + Limits::epsilon(), 1 / Limits::epsilon() + 1, 2 / Limits::epsilon(),
        Limits::min(), Limits::denorm_min(), Limits::min() / 3, Limits::max(),
        Limits::infinity(), Limits::quiet_NaN()})
    values.insert(values.end(), {value, -value});
  for (T base : values)
    for (T exponent : values) {
      x.push_back(base);
      y.push_back(exponent);
    }
  for (unsigned vectorBits : {0, 256}) {
    const std::vector<T> power = raise(x, y, vectorBits);
    for (size_t i = 0; i < x.size(); ++i) {
      const Wide<T> exact = std::pow(Wide<T>(x[i]), Wide<T>(y[i]));
      EXPECT_LE(ulpsApart<T>(power[i], exact), 1)
          << x[i] << "^" << y[i] << " = " << power[i] << ", not " << exact;
      if (!std::isnan(exact))
        EXPECT_EQ(std::signbit(power[i]), std::signbit(exact))
            << x[i] << "^" << y[i] << " = " << power[i];
    }
  }
}

/// 1 + f(x) has an expansion of its own, within 2 ULP of 1.
template <typename T>
void checkOnePlus(std::string name, Wide<T> (*exact)(Wide<T>),
                  unsigned vectorBits) {
  std::vector<T> x = samples<T>(), y(x.size());
  auto kernel = compileText<T>(
      "(%x: T) -> T { %c = tandem.constant dense<1.0> : T %0 = tandem." + name +
          " %x : T %1 = tandem.add %0, %c : (T, T) -> T return %1 : T }",
      x.size(), vectorBits);
  ASSERT_TRUE(kernel) << kernel.error().str();
  kernel->run({x.data(), y.data()});
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(std::isnan(y[i]), std::isnan(x[i])) << name << " " << x[i];
    if (!std::isnan(x[i]))
      ASSERT_LE(std::abs(Wide<T>(y[i]) - (1 + exact(x[i]))),
                std::numeric_limits<T>::epsilon() * 2)
          << name << " " << x[i];
  }
}

TYPED_TEST(TypedMathAccuracy, OnePlusIsWithinItsBound) {
  for (unsigned vectorBits : {0, 256}) {
    checkOnePlus<TypeParam>("erf", std::erf, vectorBits);
    checkOnePlus<TypeParam>("tanh", std::tanh, vectorBits);
  }
}

/// The error of 1 + erf of negative numbers is as large as the distance between
/// numbers next to 1.
TYPED_TEST(TypedMathAccuracy, GeluIsWithinItsBound) {
  using T = TypeParam;
  using W = Wide<T>;
  constexpr T epsilon = std::numeric_limits<T>::epsilon();
  std::vector<T> x = samples<T>(), y(x.size());
  for (unsigned vectorBits : {0, 256}) {
    auto kernel =
        compileText<T>("(%x: T) -> T { %0 = tandem.gelu %x : T return %0 : T }",
                       x.size(), vectorBits);
    ASSERT_TRUE(kernel) << kernel.error().str();
    kernel->run({x.data(), y.data()});
    for (size_t i = 0; i < x.size(); ++i) {
      const W exact =
          W(x[i]) / 2 * std::erfc(-W(x[i]) / std::numbers::sqrt2_v<W>);
      const W off = std::abs(W(y[i]) - exact);
      if (std::isfinite(x[i]) && x[i] < 0)
        EXPECT_LE(off, epsilon / 2 * -W(x[i]) + std::numeric_limits<T>::min())
            << x[i];
      else
        EXPECT_LE(ulpsApart<T>(y[i], exact), 2.5) << x[i] << " " << y[i];
    }
  }
}

} // namespace
