//===- Float16Test.cpp - Kernels round each result of f16 -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of several ops, on data whose results overflow f16 or are subnormal.
// Each result of f16 is known bit for bit: an op is computed in f32 and rounded
// once. Data are such that sums are exact.
//
//===----------------------------------------------------------------------===//

#include "CompiledOp.h"

#include "tandem/Runtime/Float16.h"

#include <cmath>
#include <limits>

using namespace tandem;
using namespace tandem::test;

namespace {

/// Elements of f16 or bf16, as their bits and as numbers.
template <typename T> struct Elements {
  std::vector<T> stored;

  explicit Elements(size_t count) : stored(count) {}
  double operator[](size_t i) const { return static_cast<double>(stored[i]); }
  void set(size_t i, double value) { stored[i] = T(value); }
  size_t size() const { return stored.size(); }
};

template <typename T> std::string nameOf() {
  return std::is_same_v<T, F16> ? "f16" : "bf16";
}

/// The number of T that is nearest to `value`.
template <typename T> double rounded(double value) {
  return static_cast<double>(T(value));
}

/// sqrt(x x), each result rounded.
template <typename T> double rootOfSquare(double x) {
  return rounded<T>(std::sqrt(rounded<T>(x * x)));
}

/// f16 is equal bit for bit, but for the bits of a NaN. A kernel need not round
/// bf16 between two ops, of which there are up to four.
template <typename T>
void expectNear(const Elements<T> &actual,
                const std::vector<double> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE("element " + std::to_string(i));
    const double want = rounded<T>(expected[i]), got = actual[i];
    if (std::isnan(want))
      EXPECT_TRUE(std::isnan(got)) << got;
    else if (std::is_same_v<T, F16> || std::isinf(want))
      EXPECT_EQ(got, want);
    else
      EXPECT_NEAR(got, want, 0x1p-6 * std::fabs(want));
  }
}

/// "module @k … { func.func @k(arguments) -> result { body } }".
std::string module(const std::string &kind, const std::string &arguments,
                   const std::string &body, const std::string &result) {
  return "module @k attributes {tandem.kind = #tandem<fusion_kind " + kind +
         ">} {\n  func.func @k(" + arguments + ") -> " + result + " {\n" +
         body + "    return %r : " + result + "\n  }\n}\n";
}

/// %s = sqrt(%value %value).
std::string rootText(const std::string &value, const std::string &type) {
  return "    %q = tandem.mul %" + value + ", %" + value + " : " + type +
         "\n    %s = tandem.sqrt %q : " + type + "\n";
}

template <typename T> std::string tensor(const std::string &shape) {
  return "tensor<" + shape + "x" + nameOf<T>() + ">";
}

/// Numbers whose square overflows f16, is in its last binade, or subnormal.
constexpr double kSpecials[] = {0.5,
                                -3,
                                200,
                                -220,
                                255,
                                256,
                                300,
                                -300,
                                60000,
                                0x1p-10,
                                0.0,
                                -0x1p-9,
                                -0.0,
                                1000,
                                0x1p-12,
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};

template <typename T> struct F16Results : testing::Test {};
using Types = testing::Types<F16, BF16>;
TYPED_TEST_SUITE(F16Results, Types);

TYPED_TEST(F16Results, OfElementwiseOps) {
  using T = TypeParam;
  constexpr size_t kSize = 1003;
  const std::string type = tensor<T>(std::to_string(kSize));
  auto kernel = compileKernel(module(
      "loop", "%x: " + type,
      rootText("x", type) + "    %r = tandem.add %s, %x : " + type + "\n",
      type));
  ASSERT_TRUE(kernel) << kernel.error().message;
  Elements<T> x(kSize), y(kSize);
  std::vector<double> expected;
  for (size_t i = 0; i < kSize; ++i) {
    x.set(i, kSpecials[i % std::size(kSpecials)]);
    expected.push_back(rootOfSquare<T>(x[i]) + x[i]);
  }
  kernel->run({x.stored.data(), y.stored.data()});
  expectNear(y, expected);
}

/// The sum of sqrt(x x) over rows or columns. The first row is subnormal; in
/// some others one square overflows.
template <typename T> void checkSums(int dim) {
  constexpr size_t kRows = 37, kColumns = 85;
  const std::string type = tensor<T>("37x85");
  const size_t kept = dim == 1 ? kRows : kColumns;
  const std::string result = tensor<T>(std::to_string(kept));
  auto kernel = compileKernel(module(
      "reduction", "%x: " + type,
      rootText("x", type) + "    %r = tandem.reduce %s kind = sum dims = [" +
          std::to_string(dim) + "] : (" + type + ") -> " + result + "\n",
      result));
  ASSERT_TRUE(kernel) << kernel.error().message;
  Elements<T> x(kRows * kColumns), y(kept);
  std::vector<double> expected(kept, 0);
  for (size_t row = 0; row < kRows; ++row)
    for (size_t column = 0; column < kColumns; ++column) {
      const size_t i = row * kColumns + column, k = dim == 1 ? row : column;
      double value = static_cast<double>((row * 5 + column * 3) % 7);
      if (k % 4 == 0)
        value *= 0x1p-11; // Squares of up to 2^-17.
      if (k % 4 == 1 && row == column)
        value = 400;
      if (k % 4 == 2 && row == column)
        value = 224; // Its square is 50176.
      x.set(i, value);
      expected[k] += rootOfSquare<T>(x[i]);
    }
  kernel->run({x.stored.data(), y.stored.data()});
  expectNear(y, expected);
}

TYPED_TEST(F16Results, OfSumsOfRows) { checkSums<TypeParam>(1); }
TYPED_TEST(F16Results, OfSumsOfColumns) { checkSums<TypeParam>(0); }

struct Product {
  size_t rows, inner, columns;
  bool isTransposed;
};

/// x of a scale for each row, so that some of its products overflow when they
/// are squared and others are subnormal, and weights of -1, 0 and 1.
template <typename T>
void fill(const Product &p, Elements<T> &x, Elements<T> &w) {
  constexpr double kScales[] = {1, 0.25, 8, 0x1p-11};
  for (size_t i = 0; i < x.size(); ++i)
    x.set(i, static_cast<double>((i * 37 + 5) % 3) *
                 kScales[i / p.inner % std::size(kScales)]);
  for (size_t i = 0; i < w.size(); ++i)
    w.set(i, static_cast<double>((i * 11 + i / 7) % 3) - 1);
}

template <typename T>
double productAt(const Product &p, const std::vector<double> &x,
                 const Elements<T> &w, size_t row, size_t column) {
  double sum = 0;
  for (size_t k = 0; k < p.inner; ++k)
    sum += x[row * p.inner + k] * (p.isTransposed ? w[column * p.inner + k]
                                                  : w[k * p.columns + column]);
  return sum;
}

std::string shapeOf(size_t rows, size_t columns) {
  return std::to_string(rows) + "x" + std::to_string(columns);
}

template <typename T>
std::string matmulText(const Product &p, const char *data) {
  const std::string rhs = p.isTransposed ? shapeOf(p.columns, p.inner)
                                         : shapeOf(p.inner, p.columns);
  return std::string("tandem.matmul %") + data + ", %w" +
         (p.isTransposed ? " transpose_rhs" : "") + " : (" +
         tensor<T>(shapeOf(p.rows, p.inner)) + ", " + tensor<T>(rhs) + ") -> " +
         tensor<T>(shapeOf(p.rows, p.columns)) + "\n";
}

template <typename T> std::string matmulArguments(const Product &p) {
  const std::string rhs = p.isTransposed ? shapeOf(p.columns, p.inner)
                                         : shapeOf(p.inner, p.columns);
  return "%x: " + tensor<T>(shapeOf(p.rows, p.inner)) +
         ", %w: " + tensor<T>(rhs);
}

/// m = x w, and sqrt(m m) + m behind it.
template <typename T> void checkEpilogue(const Product &p) {
  const std::string type = tensor<T>(shapeOf(p.rows, p.columns));
  auto kernel = compileKernel(
      module("contraction", matmulArguments<T>(p),
             "    %m = " + matmulText<T>(p, "x") + rootText("m", type) +
                 "    %r = tandem.add %s, %m : " + type + "\n",
             type));
  ASSERT_TRUE(kernel) << kernel.error().message;
  Elements<T> x(p.rows * p.inner), w(p.inner * p.columns),
      y(p.rows * p.columns);
  fill(p, x, w);
  std::vector<double> data, expected;
  for (size_t i = 0; i < x.size(); ++i)
    data.push_back(x[i]);
  for (size_t row = 0; row < p.rows; ++row)
    for (size_t column = 0; column < p.columns; ++column) {
      const double m = rounded<T>(productAt(p, data, w, row, column));
      expected.push_back(rootOfSquare<T>(m) + m);
    }
  kernel->run({x.stored.data(), w.stored.data(), y.stored.data()});
  expectNear(y, expected);
}

TYPED_TEST(F16Results, BehindProductsByOutputs) {
  checkEpilogue<TypeParam>({67, 83, 75, false});
}
TYPED_TEST(F16Results, BehindProductsByInputs) {
  checkEpilogue<TypeParam>({9, 131, 21, true});
}

/// The product of sqrt(x x) with weights.
TYPED_TEST(F16Results, AheadOfProducts) {
  using T = TypeParam;
  const Product p{130, 96, 40, false};
  const std::string data = tensor<T>(shapeOf(p.rows, p.inner));
  auto kernel = compileKernel(
      module("contraction", matmulArguments<T>(p),
             rootText("x", data) + "    %r = " + matmulText<T>(p, "s"),
             tensor<T>(shapeOf(p.rows, p.columns))));
  ASSERT_TRUE(kernel) << kernel.error().message;
  Elements<T> x(p.rows * p.inner), w(p.inner * p.columns),
      y(p.rows * p.columns);
  fill(p, x, w);
  for (size_t row = 2; row < p.rows; row += 16)
    x.set(row * p.inner + row % p.inner, row % 32 == 2 ? 400 : 224);
  std::vector<double> roots, expected;
  for (size_t i = 0; i < x.size(); ++i)
    roots.push_back(rootOfSquare<T>(x[i]));
  for (size_t row = 0; row < p.rows; ++row)
    for (size_t column = 0; column < p.columns; ++column)
      expected.push_back(productAt(p, roots, w, row, column));
  kernel->run({x.stored.data(), w.stored.data(), y.stored.data()});
  expectNear(y, expected);
}

} // namespace
