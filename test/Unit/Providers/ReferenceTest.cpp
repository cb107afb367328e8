//===- ReferenceTest.cpp - Reference against known results ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are worked out by hand from the ops' definitions, or are
// closed forms.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "tandem/Runtime/Float16.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <numeric>
using namespace tandem;
using namespace tandem::test;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::NanSensitiveDoubleEq;
using testing::Pointwise;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

Tensor f64(const Shape &shape, const Values &values) {
  return tensorOf(DType::f64, shape, values);
}
Tensor f64(const Values &values) {
  return f64({int64_t(values.size())}, values);
}
Tensor i32(const Values &values) {
  return tensorOf(DType::i32, {int64_t(values.size())}, values);
}

Values unary(OpKind kind, const Tensor &x) {
  return referenceValues(makeOp(kind), {x});
}
Values binary(OpKind kind, const Tensor &a, const Tensor &b) {
  return referenceValues(makeOp(kind), {a, b});
}
Values cast(const Tensor &x, DType to) {
  return referenceValues(makeOp(OpKind::cast, fb::CastAttrsT{{}, to}), {x});
}

#define EXPECT_VALUES(actual, ...)                                             \
  EXPECT_THAT(actual, Pointwise(NanSensitiveDoubleEq(), Values{__VA_ARGS__}))
#define EXPECT_NEAR_VALUES(actual, ...)                                        \
  EXPECT_THAT(actual, Pointwise(DoubleNear(1e-12), Values{__VA_ARGS__}))
} // namespace

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

TEST(Reference, UnaryClosedForms) {
  const double e = std::numbers::e, pi = std::numbers::pi;
  EXPECT_NEAR_VALUES(unary(OpKind::exp, f64({0, 1, -kInf})), 1, e, 0);
  EXPECT_NEAR_VALUES(unary(OpKind::log, f64({1, e, 0})), 0, 1, -kInf);
  EXPECT_NEAR_VALUES(unary(OpKind::expm1, f64({0, 1e-18})), 0, 1e-18);
  EXPECT_NEAR_VALUES(unary(OpKind::log1p, f64({0, e - 1})), 0, 1);
  EXPECT_NEAR_VALUES(unary(OpKind::sqrt, f64({4, 2.25})), 2, 1.5);
  EXPECT_NEAR_VALUES(unary(OpKind::rsqrt, f64({4, 0.25})), 0.5, 2);
  EXPECT_NEAR_VALUES(unary(OpKind::sin, f64({0, pi / 6})), 0, 0.5);
  EXPECT_NEAR_VALUES(unary(OpKind::cos, f64({0, pi / 3})), 1, 0.5);
  EXPECT_NEAR_VALUES(unary(OpKind::asin, f64({0.5, -1})), pi / 6, -pi / 2);
  EXPECT_NEAR_VALUES(unary(OpKind::acos, f64({0.5, -1})), pi / 3, pi);
  EXPECT_NEAR_VALUES(unary(OpKind::atan, f64({1, -kInf})), pi / 4, -pi / 2);
  // tanh(ln 2) = (2 - 1/2) / (2 + 1/2).
  EXPECT_NEAR_VALUES(unary(OpKind::tanh, f64({0, std::log(2)})), 0, 0.6);
  EXPECT_NEAR_VALUES(unary(OpKind::sigmoid, f64({0, std::log(3)})), 0.5, 0.75);
  EXPECT_NEAR_VALUES(
      unary(OpKind::erfinv, f64({0, std::erf(0.5), -std::erf(2)})), 0, 0.5, -2);
  EXPECT_VALUES(unary(OpKind::erfinv, f64({1, -1, 1.5, -0.0})), kInf, -kInf,
                kNaN, -0.0);
  EXPECT_NEAR_VALUES(unary(OpKind::softplus, f64({0, std::log(3), -800, 800})),
                     std::log(2), std::log(4), 0, 800);
  EXPECT_NEAR_VALUES(unary(OpKind::erf, f64({0, 1, kInf})), 0,
                     0.84270079294971486934, 1);
}

TEST(Reference, Gelu) {
  const Tensor x = f64({0, 1, -1});
  // x * Phi(x), Phi(1) = 0.841344746068543.
  EXPECT_NEAR_VALUES(
      referenceValues(makeOp(OpKind::gelu, fb::GeluAttrsT()), {x}), 0,
      0.84134474606854293, -0.15865525393145707);
  const double tanh = std::tanh(std::sqrt(2 / std::numbers::pi) * 1.044715);
  EXPECT_NEAR_VALUES(
      referenceValues(makeOp(OpKind::gelu, fb::GeluAttrsT{{}, true}), {x}), 0,
      0.5 * (1 + tanh), -0.5 * (1 - tanh));
}

TEST(Reference, RoundsHalfToEven) {
  const Tensor x = f64({0.5, 1.5, 2.5, -0.5, -1.5, 2.4, kNaN});
  EXPECT_VALUES(unary(OpKind::round, x), 0, 2, 2, -0.0, -2, 2, kNaN);
  EXPECT_VALUES(unary(OpKind::floor, f64({1.5, -1.5})), 1, -2);
  EXPECT_VALUES(unary(OpKind::ceil, f64({1.5, -1.5})), 2, -1);
}

TEST(Reference, NaNComesThrough) {
  EXPECT_VALUES(unary(OpKind::sign, f64({3, -2, 0, kNaN})), 1, -1, 0, kNaN);
  EXPECT_VALUES(unary(OpKind::relu, f64({3, -2, kNaN})), 3, 0, kNaN);
  EXPECT_VALUES(binary(OpKind::max, f64({1, kNaN, 1}), f64({2, 1, kNaN})), 2,
                kNaN, kNaN);
  EXPECT_VALUES(binary(OpKind::min, f64({1, kNaN, 1}), f64({2, 1, kNaN})), 1,
                kNaN, kNaN);
  EXPECT_VALUES(referenceValues(makeOp(OpKind::clamp),
                                {f64({-5, 5, 0.5, kNaN}), f64({0}), f64({1})}),
                0, 1, 0.5, kNaN);
}

TEST(Reference, IntegersWrapAndTruncate) {
  const double low = -0x1p31;
  EXPECT_VALUES(unary(OpKind::neg, i32({5, low})), -5, low);
  EXPECT_VALUES(unary(OpKind::abs, i32({-5, low})), 5, low);
  EXPECT_VALUES(binary(OpKind::add, i32({0x7fffffff}), i32({1})), low);
  EXPECT_VALUES(binary(OpKind::mul, i32({0x10000}), i32({0x10000})), 0);
  EXPECT_VALUES(binary(OpKind::div, i32({7, -7, 3, low}), i32({2, 2, 0, -1})),
                3, -3, -1, low);
  EXPECT_VALUES(binary(OpKind::mul, tensorOf(DType::i8, {1}, {100}),
                       tensorOf(DType::i8, {1}, {3})),
                44);
}

TEST(Reference, Casts) {
  EXPECT_VALUES(cast(f64({1.9, -1.9, kNaN, 1e30, -kInf}), DType::i32), 1, -1, 0,
                0x7fffffff, -0x1p31);
  EXPECT_VALUES(cast(f64({200, -200}), DType::i8), 127, -128);
  EXPECT_VALUES(cast(i32({200, 256}), DType::i8), -56, 0);
  EXPECT_VALUES(cast(f64({0, -0.0, 0.5, kNaN}), DType::i1), 0, 0, 1, 1);
  EXPECT_VALUES(cast(f64({0x1p63, -0x1p63}), DType::i64), 0x1p63, -0x1p63);
}

/// IEEE half: 11 bits, largest 65504, smallest 2^-24; bfloat16: 8 bits.
TEST(Reference, SixteenBitFloats) {
  EXPECT_EQ(F16(1.0).bits, 0x3c00);
  EXPECT_EQ(F16(-2.0).bits, 0xc000);
  EXPECT_EQ(F16(65504.0).bits, 0x7bff);
  EXPECT_EQ(F16(65520.0).bits, 0x7c00);
  EXPECT_EQ(F16(0x1p-24).bits, 1);
  EXPECT_EQ(F16(0x1p-25).bits, 0) << "a tie goes to even";
  EXPECT_EQ(F16(1 + 0x1p-11).bits, 0x3c00) << "a tie goes to even";
  EXPECT_EQ(F16(1 + 3 * 0x1p-11).bits, 0x3c02) << "a tie goes to even";
  EXPECT_EQ(F16(2 - 0x1p-12).bits, 0x4000) << "a carry into the exponent";
  EXPECT_EQ(BF16(1.0).bits, 0x3f80);
  EXPECT_EQ(BF16(-0.0).bits, 0x8000);
  EXPECT_EQ(BF16(kInf).bits, 0x7f80);
  EXPECT_TRUE(std::isnan(double(BF16(kNaN))));
  for (int bits = 0; bits < 0x7c00; ++bits) {
    F16 half;
    half.bits = bits;
    ASSERT_EQ(F16(double(half)).bits, bits);
  }
}

TEST(Reference, Broadcasting) {
  const Tensor a = f64({2, 1}, {10, 20}), b = f64({3}, {1, 2, 3});
  EXPECT_VALUES(binary(OpKind::add, a, b), 11, 12, 13, 21, 22, 23);
  const Tensor condition = tensorOf(DType::i1, {2, 1}, {1, 0});
  EXPECT_VALUES(referenceValues(makeOp(OpKind::select),
                                {condition, b, f64(Shape(), {9})}),
                1, 2, 3, 9, 9, 9);
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

TEST(Reference, MovesElements) {
  const Tensor x = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_VALUES(
      referenceValues(
          makeOp(OpKind::transpose, fb::TransposeAttrsT{{}, {1, 0}}), {x}),
      1, 4, 2, 5, 3, 6);
  EXPECT_VALUES(
      referenceValues(
          makeOp(OpKind::slice, fb::SliceAttrsT{{}, {0, -3}, {2, 3}, {1, 2}}),
          {x}),
      1, 3, 4, 6);
  EXPECT_VALUES(
      referenceValues(
          makeOp(OpKind::pad, fb::PadAttrsT{{}, {1, 0}, {0, 1}, {0, 1}, -1}),
          {x}),
      -1, -1, -1, -1, -1, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1);
  EXPECT_VALUES(referenceValues(makeOp(OpKind::concat, fb::AxisAttrsT{{}, 1}),
                                {x, f64({2, 1}, {7, 8})}),
                1, 2, 3, 7, 4, 5, 6, 8);
  EXPECT_VALUES(referenceValues(makeOp(OpKind::broadcast,
                                       fb::BroadcastAttrsT{{}, {2, 2}, {0}}),
                                {f64({5, 6})}),
                5, 5, 6, 6);
}

TEST(Reference, GatherClamps) {
  const Tensor x = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_VALUES(referenceValues(makeOp(OpKind::gather, fb::GatherAttrsT{{}, 1}),
                                {x, i32({2, -1, 9})}),
                3, 1, 3, 6, 4, 6);
}

TEST(Reference, ScattersInOrderWithoutWhatIsOutOfRange) {
  const Tensor x = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto scatter = [&](fb::ScatterKind kind) {
    return referenceValues(
        makeOp(OpKind::scatter, fb::ScatterAttrsT{{}, 1, kind}),
        {x, i32({2, -1, 2, 3}), f64({2, 4}, {10, 0, 20, 0, 4, 0, -1, 0})});
  };
  EXPECT_VALUES(scatter(fb::ScatterKind::replace), 1, 2, 20, 4, 5, -1);
  EXPECT_VALUES(scatter(fb::ScatterKind::add), 1, 2, 33, 4, 5, 9);
  EXPECT_VALUES(scatter(fb::ScatterKind::mul), 1, 2, 600, 4, 5, -24);
  EXPECT_VALUES(scatter(fb::ScatterKind::min), 1, 2, 3, 4, 5, -1);
  EXPECT_VALUES(scatter(fb::ScatterKind::max), 1, 2, 20, 4, 5, 6);
  // Each sum is rounded: to 2048, as numbers are 2 apart there.
  EXPECT_VALUES(
      referenceValues(makeOp(OpKind::scatter,
                             fb::ScatterAttrsT{{}, 0, fb::ScatterKind::add}),
                      {tensorOf(DType::f16, {1}, {2048}), i32({0, 0}),
                       tensorOf(DType::f16, {2}, {1, 1})}),
      2048);
}

TEST(Reference, OrdersTiesByIndexAndNaNAboveNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = f64({2, -0.0, nan, 2, 0, -kInf, nan});
  const auto order = [&](int64_t k, bool ascending) {
    const auto results =
        runAll(referenceProvider(),
               makeOp(OpKind::topk, fb::TopKAttrsT{{}, 0, k, ascending}), {x});
    return valuesOf((*results)[1]);
  };
  EXPECT_VALUES(order(7, false), 2, 6, 0, 3, 1, 4, 5);
  EXPECT_VALUES(order(7, true), 5, 1, 4, 0, 3, 2, 6);
  EXPECT_VALUES(order(3, false), 2, 6, 0);
  EXPECT_VALUES(referenceValues(
                    makeOp(OpKind::topk, fb::TopKAttrsT{{}, 0, 4, false}), {x}),
                nan, nan, 2, 2);
  EXPECT_VALUES(
      referenceValues(makeOp(OpKind::sort, fb::SortAttrsT{{}, 0, false}), {x}),
      -kInf, -0.0, 0, 2, 2, nan, nan);
  const auto sorted =
      runAll(referenceProvider(),
             makeOp(OpKind::sort, fb::SortAttrsT{{}, 0, true}), {x});
  EXPECT_VALUES(valuesOf((*sorted)[1]), 2, 6, 0, 3, 1, 4, 5);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

namespace {
fb::ConvAttrsT conv1d() {
  fb::ConvAttrsT attrs;
  attrs.strides = attrs.dilations = {1};
  attrs.pad_low = attrs.pad_high = {0};
  attrs.input_layout = attrs.output_layout = "NCW";
  attrs.kernel_layout = "OIW";
  return attrs;
}
} // namespace

TEST(Reference, ConvByHand) {
  const Tensor x = f64({1, 1, 5}, {1, 2, 3, 4, 5});
  const Tensor k = f64({1, 1, 3}, {1, 10, 100});
  fb::ConvAttrsT attrs = conv1d();
  EXPECT_VALUES(referenceValues(makeOp(OpKind::conv, attrs), {x, k}), 321, 432,
                543);
  attrs.pad_low = {1};
  attrs.pad_high = {2};
  attrs.strides = {2};
  EXPECT_VALUES(referenceValues(makeOp(OpKind::conv, attrs), {x, k}), 210, 432,
                54);
  attrs = conv1d();
  attrs.dilations = {2};
  EXPECT_VALUES(
      referenceValues(makeOp(OpKind::conv, attrs), {x, k, f64({0.5})}), 531.5);
}

TEST(Reference, ConvGroups) {
  fb::ConvAttrsT attrs = conv1d();
  attrs.groups = 2;
  const Tensor x = f64({1, 2, 2}, {1, 2, 3, 4});
  const Tensor k = f64({4, 1, 1}, {1, 10, 100, 1000});
  EXPECT_VALUES(referenceValues(makeOp(OpKind::conv, attrs), {x, k}), 1, 2, 10,
                20, 300, 400, 3000, 4000);
}

fb::ResizeAttrsT resized(fb::ResizeMode mode, int64_t size) {
  fb::ResizeAttrsT attrs;
  attrs.mode = mode;
  attrs.dims = {0};
  attrs.sizes = {size};
  return attrs;
}

/// The examples of ONNX's specification of Resize, and others by hand.
TEST(Reference, ResizeByHand) {
  const auto values = [](const fb::ResizeAttrsT &attrs, const Tensor &x) {
    return referenceValues(makeOp(OpKind::resize, attrs), {x});
  };
  const Tensor x = f64({4}, {1, 2, 3, 4});
  fb::ResizeAttrsT linear = resized(fb::ResizeMode::linear, 8);
  EXPECT_VALUES(values(linear, x), 1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4);
  linear.coordinates = fb::ResizeCoordinates::asymmetric;
  EXPECT_VALUES(values(linear, x), 1, 1.5, 2, 2.5, 3, 3.5, 4, 4);
  linear.coordinates = fb::ResizeCoordinates::align_corners;
  linear.sizes = {7};
  EXPECT_VALUES(values(linear, x), 1, 1.5, 2, 2.5, 3, 3.5, 4);
  fb::ResizeAttrsT shorter = resized(fb::ResizeMode::linear, 2);
  EXPECT_VALUES(values(shorter, x), 1.5, 3.5);
  shorter.antialias = true;
  EXPECT_VALUES(values(shorter, x), 13 / 8.0, 27 / 8.0);
  shorter.exclude_outside = true;
  EXPECT_VALUES(values(shorter, x), 12 / 7.0, 23 / 7.0);
  fb::ResizeAttrsT cubic = resized(fb::ResizeMode::cubic, 8);
  cubic.coordinates = fb::ResizeCoordinates::asymmetric;
  EXPECT_VALUES(values(cubic, x), 1, 1.40625, 2, 2.5, 3, 3.59375, 4, 4.09375);
  fb::ResizeAttrsT nearest = resized(fb::ResizeMode::nearest, 6);
  nearest.coordinates = fb::ResizeCoordinates::asymmetric;
  EXPECT_VALUES(values(nearest, x), 1, 2, 2, 3, 4, 4);
  nearest.rounding = fb::NearestRounding::floor;
  EXPECT_VALUES(values(nearest, x), 1, 1, 2, 3, 3, 4);
}

TEST(Reference, ResizeOutsideAndIntegers) {
  fb::ResizeAttrsT crop = resized(fb::ResizeMode::linear, 5);
  crop.coordinates = fb::ResizeCoordinates::tf_crop_and_resize;
  crop.starts = {-0.5};
  crop.ends = {0.5};
  crop.extrapolation_value = 2.5;
  EXPECT_VALUES(
      referenceValues(makeOp(OpKind::resize, crop), {f64({3}, {1, 3, kInf})}),
      2.5, 2.5, 1, 2, 3);
  // Without elements inside, there is nothing to add.
  fb::ResizeAttrsT none = resized(fb::ResizeMode::linear, 4);
  none.coordinates = fb::ResizeCoordinates::asymmetric;
  none.scales = {0.5};
  none.exclude_outside = true;
  EXPECT_VALUES(
      referenceValues(makeOp(OpKind::resize, none), {f64({3}, {1, 2, kInf})}),
      1, kInf, 0, 0);
  const Tensor x = tensorOf(DType::i8, {2}, {-7, 8});
  EXPECT_VALUES(
      referenceValues(
          makeOp(OpKind::resize, resized(fb::ResizeMode::linear, 4)), {x}),
      -7, -3, 4, 8);
  EXPECT_VALUES(
      referenceValues(makeOp(OpKind::resize, resized(fb::ResizeMode::cubic, 4)),
                      {tensorOf(DType::ui8, {2}, {0, 255})}),
      0, 58, 197, 255);
}

TEST(Reference, ConvBackwardDataByHand) {
  const Tensor x = f64({1, 1, 4}, {1, 2, 3, 4});
  const Tensor k = f64({1, 1, 3}, {1, 10, 100});
  const auto values = [&](const fb::ConvAttrsT &attrs,
                          std::vector<Tensor> operands) {
    return referenceValues(makeOp(OpKind::conv_backward_data, attrs), operands);
  };
  fb::ConvAttrsT attrs = conv1d();
  attrs.output_padding = {0};
  EXPECT_VALUES(values(attrs, {x, k}), 1, 12, 123, 234, 340, 400);
  attrs.strides = {5};
  EXPECT_VALUES(values(attrs, {x, k}), 1, 10, 100, 0, 0, 2, 20, 200, 0, 0, 3,
                30, 300, 0, 0, 4, 40, 400);
  attrs.strides = {2};
  attrs.pad_low = attrs.pad_high = attrs.output_padding = {1};
  EXPECT_VALUES(values(attrs, {x, k}), 10, 102, 20, 203, 30, 304, 40, 400);
  attrs.pad_low = attrs.pad_high = attrs.output_padding = {0};
  attrs.dilations = {3};
  EXPECT_VALUES(values(attrs, {x, k, f64({0.5})}), 1.5, 0.5, 2.5, 10.5, 3.5,
                20.5, 104.5, 30.5, 200.5, 40.5, 300.5, 0.5, 400.5);
}

TEST(Reference, ConvBackwardDataGroups) {
  fb::ConvAttrsT attrs = conv1d();
  attrs.groups = 2;
  attrs.output_padding = {0};
  const Tensor x = f64({1, 2, 2}, {1, 2, 3, 4});
  const Tensor k = f64({2, 2, 1}, {1, 10, 100, 1000});
  EXPECT_VALUES(
      referenceValues(makeOp(OpKind::conv_backward_data, attrs), {x, k}), 1, 2,
      10, 20, 300, 400, 3000, 4000);
}

/// The op is the transpose of conv: <conv(x), y> = <x, conv_backward_data(y)>.
TEST(Reference, ConvBackwardDataIsTheTranspose) {
  fb::ConvAttrsT attrs = conv1d();
  attrs.strides = {3};
  attrs.dilations = {2};
  attrs.pad_low = {2};
  attrs.pad_high = {1};
  attrs.groups = 2;
  Tensor x = emptyTensor({DType::f64, {2, 6, 19}}),
         k = emptyTensor({DType::f64, {4, 3, 4}});
  fillRandom(x, 1);
  fillRandom(k, 2);
  const Tensor convolved = reference(makeOp(OpKind::conv, attrs), {x, k});
  Tensor y = emptyTensor(convolved.type());
  fillRandom(y, 3);
  attrs.output_padding = {0};
  const int64_t least = 3 * (convolved.shape()[2] - 1) + 2 * 3 + 1 - 3;
  attrs.output_padding = {19 - least};
  const Tensor gradient =
      reference(makeOp(OpKind::conv_backward_data, attrs), {y, k});
  ASSERT_EQ(gradient.type(), x.type());
  const auto product = [](const Tensor &a, const Tensor &b) {
    const std::vector<double> left = valuesOf(a), right = valuesOf(b);
    return std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
  };
  EXPECT_NEAR(product(convolved, y), product(x, gradient), 1e-10);
}

TEST(Reference, ConvBackwardWeightsByHand) {
  const Tensor x = f64({1, 1, 5}, {1, 2, 3, 4, 5});
  const auto values = [&](const fb::ConvAttrsT &attrs, const Tensor &g) {
    return referenceValues(makeOp(OpKind::conv_backward_weights, attrs),
                           {x, g});
  };
  fb::ConvAttrsT attrs = conv1d();
  attrs.window = {3};
  EXPECT_VALUES(values(attrs, f64({1, 1, 3}, {1, 10, 100})), 321, 432, 543);
  attrs.pad_low = {1};
  attrs.pad_high = {2};
  attrs.strides = {2};
  EXPECT_VALUES(values(attrs, f64({1, 1, 3}, {1, 10, 100})), 420, 531, 42);
  attrs = conv1d();
  attrs.window = {3};
  attrs.dilations = {2};
  EXPECT_VALUES(values(attrs, f64({1, 2, 1}, {1, 10})), 1, 3, 5, 10, 30, 50);
}

/// <conv(x, k), y> = <k, conv_backward_weights(x, y)>, with two groups and two
/// images.
TEST(Reference, ConvBackwardWeightsIsTheTranspose) {
  fb::ConvAttrsT attrs = conv1d();
  attrs.strides = {3};
  attrs.dilations = {2};
  attrs.pad_low = {2};
  attrs.pad_high = {1};
  attrs.groups = 2;
  Tensor x = emptyTensor({DType::f64, {2, 6, 19}}),
         k = emptyTensor({DType::f64, {4, 3, 4}});
  fillRandom(x, 1);
  fillRandom(k, 2);
  const Tensor convolved = reference(makeOp(OpKind::conv, attrs), {x, k});
  Tensor y = emptyTensor(convolved.type());
  fillRandom(y, 3);
  attrs.window = {4};
  const Tensor gradient =
      reference(makeOp(OpKind::conv_backward_weights, attrs), {x, y});
  ASSERT_EQ(gradient.type(), k.type());
  const auto product = [](const Tensor &a, const Tensor &b) {
    const std::vector<double> left = valuesOf(a), right = valuesOf(b);
    return std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
  };
  EXPECT_NEAR(product(convolved, y), product(k, gradient), 1e-10);
}

/// The same numbers in another layout give the same numbers.
TEST(Reference, ConvLayouts) {
  std::mt19937_64 rng(1);
  fb::ConvAttrsT first = conv1d();
  Tensor x = emptyTensor({DType::f64, {2, 3, 7}}),
         k = emptyTensor({DType::f64, {4, 3, 2}});
  fillRandom(x, 1);
  fillRandom(k, 2);
  const Tensor y = reference(makeOp(OpKind::conv, first), {x, k});
  const auto transpose = [](const Tensor &t, std::vector<int64_t> order) {
    return reference(makeOp(OpKind::transpose, fb::TransposeAttrsT{{}, order}),
                     {t});
  };
  fb::ConvAttrsT last = first;
  last.input_layout = "NWC";
  last.kernel_layout = "WIO";
  last.output_layout = "WNC";
  const Tensor z =
      reference(makeOp(OpKind::conv, last),
                {transpose(x, {0, 2, 1}), transpose(k, {2, 1, 0})});
  EXPECT_EQ(valuesOf(transpose(z, {1, 2, 0})), valuesOf(y));
}

TEST(Reference, Matmul) {
  const Tensor a = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = f64({3, 2}, {1, 0, 0, 1, 1, 1});
  const OpDesc plain = makeOp(OpKind::matmul, fb::MatmulAttrsT());
  EXPECT_VALUES(referenceValues(plain, {a, b}), 4, 5, 10, 11);
  const OpDesc both = makeOp(OpKind::matmul, fb::MatmulAttrsT{{}, true, true});
  EXPECT_VALUES(referenceValues(both, {a, b}), 1, 4, 5, 2, 5, 7, 3, 6, 9);
  const Tensor batch = f64({2, 1, 2}, {1, 1, 2, 0});
  EXPECT_VALUES(referenceValues(plain, {batch, a}), 5, 7, 9, 2, 4, 6);
}

//===----------------------------------------------------------------------===//
// Windows and reductions
//===----------------------------------------------------------------------===//

TEST(Reference, Pools) {
  fb::PoolAttrsT attrs;
  attrs.layout = "NWC";
  attrs.window = {3};
  attrs.strides = {2};
  attrs.dilations = {1};
  attrs.pad_low = attrs.pad_high = {1};
  const Tensor x = f64({1, 4, 1}, {-1, -5, -2, -8});
  EXPECT_VALUES(referenceValues(makeOp(OpKind::max_pool, attrs), {x}), -1, -2);
  EXPECT_VALUES(referenceValues(makeOp(OpKind::avg_pool, attrs), {x}), -3, -5);
  attrs.count_include_pad = true;
  EXPECT_VALUES(referenceValues(makeOp(OpKind::avg_pool, attrs), {x}), -2, -5);
  attrs.dilations = {2};
  EXPECT_VALUES(referenceValues(makeOp(OpKind::max_pool, attrs), {x}), -5);
}

TEST(Reference, Reductions) {
  const Tensor x = f64({2, 3}, {1, 5, 5, -2, kNaN, kNaN});
  const auto reduce = [&](fb::ReduceKind kind, std::vector<int64_t> dims) {
    return referenceValues(
        makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, kind, dims}), {x});
  };
  EXPECT_VALUES(reduce(fb::ReduceKind::sum, {1}), 11, kNaN);
  EXPECT_VALUES(reduce(fb::ReduceKind::sum, {0}), -1, kNaN, kNaN);
  EXPECT_VALUES(reduce(fb::ReduceKind::prod, {1}), 25, kNaN);
  EXPECT_VALUES(reduce(fb::ReduceKind::max, {1}), 5, kNaN);
  EXPECT_VALUES(reduce(fb::ReduceKind::min, {0}), -2, kNaN, kNaN);
  EXPECT_VALUES(reduce(fb::ReduceKind::mean, {1}), 11. / 3, kNaN);
  EXPECT_VALUES(reduce(fb::ReduceKind::argmax, {1}), 1, 1);
  EXPECT_VALUES(reduce(fb::ReduceKind::max, {0, 1}), kNaN);
}

TEST(Reference, SumsInDouble) {
  // In f32 each 1 would be lost beside 2^24.
  std::vector<double> values(1025, 1);
  values[0] = 0x1p24;
  EXPECT_VALUES(
      referenceValues(makeOp(OpKind::reduce,
                             fb::ReduceAttrsT{{}, fb::ReduceKind::sum, {0}}),
                      {tensorOf(DType::f32, {1025}, values)}),
      0x1p24 + 1024);
}

TEST(Reference, SumsLoseNoDigitOfDouble) {
  const OpDesc op =
      makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, fb::ReduceKind::sum, {0}});
  // One after the other, 100,000 tenths err by 1.9e-8.
  EXPECT_THAT(referenceValues(op, {f64(Values(100000, 0.1))}),
              testing::ElementsAre(10000.0));
  EXPECT_THAT(referenceValues(op, {f64({1, 0x1p60, 1, -0x1p60})}),
              testing::ElementsAre(2.0));
  EXPECT_VALUES(referenceValues(op, {f64({1, kInf, 1})}), kInf);
  EXPECT_VALUES(referenceValues(op, {f64({kInf, -kInf})}), kNaN);
}

TEST(Reference, BatchNorm) {
  const OpDesc op = makeOp(OpKind::batch_norm, fb::BatchNormAttrsT{{}, 1, 1});
  EXPECT_VALUES(referenceValues(op, {f64({2, 2}, {1, 2, 3, 4}), f64({2, 3}),
                                     f64({10, 20}), f64({1, 2}), f64({3, 0})}),
                10, 20, 12, 26);
}

TEST(Reference, SoftmaxBackward) {
  const OpDesc op = makeOp(OpKind::softmax_backward, fb::AxisAttrsT{{}, 1});
  EXPECT_VALUES(referenceValues(op, {f64({2, 2}, {0.25, 0.75, 0.5, 0}),
                                     f64({2, 2}, {4, 8, 1, kInf})}),
                -0.75, 0.75, kNaN, kNaN);
}

TEST(Reference, SigmoidBackward) {
  const OpDesc op = makeOp(OpKind::sigmoid_backward);
  EXPECT_VALUES(
      referenceValues(op, {f64({4}, {0.25, 1, 0, 2}), f64({4}, {4, 3, 2, 1})}),
      0.75, 0, 0, -2);
}

TEST(Reference, Softmax) {
  const OpDesc op = makeOp(OpKind::softmax, fb::AxisAttrsT{{}, 1});
  EXPECT_NEAR_VALUES(
      referenceValues(op, {f64({2, 2}, {0, std::log(3), 1000, 1000})}), 0.25,
      0.75, 0.5, 0.5);
}
