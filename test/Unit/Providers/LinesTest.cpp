//===- LinesTest.cpp - Scans and Fourier transforms ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

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
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Tensor f64(const Values &values) {
  return tensorOf(DType::f64, {static_cast<int64_t>(values.size())}, values);
}
Tensor f64(const Shape &shape, const Values &values) {
  return tensorOf(DType::f64, shape, values);
}

#define EXPECT_VALUES(actual, ...)                                             \
  EXPECT_THAT(actual, Pointwise(NanSensitiveDoubleEq(), Values{__VA_ARGS__}))
} // namespace

//===----------------------------------------------------------------------===//
// The reference
//===----------------------------------------------------------------------===//

TEST(LinesReference, ScansInBothDirections) {
  const Tensor x = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto scan = [&](fb::ScanKind kind, int64_t axis, bool isExclusive,
                        bool isReverse) {
    return referenceValues(
        makeOp(OpKind::scan,
               fb::ScanAttrsT{{}, axis, kind, isExclusive, isReverse}),
        {x});
  };
  using fb::ScanKind;
  EXPECT_VALUES(scan(ScanKind::sum, 1, false, false), 1, 3, 6, 4, 9, 15);
  EXPECT_VALUES(scan(ScanKind::sum, 1, true, false), 0, 1, 3, 0, 4, 9);
  EXPECT_VALUES(scan(ScanKind::sum, 1, false, true), 6, 5, 3, 15, 11, 6);
  EXPECT_VALUES(scan(ScanKind::sum, 0, true, true), 4, 5, 6, 0, 0, 0);
  EXPECT_VALUES(scan(ScanKind::prod, 1, false, false), 1, 2, 6, 4, 20, 120);
  EXPECT_VALUES(scan(ScanKind::prod, 1, true, true), 6, 3, 1, 30, 6, 1);
  EXPECT_VALUES(scan(ScanKind::max, 1, true, false), -kInf, 1, 2, -kInf, 4, 5);
  EXPECT_VALUES(scan(ScanKind::min, 1, false, true), 1, 2, 3, 4, 5, 6);
  EXPECT_VALUES(scan(ScanKind::min, 0, true, false), kInf, kInf, kInf, 1, 2, 3);
}

TEST(LinesReference, ScansSpecialValues) {
  const auto scan = [&](fb::ScanKind kind, const Tensor &x,
                        bool isExclusive = false) {
    return referenceValues(
        makeOp(OpKind::scan, fb::ScanAttrsT{{}, 0, kind, isExclusive}), {x});
  };
  using fb::ScanKind;
  const Tensor x = f64({1, kInf, -kInf, 2});
  EXPECT_VALUES(scan(ScanKind::sum, x), 1, kInf, kNaN, kNaN);
  EXPECT_VALUES(scan(ScanKind::max, f64({1, kNaN, 2})), 1, kNaN, kNaN);
  EXPECT_VALUES(scan(ScanKind::log_sum_exp, f64({-kInf, -kInf, 0, 0, kInf, 1})),
                -kInf, -kInf, 0, std::log(2.0), kInf, kInf);
  EXPECT_VALUES(scan(ScanKind::log_sum_exp, f64({1, kNaN, 2}), true), -kInf, 1,
                kNaN);
  // Integers wrap, and the first maximum is the least number of the type.
  const Tensor bytes = tensorOf(DType::i8, {3}, {100, 100, 3});
  EXPECT_VALUES(scan(ScanKind::sum, bytes), 100, -56, -53);
  EXPECT_VALUES(scan(ScanKind::prod, bytes), 100, 16, 48);
  EXPECT_VALUES(scan(ScanKind::max, bytes, true), -128, 100, 100);
  EXPECT_VALUES(scan(ScanKind::min, bytes, true), 127, 100, 100);
}

TEST(LinesReference, TransformsByTheDefinition) {
  using fb::FFTKind;
  const auto fft = [&](FFTKind kind, const Tensor &x, int64_t length = 0) {
    return referenceValues(
        makeOp(OpKind::fft, fb::FFTAttrsT{{}, 0, kind, length}), {x});
  };
  const Tensor x = f64({4, 2}, {1, 0, 2, 0, 3, 0, 4, 1});
  EXPECT_VALUES(fft(FFTKind::fft, x), 10, 1, -3, 2, -2, -1, -1, -2);
  EXPECT_VALUES(fft(FFTKind::ifft, f64({4, 2}, {10, 1, -3, 2, -2, -1, -1, -2})),
                1, 0, 2, 0, 3, 0, 4, 1);
  EXPECT_VALUES(fft(FFTKind::rfft, f64({1, 2, 3, 4})), 10, 0, -2, 2, -2, 0);
  EXPECT_VALUES(fft(FFTKind::irfft, f64({3, 2}, {10, 9, -2, 2, -2, 9}), 4), 1,
                2, 3, 4);
  EXPECT_VALUES(fft(FFTKind::rfft, f64({5})), 5, 0);
  EXPECT_VALUES(fft(FFTKind::irfft, f64({1, 2}, {5, 3}), 1), 5);
  EXPECT_VALUES(fft(FFTKind::rfft, f64({1, kInf})), kNaN, kNaN, kNaN, kNaN);
  EXPECT_VALUES(fft(FFTKind::irfft, f64({2, 2}, {1, kNaN, 1, 0}), 2), kNaN,
                kNaN);
}

//===----------------------------------------------------------------------===//
// The eager tier on CPUs
//===----------------------------------------------------------------------===//

/// Values that are special for a float type, at every position.
std::vector<double> specialFloats(DType dtype) {
  return {kNaN, kInf, -kInf, 0,    -0.0,
          1e30, 3e4,  -3e4,  1e-3, leastPositive(dtype)};
}

/// Each special value at every position of a short line, and two of them.
TEST(Lines, ScanSpecialValuesAsTheReferenceDoes) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (double special : specialFloats(dtype))
      for (int position = 0; position < 5; ++position) {
        std::vector<double> values = {1, -2, 0.5, -kInf, 3};
        values[position] = special;
        for (fb::ScanKind kind : fb::EnumValuesScanKind())
          for (int flags = 0; flags < 4; ++flags)
            for (const Provider *provider : eagerProviders())
              if (const OpDesc op =
                      makeOp(OpKind::scan,
                             fb::ScanAttrsT{
                                 {}, 0, kind, flags % 2 != 0, flags / 2 != 0});
                  supports(*provider, op, {tensorOf(dtype, {5}, values)}))
                checkAgainstReference(*provider,
                                      {op, {tensorOf(dtype, {5}, values)}});
      }
}

/// Lines that are contiguous and lines that are not, of one block and several,
/// of all types, and numbers of elements around those of blocks and parts.
TEST(Lines, ScanLongLinesAsTheReferenceDoes) {
  for (DType dtype : kDTypes)
    for (const Shape &shape :
         {Shape{1}, Shape{127}, Shape{129}, Shape{8191}, Shape{8193},
          Shape{2, 20000}, Shape{2, 500, 9}, Shape{1, 70, 257}})
      for (fb::ScanKind kind : fb::EnumValuesScanKind())
        for (int flags = 0; flags < 4; ++flags) {
          const int axis = shape.rank() == 3 ? 1 : shape.rank() - 1;
          Tensor x = emptyTensor({dtype, shape});
          fillRandom(x, 3);
          const OpDesc op = makeOp(
              OpKind::scan,
              fb::ScanAttrsT{{}, axis, kind, flags % 2 != 0, flags / 2 != 0});
          if (supports(eigenProvider(), op, {x}))
            checkAgainstReference(eigenProvider(), {op, {x}});
        }
}

/// One thread and four compute the same bits.
TEST(Lines, DoNotDependOnTheNumberOfThreads) {
  using fb::FFTKind;
  using fb::ScanKind;
  const std::pair<OpDesc, Shape> cases[] = {
      {makeOp(OpKind::scan, fb::ScanAttrsT{{}, 1, ScanKind::sum}), {1, 100000}},
      {makeOp(OpKind::scan, fb::ScanAttrsT{{}, 1, ScanKind::sum}), {70, 9000}},
      {makeOp(OpKind::scan, fb::ScanAttrsT{{}, 1, ScanKind::prod, true}),
       {2, 50000}},
      {makeOp(OpKind::scan, fb::ScanAttrsT{{}, 0, ScanKind::sum}), {300, 900}},
      {makeOp(OpKind::fft, fb::FFTAttrsT{{}, 1, FFTKind::rfft}), {1, 40000}},
      {makeOp(OpKind::fft, fb::FFTAttrsT{{}, 1, FFTKind::rfft}), {100, 1009}}};
  for (const auto &[op, shape] : cases) {
    Tensor x = emptyTensor({DType::f32, shape});
    fillRandom(x, 5);
    std::vector<Tensor> results;
    for (int threads : {1, 4}) {
      tbb::task_arena arena(threads);
      arena.execute([&] { results.push_back(*run(eigenProvider(), op, {x})); });
    }
    EXPECT_EQ(
        std::memcmp(results[0].data(), results[1].data(), results[0].bytes()),
        0);
  }
}

/// Every length up to 64, prime and composite lengths that are transformed as
/// matrices and by Bluestein's algorithm, and lines that lie side by side.
TEST(Lines, TransformsOfManyLengthsAgreeWithTheReference) {
  std::vector<int64_t> lengths = {67,   97,   128,  134,  201,  256,
                                  400,  441,  509,  1009, 1024, 2187,
                                  3600, 1031, 4802, 8192, 16000};
  for (int64_t length = 1; length <= 64; ++length)
    lengths.push_back(length);
  for (int64_t length : lengths)
    for (DType dtype : {DType::f32, DType::f64})
      for (fb::FFTKind kind : fb::EnumValuesFFTKind())
        for (int64_t inner : {1, 3}) {
          if (length > 128 && inner > 1)
            continue;
          const bool isHalf = kind == fb::FFTKind::irfft;
          Shape shape{2, isHalf ? length / 2 + 1 : length, inner};
          if (kind != fb::FFTKind::rfft)
            shape.push_back(2);
          Tensor x = emptyTensor({dtype, shape});
          fillRandom(x, length);
          checkAgainstReference(
              eigenProvider(),
              {makeOp(OpKind::fft,
                      fb::FFTAttrsT{{}, 1, kind, isHalf ? length : 0}),
               {x}});
        }
}

/// Lines with an infinity or a NaN become NaN, and no intermediate result
/// overflows or is flushed to zero.
TEST(Lines, TransformSpecialValuesAsTheReferenceDoes) {
  for (DType dtype : {DType::f32, DType::f64})
    for (double special :
         {kNaN, kInf, -kInf, -0.0, 1e37, 1e-37, leastPositive(dtype)})
      for (int64_t length : {1, 2, 5, 8, 12, 134, 300})
        for (fb::FFTKind kind : fb::EnumValuesFFTKind())
          for (int64_t at : {int64_t(0), length - 1}) {
            const bool isHalf = kind == fb::FFTKind::irfft;
            Shape shape{3, isHalf ? length / 2 + 1 : length};
            if (kind != fb::FFTKind::rfft)
              shape.push_back(2);
            Tensor x = emptyTensor({dtype, shape});
            fillRandom(x, length);
            std::vector<double> values = valuesOf(x);
            if (std::fabs(special) < 1)
              for (double &value : values)
                value *= special;
            values[at % static_cast<int64_t>(values.size())] = special;
            checkAgainstReference(
                eigenProvider(),
                {makeOp(OpKind::fft,
                        fb::FFTAttrsT{{}, 1, kind, isHalf ? length : 0}),
                 {tensorOf(dtype, shape, values)}});
          }
}
