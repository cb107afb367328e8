//===- TrainingTest.cpp - Ops of training steps ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pools with indices, gradients of pools and of softmax, moments and random
// words.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Support/Philox.h"

#include <gmock/gmock.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace tandem;
using namespace tandem::test;
using testing::NanSensitiveDoubleEq;
using testing::Pointwise;

namespace {
using Values = std::vector<double>;
using Words = std::array<uint32_t, 4>;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The known answers of Random123 (kat_vectors, philox4x32 with 10 rounds).
static_assert(philox({0, 0, 0, 0}, {0, 0}) ==
              Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                     {0xffffffff, 0xffffffff}) ==
              Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                     {0xa4093822, 0x299f31d0}) ==
              Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

Tensor f64(const Shape &shape, const Values &values) {
  return tensorOf(DType::f64, shape, values);
}

fb::PoolAttrsT pool1d(int64_t window, int64_t stride, int64_t pad = 0,
                      const std::string &layout = "NCW") {
  fb::PoolAttrsT attrs;
  attrs.window = {window};
  attrs.strides = {stride};
  attrs.pad_low = attrs.pad_high = {pad};
  attrs.dilations = {1};
  attrs.layout = layout;
  return attrs;
}

fb::PoolAttrsT withSizes(fb::PoolAttrsT attrs, std::vector<int64_t> sizes) {
  attrs.input_sizes = std::move(sizes);
  return attrs;
}

std::vector<Values> allValues(const OpDesc &op,
                              const std::vector<Tensor> &operands) {
  std::vector<Values> all;
  auto results = runAll(referenceProvider(), op, operands);
  EXPECT_TRUE(results);
  if (results)
    for (const Tensor &result : *results)
      all.push_back(valuesOf(result));
  return all;
}

#define EXPECT_VALUES(actual, ...)                                             \
  EXPECT_THAT(actual, Pointwise(NanSensitiveDoubleEq(), Values{__VA_ARGS__}))

/// The results of a provider, on one thread and on four.
std::vector<std::vector<Tensor>> onThreads(const OpDesc &op,
                                           const std::vector<Tensor> &x) {
  std::vector<std::vector<Tensor>> results;
  for (int threads : {1, 4}) {
    tbb::task_arena arena(threads);
    arena.execute([&] { results.push_back(*runAll(eigenProvider(), op, x)); });
  }
  return results;
}
} // namespace

//===----------------------------------------------------------------------===//
// The reference
//===----------------------------------------------------------------------===//

TEST(TrainingReference, FindsTheFirstLargestElement) {
  const OpDesc op = makeOp(OpKind::max_pool_with_index, pool1d(3, 1, 1));
  auto results = allValues(op, {f64({1, 1, 5}, {2, 2, -1, kNaN, kNaN})});
  EXPECT_VALUES(results[0], 2, 2, kNaN, kNaN, kNaN);
  EXPECT_VALUES(results[1], 1, 0, 2, 1, 0);
  // Zeros are equal, and -inf is larger than nothing.
  results = allValues(op, {f64({1, 1, 5}, {-0.0, 0, -kInf, -kInf, -kInf})});
  EXPECT_VALUES(results[1], 1, 0, 0, 0, 0);
}

TEST(TrainingReference, GivesEachGradientToOneElement) {
  const OpDesc op =
      makeOp(OpKind::max_pool_backward, withSizes(pool1d(3, 1, 1), {5}));
  const Tensor index = tensorOf(DType::ui8, {1, 1, 5}, {1, 0, 2, 1, 0});
  EXPECT_VALUES(referenceValues(op, {f64({1, 1, 5}, {1, 2, 4, 8, 16}), index}),
                3, 0, 0, 28, 0);
  // Taps in padding and beyond the window; an infinity makes no NaN.
  const Tensor outside = tensorOf(DType::ui8, {1, 1, 5}, {0, 3, 255, 1, 2});
  EXPECT_VALUES(
      referenceValues(op, {f64({1, 1, 5}, {kInf, 2, 4, kInf, 16}), outside}), 0,
      0, 0, kInf, 0);
}

TEST(TrainingReference, SharesGradientsOfMeans) {
  fb::PoolAttrsT attrs = withSizes(pool1d(2, 1, 1), {2});
  const Tensor g = f64({1, 1, 3}, {6, 12, 18});
  EXPECT_VALUES(referenceValues(makeOp(OpKind::avg_pool_backward, attrs), {g}),
                12, 24);
  attrs.count_include_pad = true;
  EXPECT_VALUES(referenceValues(makeOp(OpKind::avg_pool_backward, attrs), {g}),
                9, 15);
}

TEST(TrainingReference, ComputesMoments) {
  const auto moments = [](const Shape &shape, const Values &x,
                          std::vector<int64_t> dims) {
    return allValues(
        makeOp(OpKind::moments, fb::MomentsAttrsT{{}, std::move(dims)}),
        {f64(shape, x)});
  };
  auto results = moments({2, 3}, {1, 2, 3, 4, 5, 9}, {1});
  EXPECT_VALUES(results[0], 2, 6);
  EXPECT_THAT(results[1][0], testing::DoubleEq(2.0 / 3));
  results = moments({2, 2}, {kInf, kNaN, 1, 1}, {0});
  EXPECT_VALUES(results[0], kInf, kNaN);
  EXPECT_VALUES(results[1], kNaN, kNaN);
  results = moments({0, 2}, {}, {0});
  EXPECT_VALUES(results[0], kNaN, kNaN);
  EXPECT_VALUES(results[1], kNaN, kNaN);
  results = moments({2}, {3, -0.0}, {});
  EXPECT_VALUES(results[0], 3, 0);
  EXPECT_VALUES(results[1], 0, 0);
}

//===----------------------------------------------------------------------===//
// The providers
//===----------------------------------------------------------------------===//

/// Each special value at every position, and ties of it, in both layouts.
TEST(Training, PoolsSpecialValuesAsTheReferenceDoes) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (double special :
         {kNaN, kInf, -kInf, 0.0, -0.0, 6e4, leastPositive(dtype)})
      for (int position = 0; position < 9; ++position)
        for (const char *layout : {"NCW", "NWC"}) {
          Values values = {1, 0, 0, -kInf, -kInf, -kInf, kNaN, 2, 2};
          values[position] = values[(position + 2) % 9] = special;
          const fb::PoolAttrsT attrs = pool1d(3, 2, 1, layout);
          const Shape shape =
              layout[1] == 'C' ? Shape{1, 1, 9} : Shape{1, 9, 1};
          const Tensor x = tensorOf(dtype, shape, values);
          const OpDesc forward = makeOp(OpKind::max_pool_with_index, attrs);
          const auto results = runAll(referenceProvider(), forward, {x});
          ASSERT_TRUE(results);
          for (const Provider *provider : eagerProviders()) {
            checkAgainstReference(*provider, {forward, {x}});
            const OpDesc backward =
                makeOp(OpKind::max_pool_backward, withSizes(attrs, {9}));
            checkAgainstReference(*provider, {backward, *results});
            checkAgainstReference(*provider, {makeOp(OpKind::avg_pool_backward,
                                                     withSizes(attrs, {9})),
                                              {(*results)[0]}});
          }
        }
}

/// The index is the number of the tap exactly, for vectors and for rests.
TEST(Training, IndicesAreThoseOfTheReference) {
  for (const char *layout : {"NCHW", "NHWC"})
    for (int64_t channels : {1, 3, 8, 37, 64})
      for (int64_t stride : {1, 2, 3}) {
        fb::PoolAttrsT attrs;
        attrs.window = {3, 4};
        attrs.strides = {stride, stride};
        attrs.pad_low = {1, 2};
        attrs.pad_high = {2, 1};
        attrs.dilations = {1, 2};
        attrs.layout = layout;
        const bool isFirst = attrs.layout == "NCHW";
        Tensor x =
            emptyTensor({DType::f32, isFirst ? Shape{2, channels, 11, 23}
                                             : Shape{2, 11, 23, channels}});
        fillRandom(x, 3);
        // Few values, so that there are ties.
        for (int64_t i = 0; i < x.shape().numElements(); ++i)
          x.as<float>()[i] = std::round(x.as<float>()[i] * 2);
        const OpDesc op = makeOp(OpKind::max_pool_with_index, attrs);
        const auto expected = runAll(referenceProvider(), op, {x});
        for (const auto &actual : onThreads(op, {x})) {
          EXPECT_EQ(valuesOf((*expected)[0]), valuesOf(actual[0]));
          EXPECT_EQ(valuesOf((*expected)[1]), valuesOf(actual[1]));
        }
      }
}

/// A mean that is large relative to the spread costs no digits, in blocks and
/// parts of all shapes.
TEST(Training, MomentsKeepDigits) {
  std::mt19937_64 rng(1);
  std::normal_distribution<float> noise(0, 0.01f);
  const std::pair<Shape, std::vector<int64_t>> cases[] = {
      {{100000}, {0}},
      {{300, 70}, {0}},
      {{70, 300}, {1}},
      {{4, 5, 40, 50}, {0, 2, 3}},
      {{4, 40, 50, 5}, {0, 1, 2}},
      {{3, 200000}, {1}},
      {{70000, 3}, {0}},
      {{6, 50, 7, 9}, {1, 3}}};
  for (const auto &[shape, dims] : cases)
    for (DType dtype : {DType::f32, DType::f64}) {
      Values values(shape.numElements());
      for (double &value : values)
        value = 1e4f + noise(rng);
      const OpDesc op = makeOp(OpKind::moments, fb::MomentsAttrsT{{}, dims});
      const Tensor x = tensorOf(dtype, shape, values);
      const auto expected = runAll(referenceProvider(), op, {x});
      for (const auto &actual : onThreads(op, {x}))
        for (int result : {0, 1}) {
          const Values want = valuesOf((*expected)[result]),
                       have = valuesOf(actual[result]);
          for (size_t i = 0; i < want.size(); ++i)
            EXPECT_NEAR(have[i], want[i], 1e-6 * std::fabs(want[i]));
        }
      checkAgainstReference(eigenProvider(), {op, {x}});
    }
}

TEST(Training, MomentsOfSpecialValues) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (double special : {kNaN, kInf, -kInf, -0.0, 6e4, leastPositive(dtype)})
      for (int64_t position : {0, 5, 3000})
        for (int64_t axis : {0, 1}) {
          Values values(3001, 1.5);
          values[position] = special;
          checkAgainstReference(
              *eagerProviders()[1],
              {makeOp(OpKind::moments, fb::MomentsAttrsT{{}, {axis}}),
               {tensorOf(dtype, axis == 0 ? Shape{3001, 1} : Shape{1, 3001},
                         values)}});
          checkAgainstReference(
              eigenProvider(),
              {makeOp(OpKind::moments, fb::MomentsAttrsT{{}, {axis}}),
               {tensorOf(dtype, axis == 0 ? Shape{3001, 1} : Shape{1, 3001},
                         values)}});
        }
}

/// Lines that lie side by side or do not, as long as several vectors and longer
/// than a cache.
TEST(Training, SoftmaxBackwardOfLinesOfAllSizes) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (const Shape &shape :
         {Shape{3, 1}, Shape{1, 5}, Shape{2, 700}, Shape{700, 2},
          Shape{5, 33, 9}, Shape{3, 17, 601}, Shape{2, 300000}})
      for (int64_t axis = 0; axis < shape.rank(); ++axis) {
        Tensor y = emptyTensor({dtype, shape}), g = emptyTensor({dtype, shape});
        fillRandom(y, 7);
        fillRandom(g, 8);
        const OpDesc op =
            makeOp(OpKind::softmax_backward, fb::AxisAttrsT{{}, axis});
        checkAgainstReference(*eagerProviders()[1], {op, {y, g}});
        checkAgainstReference(eigenProvider(), {op, {y, g}});
      }
}

TEST(Training, SoftmaxBackwardOfSpecialValues) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (double special :
         {kNaN, kInf, -kInf, -0.0, 6e4, 1e30, -1e30, leastPositive(dtype)})
      for (int64_t position : {0, 5, 300})
        for (int64_t axis : {0, 1})
          for (bool isGradient : {false, true}) {
            const Shape shape = axis == 0 ? Shape{301, 3} : Shape{3, 301};
            Values values[2] = {Values(903, 1.0 / 301), Values(903)};
            for (size_t i = 0; i < 903; ++i)
              values[1][i] = static_cast<double>(i % 7) - 3;
            values[isGradient][position] = special;
            const Case c = {
                makeOp(OpKind::softmax_backward, fb::AxisAttrsT{{}, axis}),
                {tensorOf(dtype, shape, values[0]),
                 tensorOf(dtype, shape, values[1])}};
            checkAgainstReference(*eagerProviders()[1], c);
            checkAgainstReference(eigenProvider(), c);
          }
}

/// One thread and four compute the same bits, which for random words are those
/// of the reference.
TEST(Training, DoesNotDependOnTheNumberOfThreads) {
  Tensor x = emptyTensor({DType::f32, {8, 33, 34, 40}});
  fillRandom(x, 5);
  Tensor g = emptyTensor({DType::f32, {8, 17, 17, 40}});
  fillRandom(g, 6);
  Tensor index = emptyTensor({DType::ui8, g.shape()});
  for (int64_t i = 0; i < index.bytes(); ++i)
    index.as<uint8_t>()[i] = uint8_t(i * 7 % 9);
  fb::PoolAttrsT attrs;
  attrs.window = {3, 3};
  attrs.strides = {2, 2};
  attrs.pad_low = attrs.pad_high = attrs.dilations = {1, 1};
  attrs.input_sizes = {33, 34};
  attrs.layout = "NHWC";
  std::vector<Tensor> words = {emptyTensor({DType::ui64, {}}),
                               emptyTensor({DType::ui64, {}})};
  *words[0].as<uint64_t>() = 0x123456789abcdef;
  *words[1].as<uint64_t>() = ~uint64_t(3);
  const Case cases[] = {
      {makeOp(OpKind::max_pool_backward, attrs), {g, index}},
      {makeOp(OpKind::avg_pool_backward, attrs), {g}},
      {makeOp(OpKind::moments, fb::MomentsAttrsT{{}, {0, 1, 2}}), {x}},
      {makeOp(OpKind::moments, fb::MomentsAttrsT{{}, {0, 2, 3}}), {x}},
      {makeOp(OpKind::moments, fb::MomentsAttrsT{{}, {0, 1, 2, 3}}), {x}},
      {makeOp(OpKind::softmax_backward, fb::AxisAttrsT{{}, 3}), {x, x}},
      {makeOp(OpKind::softmax_backward, fb::AxisAttrsT{{}, 1}), {x, x}},
      {makeOp(OpKind::random, fb::RandomAttrsT{{}, {7, 12345}}), words}};
  for (const Case &c : cases) {
    const auto results = onThreads(c.op, c.operands);
    for (size_t i = 0; i < results[0].size(); ++i)
      EXPECT_EQ(std::memcmp(results[0][i].data(), results[1][i].data(),
                            results[0][i].bytes()),
                0)
          << c.describe();
    checkAgainstReference(eigenProvider(), c);
  }
}
