//===- AccuracyTest.cpp - Errors of functions and long sums -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../InverseErf.h"
#include "Cases.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

using namespace tandem;
using namespace tandem::test;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Function {
  OpKind kind;
  /// For f64, whose error is measured with it, in long double.
  long double (*exact)(long double);
};

void PrintTo(const Function &function, std::ostream *os) {
  *os << name(function.kind);
}

/// The elements of the result, of type T, on one thread or more.
template <typename T>
std::vector<T> compute(const OpDesc &op, const std::vector<Tensor> &operands) {
  Expected<Tensor> result = run(eigenProvider(), op, operands);
  EXPECT_TRUE(result) << result.error().str();
  const T *data = result->template as<T>();
  return {data, data + result->shape().numElements()};
}

template <typename T>
Tensor tensorOf(const std::vector<T> &values, const Shape &shape) {
  Tensor tensor =
      *Tensor::allocate({sizeof(T) == 4 ? DType::f32 : DType::f64, shape});
  std::copy(values.begin(), values.end(), tensor.as<T>());
  return tensor;
}
template <typename T> Tensor tensorOf(const std::vector<T> &values) {
  return tensorOf(values, {static_cast<int64_t>(values.size())});
}

/// In units of the last place of T. A subnormal result may be flushed to zero,
/// nothing else.
template <typename T> double ulpsApart(T actual, long double exact) {
  constexpr T least = std::numeric_limits<T>::min();
  const T rounded = static_cast<T>(exact);
  if (actual == rounded || (std::isnan(actual) && std::isnan(rounded)))
    return 0;
  if (!std::isfinite(actual) || !std::isfinite(rounded))
    return kInf;
  if (std::abs(rounded) < least && actual == 0)
    return 0;
  const T magnitude = std::max(std::abs(rounded), least);
  const T ulp =
      std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  return static_cast<double>(std::abs(actual - exact) / ulp);
}

/// Values of all exponents and both signs, evenly spaced ones about zero, and
/// those about which exp overflows and underflows.
template <typename T> std::vector<T> samples() {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr Bits step = std::numeric_limits<Bits>::max() / 200003;
  std::vector<T> values = {T(kInf), -T(kInf)};
  for (Bits i = 0; i <= 200003; ++i)
    values.push_back(std::bit_cast<T>(i * step));
  for (int i = -40000; i <= 40000; ++i)
    values.push_back(static_cast<T>(i) / 2000);
  const double largest =
      std::numeric_limits<T>::max_exponent * std::numbers::ln2;
  for (int i = -2000; i <= 2000; ++i) {
    values.push_back(static_cast<T>(largest + i / 2000.));
    values.push_back(static_cast<T>(-largest - i / 50.));
  }
  return values;
}

class Accuracy : public testing::TestWithParam<Function> {
protected:
  template <typename T> void check() {
    const auto [kind, exact] = GetParam();
    const std::vector<T> values = samples<T>();
    const std::vector<T> actual = compute<T>(makeOp(kind), {tensorOf(values)});
    double worst = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const double ulps = ulpsApart<T>(actual[i], exact(values[i]));
      worst = std::max(worst, ulps);
      ASSERT_LE(ulps, 6) << values[i] << ": " << actual[i];
    }
    RecordProperty("ulps", std::to_string(worst));
  }
};
} // namespace

TEST_P(Accuracy, OfF32) { check<float>(); }
TEST_P(Accuracy, OfF64) { check<double>(); }

static const Function functions[] = {
    {OpKind::exp, std::exp},
    {OpKind::expm1, std::expm1},
    {OpKind::log, std::log},
    {OpKind::log1p, std::log1p},
    {OpKind::tanh, std::tanh},
    {OpKind::erf, std::erf},
    {OpKind::sin, std::sin},
    {OpKind::cos, std::cos},
    {OpKind::asin, std::asin},
    {OpKind::acos, std::acos},
    {OpKind::atan, std::atan},
    {OpKind::erfinv, inverseErf<long double>},
    {OpKind::sigmoid,
     [](long double x) -> long double { return 1 / (1 + std::exp(-x)); }},
    {OpKind::softplus,
     [](long double x) -> long double {
       return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x)));
     }},
};
INSTANTIATE_TEST_SUITE_P(Functions, Accuracy, testing::ValuesIn(functions),
                         [](const auto &info) {
                           return std::string(name(info.param.kind));
                         });

template <typename T> static void checkPow(double largestPower) {
  std::vector<T> x, y;
  std::mt19937_64 rng(1);
  std::uniform_real_distribution<double> power(-largestPower, largestPower),
      base(-20, 20);
  for (int i = 0; i < 100000; ++i) {
    // Bases near 1 too, whose powers are large.
    x.push_back(static_cast<T>(std::exp2(base(rng) / (1 + i % 4000))));
    y.push_back(static_cast<T>(power(rng) / std::log2(x.back())));
  }
  const std::vector<T> actual =
      compute<T>(makeOp(OpKind::pow), {tensorOf(x), tensorOf(y)});
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_LE(ulpsApart<T>(actual[i], std::pow(static_cast<long double>(x[i]),
                                               static_cast<long double>(y[i]))),
              6)
        << x[i] << " ^ " << y[i] << " = " << actual[i];
}

TEST(Accuracy, OfPow) {
  checkPow<float>(130);
  checkPow<double>(1030);
}

/// And that of its derivative.
TEST(Accuracy, OfGeluIsAbsolute) {
  std::vector<float> values;
  for (int i = -120000; i <= 120000; ++i)
    values.push_back(static_cast<float>(i) / 10000);
  for (OpKind kind : {OpKind::gelu, OpKind::gelu_derivative})
    for (bool approximate : {false, true}) {
      const OpDesc op = makeOp(kind, fb::GeluAttrsT{{}, approximate});
      const std::vector<double> exact = referenceValues(op, {tensorOf(values)});
      const std::vector<float> actual = compute<float>(op, {tensorOf(values)});
      for (size_t i = 0; i < values.size(); ++i)
        ASSERT_LE(std::abs(actual[i] - exact[i]),
                  0x1p-22 * std::max(1.0, std::abs(exact[i])))
            << name(kind) << " of " << values[i];
    }
}

/// Whole vectors and what is left over compute the same.
TEST(Accuracy, DoesNotDependOnAnElementsPlace) {
  for (OpKind kind : {OpKind::exp, OpKind::expm1, OpKind::erf, OpKind::sigmoid,
                      OpKind::gelu, OpKind::gelu_derivative}) {
    const OpDesc op = getOpInfo(kind).attrs == fb::OpAttrs::GeluAttrs
                          ? makeOp(kind, fb::GeluAttrsT())
                          : makeOp(kind);
    for (float x : {88.5f, 88.6f, -88.5f, -104.f, 0.3f, 1e-38f, -3.7f}) {
      const auto actual = compute<float>(op, {tensorOf(std::vector(35, x))});
      for (float value : actual)
        ASSERT_EQ(value, actual[0]) << name(kind) << " of " << x;
    }
  }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Sums of equal addends: in plain sequence every addition would err to the
/// same side.
template <typename T>
static void checkSums(const Shape &shape, std::vector<int64_t> dims,
                      double ulps) {
  const std::vector<T> values(shape.numElements(), T(0.1));
  long double sum = values[0];
  for (int64_t dim : dims)
    sum *= shape[dim];
  for (fb::ReduceKind kind : {fb::ReduceKind::sum, fb::ReduceKind::mean}) {
    fb::ReduceAttrsT attrs;
    attrs.kind = kind;
    attrs.dims = dims;
    const bool isSum = kind == fb::ReduceKind::sum;
    for (T actual :
         compute<T>(makeOp(OpKind::reduce, attrs), {tensorOf(values, shape)}))
      ASSERT_LE(ulpsApart<T>(actual, isSum ? sum : values[0]), ulps)
          << shape.rank() << " dims";
  }
}

TEST(LongSums, AreNotSequential) {
  checkSums<float>({100000, 10}, {0}, 16);
  checkSums<float>({100000, 150}, {0}, 16);
  checkSums<float>({50000, 3, 4}, {0, 2}, 16);
  checkSums<float>({300, 3, 300, 5}, {0, 2}, 16);
  checkSums<float>({4, 262144}, {1}, 16);
  checkSums<float>({1000003}, {0}, 16);
  checkSums<double>({100000, 10}, {0}, 100);
}

/// The sum of few elements of which one is much larger, such as the
/// exponentials of a classification, is rounded once.
TEST(ShortSums, AreRoundedOnce) {
  fb::ReduceAttrsT attrs;
  attrs.kind = fb::ReduceKind::sum;
  attrs.dims = {0};
  for (int64_t large = 0; large < 10; ++large) {
    std::vector<float> values(10, 0.003f);
    values[large] = 1;
    const double sum = 1 + 9 * double(0.003f);
    EXPECT_EQ(compute<float>(makeOp(OpKind::reduce, attrs),
                             {tensorOf(values, Shape{10})})[0],
              static_cast<float>(sum))
        << large;
  }
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Numbers around those in the middle of two of a 16-bit type, by less than a
/// float has digits: rounding to a float first would end in the middle.
static std::vector<double> nearMiddles() {
  std::vector<double> values = {0,   -0.0,   kInf,      -kInf,  1e300,
                                1e9, 1e-300, 0x1p-1074, 65519., 0x1.fffffep127};
  for (double middle :
       {1 + 0x1p-11, 1 + 0x1p-8, 2049., 65520., 0x1p60 + 0x1p52, 0x1p-25,
        0x1p-134, 0x1.ffp127, 0x1p40 + 0x1p32, 0x1p53 + 0x1p45})
    for (double factor : {1., 1 - 0x1p-45, 1 + 0x1p-45, 1 + 0x1p-20})
      values.insert(values.end(), {middle * factor, -middle * factor});
  return values;
}

TEST(Casts, ToHalvesRoundOnce) {
  const std::vector<double> values = nearMiddles();
  const Shape shape = {static_cast<int64_t>(values.size())};
  for (DType from :
       {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i1, DType::i8,
        DType::ui16, DType::i32, DType::ui32, DType::i64, DType::ui64})
    for (DType to : {DType::f16, DType::bf16}) {
      if (from == to)
        continue;
      const Tensor x = *run(referenceProvider(),
                            makeOp(OpKind::cast, fb::CastAttrsT{{}, from}),
                            {tensorOf(DType::f64, shape, values)});
      const OpDesc op = makeOp(OpKind::cast, fb::CastAttrsT{{}, to});
      const Tensor expected = reference(op, {x});
      const uint16_t *bits = expected.as<uint16_t>();
      EXPECT_EQ(compute<uint16_t>(op, {x}),
                std::vector<uint16_t>(bits, bits + values.size()))
          << name(from) << " to " << name(to);
    }
}
