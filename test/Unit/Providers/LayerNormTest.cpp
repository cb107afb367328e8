//===- LayerNormTest.cpp - Layer norms and their gradients ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "tandem/Runtime/Compare.h"

#include <gmock/gmock.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace tandem;
using namespace tandem::test;
using testing::DoubleNear;
using testing::NanSensitiveDoubleNear;
using testing::Pointwise;

namespace {
using Values = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr DType kFloats[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

OpDesc layerNorm(double epsilon) {
  return makeOp(OpKind::layer_norm, fb::LayerNormAttrsT{{}, epsilon});
}

std::vector<Tensor> results(const Case &c) {
  auto all = runAll(referenceProvider(), c.op, c.operands);
  EXPECT_TRUE(all) << c.describe();
  return all ? *all : std::vector<Tensor>();
}

void expectValues(const Tensor &actual, const Values &expected) {
  EXPECT_THAT(valuesOf(actual),
              Pointwise(NanSensitiveDoubleNear(1e-12), expected));
}

void check(const Case &c) {
  checkAgainstReference(*eagerProviders()[1], c);
  checkAgainstReference(eigenProvider(), c);
}

/// The layer norm of lines of the last `count` dims, and its gradients with the
/// statistics of the lines.
std::vector<Case> casesOf(const Tensor &x, const Tensor &gradient,
                          const Tensor &scale, double epsilon) {
  Case forward{layerNorm(epsilon), {x, scale, scale}};
  const std::vector<Tensor> all = results(forward);
  Case backward{makeOp(OpKind::layer_norm_backward),
                {gradient, x, scale, all[1], all[2]}};
  return {std::move(forward), std::move(backward)};
}

Tensor random(DType dtype, const Shape &shape, uint64_t seed) {
  Tensor tensor = emptyTensor({dtype, shape});
  fillRandom(tensor, seed);
  return tensor;
}

std::vector<Case> randomCasesOf(DType dtype, const Shape &shape, int count) {
  return casesOf(random(dtype, shape, 1), random(dtype, shape, 2),
                 random(dtype, Shape(shape.span().last(count)), 3), 1e-5);
}
} // namespace

//===----------------------------------------------------------------------===//
// The reference
//===----------------------------------------------------------------------===//

TEST(LayerNormReference, NormalizesLines) {
  const auto f64 = [](const Shape &shape, const Values &values) {
    return tensorOf(DType::f64, shape, values);
  };
  const auto all = results(
      {layerNorm(0.25),
       {f64({2, 2}, {3, 4, 5, 5}), f64({2}, {1, 10}), f64({2}, {0, 100})}});
  const double s = 1 / std::sqrt(0.5);
  expectValues(all[0], {-0.5 * s, 100 + 5 * s, 0, 100});
  expectValues(all[1], {3.5, 5});
  expectValues(all[2], {s, 2});
  // With g = (1, 2) and s = 2, the first line has x = (-1, 1), h = (1, 20),
  // mean(h) = 10.5 and mean(h x) = 9.5. The second has x = (0, 0).
  const auto gradients = results(
      {makeOp(OpKind::layer_norm_backward),
       {f64({2, 2}, {1, 2, 3, 4}), f64({2, 2}, {3, 4, 5, 5}), f64({2}, {1, 10}),
        f64({2, 1}, {3.5, 5}), f64({2, 1}, {2, 1})}});
  expectValues(gradients[0], {0, 0, 3 - 21.5, 40 - 21.5});
  expectValues(gradients[1], {-1, 2});
  expectValues(gradients[2], {4, 6});
}

/// Special values reach all elements of their line, and no others.
TEST(LayerNormReference, SpecialValues) {
  const Tensor row = tensorOf(DType::f64, {2}, {1, 1});
  const auto all =
      results({layerNorm(0),
               {tensorOf(DType::f64, {4, 2}, {kInf, 1, kNaN, 1, 7, 7, -1, 1}),
                row, tensorOf(DType::f64, {2}, {0, 0})}});
  expectValues(all[0], {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, -1, 1});
  EXPECT_EQ(valuesOf(all[1])[0], kInf);
  EXPECT_TRUE(std::isnan(valuesOf(all[1])[1]));
  EXPECT_EQ(valuesOf(all[2])[2], kInf);
}

//===----------------------------------------------------------------------===//
// The providers
//===----------------------------------------------------------------------===//

/// Lines shorter and longer than vectors and blocks; few lines, whose gradients
/// are summed column by column, and many, which are summed in parts.
TEST(LayerNorm, LinesOfAllSizes) {
  for (DType dtype : kFloats)
    for (const Shape &shape :
         {Shape{3, 1}, Shape{1, 5}, Shape{7}, Shape{2, 700}, Shape{700, 2},
          Shape{5, 33, 9}, Shape{3, 17, 601}, Shape{2, 30000}, Shape{600, 130},
          Shape{100, 2500}})
      for (int count = 1; count <= shape.rank(); ++count)
        for (const Case &c : randomCasesOf(dtype, shape, count))
          check(c);
}

TEST(LayerNorm, SpecialValues) {
  for (DType dtype : kFloats)
    for (double special : {kNaN, kInf, -kInf, -0.0, 6e4, 65504.0, 1e30, -1e30,
                           leastPositive(dtype)})
      for (int64_t position : {0, 5, 300})
        for (int operand : {0, 1, 2}) {
          const Shape shape = {3, 301};
          Values values[3] = {Values(903), Values(903), Values(301, 0.5)};
          for (size_t i = 0; i < 903; ++i) {
            values[0][i] = static_cast<double>(i % 7) - 3;
            values[1][i] = static_cast<double>(i % 5) / 8;
          }
          values[operand][position] = special;
          for (const Case &c : casesOf(tensorOf(dtype, shape, values[0]),
                                       tensorOf(dtype, shape, values[1]),
                                       tensorOf(dtype, {301}, values[2]), 1e-5))
            check(c);
        }
}

/// Lines of equal elements, and lines whose elements are all large, tiny or
/// close to each other.
TEST(LayerNorm, UniformLines) {
  struct Uniform {
    double base, step, epsilon;
  };
  for (DType dtype : kFloats)
    for (auto [base, step, epsilon] : {Uniform{0, 0, 1e-5},
                                       {1.5, 0, 1e-5},
                                       {100, 0, 1e-5},
                                       {100, 1e-3, 1e-5},
                                       {1.5, 1, 0},
                                       {1e4, 1, 0},
                                       {65504, 1, 1e-5},
                                       {leastPositive(dtype), 0, 1e-5},
                                       {leastPositive(dtype), 1, 1e-5}}) {
      Values values;
      for (int i = 0; i < 300; ++i)
        values.push_back(base * (1 - step * (i % 3) / 4));
      const Tensor x = tensorOf(dtype, {3, 100}, values);
      const Tensor row = tensorOf(dtype, {100}, Values(100, 1));
      for (const Case &c : casesOf(x, x, row, epsilon))
        check(c);
    }
}

/// Squares of these elements overflow in f32. No result is specified then, but
/// the eager tier computes in f64.
TEST(LayerNorm, SquaresThatOverflow) {
  Values values;
  for (int i = 0; i < 100; ++i)
    values.push_back(1e30 * (1 - 0.25 * (i % 3)));
  const Case c{layerNorm(1e-5),
               {tensorOf(DType::f32, {1, 100}, values),
                tensorOf(DType::f32, {100}, Values(100, 1)),
                tensorOf(DType::f32, {100}, Values(100, 0))}};
  const auto expected = results(c);
  const auto actual = runAll(eigenProvider(), c.op, c.operands);
  ASSERT_TRUE(actual);
  EXPECT_THAT(valuesOf((*actual)[0]),
              Pointwise(DoubleNear(1e-5), valuesOf(expected[0])));
}

/// Lines whose variance is larger or smaller than the number that is
/// subtracted.
TEST(LayerNorm, NegativeEpsilon) {
  for (DType dtype : kFloats) {
    const Tensor x = tensorOf(dtype, {2, 4}, {1, 2, 3, 4, 1, 1.5, 1, 1.5});
    const Tensor row = tensorOf(dtype, {4}, {1, 2, 3, 4});
    for (const Case &c : casesOf(x, x, row, -0.5))
      check(c);
  }
}

/// The elements are so far from 0 that a variance without the mean of the line
/// would have no digit.
TEST(LayerNorm, FarFromZero) {
  Values values;
  for (int i = 0; i < 4000; ++i)
    values.push_back(1e4 + static_cast<double>(i * 37 % 101) / 64);
  const Tensor x = tensorOf(DType::f32, {4, 1000}, values);
  const Case c{layerNorm(1e-5),
               {x, tensorOf(DType::f32, {1000}, Values(1000, 1)),
                tensorOf(DType::f32, {1000}, Values(1000, 0))}};
  const auto expected = results(c);
  const auto actual = runAll(eigenProvider(), c.op, c.operands);
  ASSERT_TRUE(actual);
  EXPECT_THAT(valuesOf((*actual)[0]),
              Pointwise(DoubleNear(2e-3), valuesOf(expected[0])));
  EXPECT_THAT(valuesOf((*actual)[2]),
              Pointwise(DoubleNear(1e-6), valuesOf(expected[2])));
}

/// Statistics of lines without elements are NaN, and gradients of no lines are
/// 0, although the first result is empty.
TEST(LayerNorm, NoElements) {
  for (DType dtype : kFloats)
    for (const Shape &shape : {Shape{0, 3}, Shape{3, 0}, Shape{0, 0}})
      for (int count : {1, 2})
        for (const Case &c : randomCasesOf(dtype, shape, count)) {
          check(c);
          const auto expected = results(c);
          for (const Provider *provider : eagerProviders()) {
            if (!supports(*provider, c.op, c.operands))
              continue;
            const auto actual = runAll(*provider, c.op, c.operands);
            ASSERT_TRUE(actual) << c.describe();
            for (size_t i = 0; i < expected.size(); ++i)
              EXPECT_EQ(compare(expected[i], (*actual)[i]).mismatches, 0)
                  << provider->name() << " " << c.describe();
          }
        }
}

TEST(LayerNorm, DoesNotDependOnTheNumberOfThreads) {
  for (const Shape &shape :
       {Shape{1000, 300}, Shape{8, 40000}, Shape{30, 5000}})
    for (const Case &c : randomCasesOf(DType::f32, shape, 1)) {
      std::vector<std::vector<Tensor>> all;
      for (int threads : {1, 2, 4}) {
        tbb::task_arena arena(threads);
        arena.execute(
            [&] { all.push_back(*runAll(eigenProvider(), c.op, c.operands)); });
      }
      for (size_t i = 0; i < all[0].size(); ++i)
        for (const auto &other : {all[1], all[2]})
          EXPECT_EQ(
              std::memcmp(all[0][i].data(), other[i].data(), all[0][i].bytes()),
              0)
              << c.describe();
    }
}
