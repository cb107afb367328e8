//===- WindowShapeRulesTest.cpp - conv, matmul, windows, reductions -------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRuleCase.h"

#include <cmath>

using namespace tandem;
using namespace tandem::test;
using enum DType;

constexpr int64_t D = kDynamic;

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

static fb::ConvAttrsT conv2d(int64_t stride = 1, int64_t pad = 0,
                             int64_t dilation = 1, int64_t groups = 1) {
  fb::ConvAttrsT attrs;
  attrs.strides = {stride, stride};
  attrs.pad_low = attrs.pad_high = {pad, pad};
  attrs.dilations = {dilation, dilation};
  attrs.groups = groups;
  attrs.input_layout = attrs.output_layout = "NHWC";
  attrs.kernel_layout = "HWIO";
  return attrs;
}

static OpDesc conv(fb::ConvAttrsT attrs) {
  return makeOp(OpKind::conv, std::move(attrs));
}

TEST(ConvShapeRule, TwoDims) {
  TensorType kernel{f32, {3, 3, 4, 8}};
  expectType(conv(conv2d()), {{f32, {2, 10, 12, 4}}, kernel},
             {f32, {2, 8, 10, 8}});
  expectType(conv(conv2d(2, 1)), {{f32, {D, 10, D, 4}}, kernel},
             {f32, {D, 5, D, 8}});
  expectType(conv(conv2d(1, 0, 3)), {{f32, {2, 10, 12, 4}}, kernel},
             {f32, {2, 4, 6, 8}});
  expectType(conv(conv2d(1, 0, 1, 2)),
             {{f32, {2, 10, 12, 8}}, {f32, {3, 3, 4, 8}}},
             {f32, {2, 8, 10, 8}});
  expectType(conv(conv2d()),
             {{f32, {2, 10, 12, D}}, {f32, {3, 3, 4, D}}, {f32, {8}}},
             {f32, {2, 8, 10, 8}});
  expectType(conv(conv2d()), {{f32, {0, 10, 12, 4}}, kernel},
             {f32, {0, 8, 10, 8}});
}

TEST(ConvShapeRule, IntegersOf8Bits) {
  const TensorType kernel{i8, {3, 3, 4, 8}};
  for (DType data : {ui8, i8})
    expectType(conv(conv2d()), {{data, {2, 10, 12, 4}}, kernel},
               {i32, {2, 8, 10, 8}});
  expectError(conv(conv2d()), {{ui8, {2, 10, 12, 4}}, {ui8, {3, 3, 4, 8}}},
              "conv C2: ui8 and ui8");
  expectError(conv(conv2d()), {{i32, {2, 10, 12, 4}}, {i32, {3, 3, 4, 8}}},
              "conv C2: i32 and i32");
  expectError(conv(conv2d()), {{i8, {2, 10, 12, 4}}, kernel, {i32, {8}}},
              "conv C2: i8 and i8");
}

TEST(ConvShapeRule, LayoutsAndOtherRanks) {
  fb::ConvAttrsT attrs = conv2d(1, 1);
  attrs.input_layout = "NCHW";
  attrs.kernel_layout = "OIHW";
  attrs.output_layout = "CHWN";
  expectType(conv(attrs), {{f32, {2, 4, 10, 12}}, {f32, {8, 4, 3, 3}}},
             {f32, {8, 10, 12, 2}});
  fb::ConvAttrsT line;
  line.strides = line.dilations = {1};
  line.pad_low = {2};
  line.pad_high = {0};
  line.input_layout = line.output_layout = "NWC";
  line.kernel_layout = "WIO";
  expectType(conv(line), {{f32, {1000, 100, 1}}, {f32, {3, 1, 32}}},
             {f32, {1000, 100, 32}});
  fb::ConvAttrsT volume;
  volume.strides = volume.dilations = {1, 1, 1};
  volume.pad_low = volume.pad_high = {0, 0, 0};
  volume.input_layout = volume.output_layout = "NDHWC";
  volume.kernel_layout = "DHWIO";
  expectType(conv(volume), {{f64, {1, 5, 6, 7, 2}}, {f64, {2, 3, 4, 2, 1}}},
             {f64, {1, 4, 4, 4, 1}});
}

TEST(ConvShapeRule, Errors) {
  TensorType input{f32, {2, 10, 12, 4}}, kernel{f32, {3, 3, 4, 8}};
  auto with = [](auto change) {
    fb::ConvAttrsT attrs = conv2d();
    change(attrs);
    return conv(std::move(attrs));
  };
  using Attrs = fb::ConvAttrsT;
  for (const char *layout : {"NHW", "NHHC", "NHWX", "NC", "", "NHDC", "NCDHWX"})
    expectError(with([=](Attrs &a) { a.input_layout = layout; }),
                {input, kernel}, "conv C1: ");
  expectError(with([](Attrs &a) { a.output_layout = "NWC"; }), {input, kernel},
              "conv C1: layouts NHWC, HWIO and NWC differ");
  expectError(conv(conv2d()), {{f32, {10, 12, 4}}, kernel}, "conv C1: ");
  expectError(conv(conv2d()), {input, {f64, {3, 3, 4, 8}}}, "conv C2: ");
  expectError(conv(conv2d()), {{i32, {2, 10, 12, 4}}, {i32, {3, 3, 4, 8}}},
              "conv C2: ");
  expectError(with([](Attrs &a) { a.strides = {1}; }), {input, kernel},
              "conv C3: ");
  expectError(with([](Attrs &a) { a.strides = {1, 0}; }), {input, kernel},
              "conv C3: stride 0");
  expectError(with([](Attrs &a) { a.pad_low = {-1, 0}; }), {input, kernel},
              "conv C3: ");
  expectError(with([](Attrs &a) { a.groups = 0; }), {input, kernel},
              "conv C4: groups is 0");
  expectError(with([](Attrs &a) { a.groups = 3; }), {input, kernel},
              "conv C4: 8 output channels in 3 groups");
  expectError(conv(conv2d()), {{f32, {2, 10, 12, 5}}, kernel},
              "conv C5: 5 input channels, but the kernel has 4");
  expectError(conv(conv2d()), {input, kernel, {f32, {4}}}, "conv C6: ");
  expectError(conv(conv2d()), {input, kernel, {f32, {8, 1}}}, "conv C6: ");
  expectError(conv(conv2d()), {{f32, {2, 2, 12, 4}}, kernel},
              "conv C7: a window of 3 with dilation 1 does not fit into 2");
  expectError(with([](Attrs &a) { a.pad_low = {INT64_MAX, 0}; }),
              {input, kernel}, "conv C7: ");
  expectError(with([](Attrs &a) { a.dilations = {INT64_MAX, 1}; }),
              {input, kernel}, "conv C7: ");
  expectError(conv(conv2d()), {input, {f32, {0, 3, 4, 8}}}, "conv C7: ");
}

//===----------------------------------------------------------------------===//
// conv_backward_data
//===----------------------------------------------------------------------===//

static fb::ConvAttrsT backward1d(int64_t stride, int64_t pad = 0,
                                 int64_t outputPadding = 0,
                                 int64_t dilation = 1, int64_t groups = 1) {
  fb::ConvAttrsT attrs;
  attrs.strides = {stride};
  attrs.pad_low = attrs.pad_high = {pad};
  attrs.dilations = {dilation};
  attrs.output_padding = {outputPadding};
  attrs.groups = groups;
  attrs.input_layout = attrs.output_layout = "NCW";
  attrs.kernel_layout = "OIW";
  return attrs;
}

static OpDesc backward(fb::ConvAttrsT attrs) {
  return makeOp(OpKind::conv_backward_data, std::move(attrs));
}

TEST(ConvBackwardDataShapeRule, Sizes) {
  TensorType input{f32, {2, 8, 10}}, kernel{f32, {8, 3, 4}};
  expectType(backward(backward1d(1)), {input, kernel}, {f32, {2, 3, 13}});
  expectType(backward(backward1d(2)), {input, kernel}, {f32, {2, 3, 22}});
  expectType(backward(backward1d(2, 1)), {input, kernel}, {f32, {2, 3, 20}});
  expectType(backward(backward1d(2, 1, 1)), {input, kernel}, {f32, {2, 3, 21}});
  expectType(backward(backward1d(3, 0, 0, 2)), {input, kernel},
             {f32, {2, 3, 34}});
  expectType(backward(backward1d(2, 0, 0, 1, 4)), {input, kernel},
             {f32, {2, 12, 22}});
  expectType(backward(backward1d(2)), {{f32, {D, 8, D}}, kernel},
             {f32, {D, 3, D}});
  expectType(backward(backward1d(2)),
             {{f32, {2, D, 10}}, {f32, {8, D, 4}}, {f32, {3}}},
             {f32, {2, 3, 22}});
  // An input without elements has results, too.
  expectType(backward(backward1d(2)), {{f32, {2, 8, 0}}, kernel},
             {f32, {2, 3, 2}});
  // Padding may cut off all results of a single element.
  expectType(backward(backward1d(1, 2)), {{f32, {2, 8, 1}}, kernel},
             {f32, {2, 3, 0}});
}

TEST(ConvBackwardDataShapeRule, Errors) {
  TensorType input{f32, {2, 8, 10}}, kernel{f32, {8, 3, 4}};
  expectError(backward(backward1d(0)), {input, kernel},
              "conv_backward_data C3: stride 0");
  expectError(backward(backward1d(1, 0, -1)), {input, kernel},
              "conv_backward_data C3: output_padding -1 of spatial dim 0");
  fb::ConvAttrsT attrs = backward1d(1);
  attrs.output_padding = {};
  expectError(backward(attrs), {input, kernel},
              "conv_backward_data C3: strides, pads, dilations and "
              "output_padding must have 1 entries each");
  expectError(backward(backward1d(1, 0, 0, 1, 3)), {input, kernel},
              "conv_backward_data C4: 8 output channels in 3 groups");
  expectError(backward(backward1d(1)), {{f32, {2, 7, 10}}, kernel},
              "conv_backward_data C5: 7 input channels, but the kernel has 8 "
              "output channels");
  expectError(backward(backward1d(1, 0, 0, 1, INT64_MAX)),
              {{f32, {2, 0, 10}}, {f32, {0, 3, 4}}}, "conv_backward_data C5: ");
  expectError(backward(backward1d(1)), {input, kernel, {f32, {8}}},
              "conv_backward_data C6: ");
  for (auto [pad, more, dilation, size] : {std::array<int64_t, 4>{7, 0, 1, 10},
                                           {INT64_MAX, 0, 1, 10},
                                           {0, INT64_MAX, 1, 10},
                                           {0, 0, INT64_MAX, 10},
                                           {3, 0, 1, 1}})
    expectError(backward(backward1d(1, pad, more, dilation)),
                {{f32, {2, 8, size}}, kernel}, "conv_backward_data C7: ");
  expectError(backward(backward1d(INT64_MAX)), {input, kernel},
              "conv_backward_data C7: ");
  expectError(backward(backward1d(1)), {input, {f32, {8, 3, 0}}},
              "conv_backward_data C7: ");
}

//===----------------------------------------------------------------------===//
// conv_backward_weights
//===----------------------------------------------------------------------===//

static OpDesc weights1d(int64_t window, int64_t stride = 1, int64_t pad = 0,
                        int64_t dilation = 1, int64_t groups = 1) {
  fb::ConvAttrsT attrs;
  attrs.window = {window};
  attrs.strides = {stride};
  attrs.pad_low = attrs.pad_high = {pad};
  attrs.dilations = {dilation};
  attrs.groups = groups;
  attrs.input_layout = attrs.output_layout = "NCW";
  attrs.kernel_layout = "WIO";
  return makeOp(OpKind::conv_backward_weights, std::move(attrs));
}

TEST(ConvBackwardWeightsShapeRule, Sizes) {
  const TensorType input{f32, {2, 8, 10}};
  expectType(weights1d(3), {input, {f32, {2, 6, 8}}}, {f32, {3, 8, 6}});
  expectType(weights1d(3, 2, 1), {input, {f32, {2, 6, 5}}}, {f32, {3, 8, 6}});
  expectType(weights1d(3, 1, 0, 4), {input, {f32, {2, 6, 2}}},
             {f32, {3, 8, 6}});
  expectType(weights1d(3, 1, 0, 1, 2), {input, {f32, {2, 6, 8}}},
             {f32, {3, 4, 6}});
  expectType(weights1d(3), {{f32, {D, 8, D}}, {f32, {2, D, 8}}},
             {f32, {3, 8, D}});
  expectType(weights1d(3, 1, 0, 1, 2), {{f32, {D, D, D}}, {f32, {D, 6, D}}},
             {f32, {3, D, 6}});
  expectType(weights1d(3), {{f32, {0, 8, 10}}, {f32, {0, 6, 8}}},
             {f32, {3, 8, 6}});
}

TEST(ConvBackwardWeightsShapeRule, Errors) {
  const TensorType input{f32, {2, 8, 10}}, gradient{f32, {2, 6, 8}};
  expectError(weights1d(3), {input, {f32, {2, 8}}},
              "conv_backward_weights C1: ");
  expectError(weights1d(3), {input, {DType::f64, {2, 6, 8}}},
              "conv_backward_weights C2: ");
  expectError(weights1d(0), {input, gradient},
              "conv_backward_weights C3: window 0 of spatial dim 0");
  expectError(weights1d(3, 0), {input, gradient},
              "conv_backward_weights C3: stride 0");
  OpDesc without = weights1d(3);
  without.attrs.AsConvAttrs()->window = {};
  expectError(without, {input, gradient},
              "conv_backward_weights C3: window, strides, pads and dilations "
              "must have 1 entries each");
  expectError(weights1d(3, 1, 0, 1, 4), {input, gradient},
              "conv_backward_weights C4: 6 output channels in 4 groups");
  expectError(weights1d(3, 1, 0, 1, 3), {input, gradient},
              "conv_backward_weights C5: 8 input channels in 3 groups");
  expectError(weights1d(3), {input, {f32, {3, 6, 8}}},
              "conv_backward_weights C6: 2 images, but the gradient has 3");
  expectError(weights1d(11), {input, gradient},
              "conv_backward_weights C7: a window of 11 with dilation 1 does "
              "not fit into 10 elements padded by 0 and 0");
  expectError(weights1d(3), {input, {f32, {2, 6, 7}}},
              "conv_backward_weights C7: spatial dim 0: conv has 8 positions, "
              "but the gradient has 7");
  expectError(weights1d(INT64_MAX, 1, INT64_MAX, INT64_MAX), {input, gradient},
              "conv_backward_weights C7: ");
}

//===----------------------------------------------------------------------===//
// resize
//====----------------------------------------------------------------------===//

static fb::ResizeAttrsT resize2d(std::vector<int64_t> sizes,
                                 std::vector<double> scales) {
  fb::ResizeAttrsT attrs;
  attrs.mode = fb::ResizeMode::linear;
  attrs.dims = {1, 2};
  attrs.sizes = std::move(sizes);
  attrs.scales = std::move(scales);
  return attrs;
}

static OpDesc resize(fb::ResizeAttrsT attrs) {
  return makeOp(OpKind::resize, std::move(attrs));
}

TEST(ResizeShapeRule, Sizes) {
  const TensorType x{f32, {2, 5, 7}};
  expectType(resize(resize2d({3, 9}, {})), {x}, {f32, {2, 3, 9}});
  // In f32, 5 * 1.4 is 7.
  expectType(resize(resize2d({}, {1.4, 0.3})), {x}, {f32, {2, 7, 2}});
  expectType(resize(resize2d({3, 9}, {1.4, 0.3})), {x}, {f32, {2, 3, 9}});
  expectType(resize(resize2d({}, {0.1, 1})), {x}, {f32, {2, 0, 7}});
  expectType(resize(resize2d({3, 9}, {})), {{f32, {D, D, 7}}},
             {f32, {D, 3, 9}});
  expectType(resize(resize2d({}, {2, 2})), {{f32, {0, D, 7}}},
             {f32, {0, D, 14}});
  expectType(resize({}), {x}, x);
}

TEST(ResizeShapeRule, Errors) {
  const TensorType x{f32, {2, 5, 7}};
  expectError(resize(resize2d({3, 9}, {})), {{DType::i1, {2, 5, 7}}},
              "resize C1: interpolates numbers, not i1");
  fb::ResizeAttrsT attrs = resize2d({3, 9}, {});
  attrs.dims = {-1, 2};
  expectError(resize(attrs), {x}, "resize C2: dim -1");
  attrs.dims = {2, 3};
  expectError(resize(attrs), {x}, "resize C2: dim 3");
  attrs.dims = {2, 2};
  expectError(resize(attrs), {x}, "resize C2: dim 2");
  expectError(resize(resize2d({3}, {})), {x}, "resize C3: ");
  expectError(resize(resize2d({3, 9}, {1})), {x}, "resize C3: ");
  expectError(resize(resize2d({}, {})), {x}, "resize C3: ");
  attrs = resize2d({3, 9}, {});
  attrs.starts = {0, 0};
  expectError(resize(attrs), {x}, "resize C3: 2 starts and 0 ends, not 0");
  expectError(resize(resize2d({3, -1}, {})), {x}, "resize C4: size -1");
  for (double scale : {0.0, -1.0, double(INFINITY), double(NAN)})
    expectError(resize(resize2d({}, {1, scale})), {x}, "resize C4: scale ");
  attrs = resize2d({3, 9}, {});
  attrs.coordinates = fb::ResizeCoordinates::tf_crop_and_resize;
  attrs.starts = {0, 0};
  attrs.ends = {1, INFINITY};
  expectError(resize(attrs), {x}, "resize C5: a region from or to inf");
  expectError(resize(resize2d({3, 9}, {})), {{f32, {2, 5, 0}}},
              "resize C6: dim 2 is empty");
  expectError(resize(resize2d({3, INT64_MAX}, {})), {x}, "resize C7: ");
  expectError(resize(resize2d({}, {1, 1e300})), {x}, "resize C7: ");
  // A stretched filter has many taps.
  attrs = resize2d({3, 9}, {1e-9, 1});
  attrs.antialias = true;
  expectType(resize(attrs), {x}, {f32, {2, 3, 9}});
  expectError(resize(attrs), {{f32, {2, 1 << 24, 7}}}, "resize C7: ");
  expectError(resize(resize2d({1 << 23, 1 << 23}, {})),
              {{f32, {int64_t(1) << 40, 5, 7}}}, "");
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

TEST(MatmulShapeRule, Cases) {
  auto matmul = [](bool lhs, bool rhs) {
    fb::MatmulAttrsT attrs;
    attrs.transpose_lhs = lhs;
    attrs.transpose_rhs = rhs;
    return makeOp(OpKind::matmul, attrs);
  };
  expectType(matmul(false, false), {{f32, {2, 3}}, {f32, {3, 4}}},
             {f32, {2, 4}});
  expectType(matmul(true, false), {{f32, {3, 2}}, {f32, {3, 4}}},
             {f32, {2, 4}});
  expectType(matmul(false, true), {{i32, {2, D}}, {i32, {4, 3}}},
             {i32, {2, 4}});
  expectType(matmul(false, false), {{f32, {5, 1, 2, 3}}, {f32, {7, 3, 4}}},
             {f32, {5, 7, 2, 4}});
  expectType(matmul(false, false), {{f32, {D, 2, 3}}, {f32, {3, 4}}},
             {f32, {D, 2, 4}});
  expectError(matmul(false, false), {{f32, {3}}, {f32, {3, 4}}},
              "matmul C1: ranks are 1 and 2");
  expectError(matmul(false, false), {{f32, {2, 3}}, {f16, {3, 4}}},
              "matmul C2: ");
  expectError(matmul(false, false), {{f32, {2, 3}}, {f32, {4, 4}}},
              "matmul C3: contracted dims are 3 and 4");
  expectError(matmul(false, false), {{f32, {2, 2, 3}}, {f32, {3, 3, 4}}},
              "matmul C4: ");
}

TEST(MatmulShapeRule, WidenedIntegers) {
  fb::MatmulAttrsT attrs;
  attrs.widen = true;
  const OpDesc widened = makeOp(OpKind::matmul, attrs);
  for (DType data : {ui8, i8})
    expectType(widened, {{data, {2, 3}}, {i8, {3, 4}}}, {i32, {2, 4}});
  expectError(widened, {{i8, {2, 3}}, {ui8, {3, 4}}}, "matmul C2: i8 and ui8");
  expectError(widened, {{f32, {2, 3}}, {f32, {3, 4}}},
              "matmul C2: f32 and f32");
  expectType(makeOp(OpKind::matmul, fb::MatmulAttrsT()),
             {{i8, {2, 3}}, {i8, {3, 4}}}, {i8, {2, 4}});
}

//===----------------------------------------------------------------------===//
// Windows and reductions
//===----------------------------------------------------------------------===//

static fb::PoolAttrsT pool2d(int64_t window, int64_t stride, int64_t pad = 0) {
  fb::PoolAttrsT attrs;
  attrs.window = {window, window};
  attrs.strides = {stride, stride};
  attrs.pad_low = attrs.pad_high = {pad, pad};
  attrs.dilations = {1, 1};
  attrs.layout = "NCHW";
  return attrs;
}

TEST(PoolShapeRule, Cases) {
  auto maxPool = [](fb::PoolAttrsT attrs) {
    return makeOp(OpKind::max_pool, std::move(attrs));
  };
  expectType(maxPool(pool2d(2, 2)), {{f32, {1, 3, 8, 9}}}, {f32, {1, 3, 4, 4}});
  expectType(maxPool(pool2d(3, 2, 1)), {{i8, {D, 3, 8, D}}},
             {i8, {D, 3, 4, D}});
  expectError(makeOp(OpKind::avg_pool, pool2d(2, 2)), {{i8, {1, 3, 8, 8}}},
              "avg_pool C2: ");
  expectError(maxPool(pool2d(2, 2)), {{f32, {3, 8, 8}}}, "max_pool C1: ");
  expectError(maxPool(pool2d(0, 2)), {{f32, {1, 3, 8, 8}}}, "max_pool C3: ");
  expectError(maxPool(pool2d(2, 2, 2)), {{f32, {1, 3, 8, 8}}}, "max_pool C4: ");
  expectError(maxPool(pool2d(9, 1)), {{f32, {1, 3, 8, 8}}}, "max_pool C5: ");
}

TEST(PoolGradientShapeRules, Cases) {
  const auto withSizes = [](fb::PoolAttrsT attrs, std::vector<int64_t> sizes) {
    attrs.input_sizes = std::move(sizes);
    return attrs;
  };
  const OpDesc op =
      makeOp(OpKind::max_pool_backward, withSizes(pool2d(2, 2), {8, 9}));
  const TensorType g{f32, {D, 3, 4, 4}}, index{DType::ui8, {1, 3, D, 4}};
  expectType(op, {g, index}, {f32, {D, 3, 8, 9}});
  expectError(op, {g, {i8, {1, 3, 4, 4}}}, "max_pool_backward C8: ");
  expectError(op, {g, {DType::ui8, {1, 3, 4}}}, "max_pool_backward C8: ");
  expectError(op, {{f32, {1, 3, 4, 5}}, index}, "max_pool_backward C7: ");
  const auto backward = [&](fb::PoolAttrsT attrs, std::vector<int64_t> sizes) {
    return makeOp(OpKind::avg_pool_backward,
                  withSizes(std::move(attrs), std::move(sizes)));
  };
  expectType(backward(pool2d(3, 1, 1), {4, 4}), {g}, g);
  expectError(backward(pool2d(2, 2), {8}), {g}, "avg_pool_backward C7: ");
  expectError(backward(pool2d(2, 2), {8, -9}), {g}, "avg_pool_backward C7: ");
  expectError(backward(pool2d(9, 1), {8, 8}), {g}, "avg_pool_backward C5: ");
  expectError(backward(pool2d(2, 2), {8, 9}), {{i8, {1, 3, 4, 4}}},
              "avg_pool_backward C2: ");
  expectType(makeOp(OpKind::max_pool_with_index, pool2d(16, 1)),
             {{f32, {1, 3, 16, 16}}}, {f32, {1, 3, 1, 1}});
  expectError(makeOp(OpKind::max_pool_with_index, pool2d(17, 1)),
              {{f32, {1, 3, 17, 17}}}, "max_pool_with_index C6: ");
  expectError(makeOp(OpKind::max_pool_with_index, pool2d(int64_t(1) << 40, 1)),
              {{f32, {1, 3, D, D}}}, "max_pool_with_index C6: ");
}

TEST(MomentsAndRandomShapeRules, Cases) {
  const auto moments = [](std::vector<int64_t> dims, bool keepDims) {
    return makeOp(OpKind::moments,
                  fb::MomentsAttrsT{{}, std::move(dims), keepDims});
  };
  expectType(moments({1}, false), {{f32, {2, 3, D}}}, {f32, {2, D}});
  expectType(moments({0, 2}, true), {{f32, {2, 3, 0}}}, {f32, {1, 3, 1}});
  expectError(moments({2}, false), {{f32, {2, 3}}}, "moments C1: ");
  expectError(moments({0}, false), {{i32, {2, 3}}}, "moments C2: ");
  const OpDesc random = makeOp(OpKind::random, fb::RandomAttrsT{{}, {2, 3}});
  const TensorType word{DType::ui64, {}};
  expectType(random, {word, word}, {DType::ui32, {2, 3}});
  expectError(random, {word, {i64, {}}}, "random C1: ");
  expectType(makeOp(OpKind::stop_gradient), {{f32, {D}}}, {f32, {D}});
}

TEST(ReduceShapeRule, Cases) {
  using enum fb::ReduceKind;
  auto reduce = [](fb::ReduceKind kind, std::vector<int64_t> dims,
                   bool keepDims = false) {
    fb::ReduceAttrsT attrs;
    attrs.kind = kind;
    attrs.dims = std::move(dims);
    attrs.keep_dims = keepDims;
    return makeOp(OpKind::reduce, attrs);
  };
  expectType(reduce(sum, {1}), {{f32, {2, 3, D}}}, {f32, {2, D}});
  expectType(reduce(mean, {0, 2}, true), {{f32, {2, 3, 4}}}, {f32, {1, 3, 1}});
  expectType(reduce(max, {}), {{i32, {2}}}, {i32, {2}});
  expectType(reduce(argmax, {1}), {{f32, {2, 3}}}, {i64, {2}});
  expectType(reduce(sum, {0}), {{f32, {0, 2}}}, {f32, {2}});
  expectError(reduce(sum, {2}), {{f32, {2, 3}}}, "reduce C1: ");
  expectError(reduce(sum, {0, 0}), {{f32, {2, 3}}}, "reduce C1: ");
  expectError(reduce(mean, {0}), {{i32, {2}}}, "reduce C2: mean");
  expectError(reduce(sum, {0}), {{i1, {2}}}, "reduce C2: ");
  expectError(reduce(argmax, {0, 1}), {{f32, {2, 3}}}, "reduce C3: ");
  expectError(reduce(max, {0}), {{f32, {0, 2}}}, "reduce C4: ");
}

TEST(BatchNormAndSoftmaxShapeRules, Cases) {
  auto batchNorm = [](double epsilon, int64_t axis) {
    fb::BatchNormAttrsT attrs;
    attrs.epsilon = epsilon;
    attrs.axis = axis;
    return makeOp(OpKind::batch_norm, attrs);
  };
  TensorType x{f32, {2, D, 4}}, c{f32, {3}};
  expectType(batchNorm(1e-5, 1), {x, c, c, c, c}, {f32, {2, 3, 4}});
  expectError(batchNorm(1e-5, 1), {x, c, c, c, {f16, {3}}}, "batch_norm C1: ");
  expectError(batchNorm(1e-5, 3), {x, c, c, c, c}, "batch_norm C2: ");
  expectError(batchNorm(1e-5, 2), {x, c, c, c, c}, "batch_norm C3: ");
  expectError(batchNorm(-1, 1), {x, c, c, c, c}, "batch_norm C4: ");
  expectError(batchNorm(std::numeric_limits<double>::quiet_NaN(), 1),
              {x, c, c, c, c}, "batch_norm C4: ");

  fb::AxisAttrsT attrs;
  attrs.axis = 1;
  OpDesc softmax = makeOp(OpKind::softmax, attrs);
  expectType(softmax, {x}, x);
  expectError(softmax, {{i32, {2, 2}}}, "softmax C1: ");
  expectError(softmax, {{f32, {2}}}, "softmax C2: ");

  const OpDesc backward = makeOp(OpKind::softmax_backward, attrs);
  expectType(backward, {{f32, {2, D}}, {f32, {D, 3}}}, {f32, {2, 3}});
  expectError(backward, {{i32, {2, 2}}, {i32, {2, 2}}},
              "softmax_backward C1: ");
  expectError(backward, {{f32, {2, 2}}, {f16, {2, 2}}},
              "softmax_backward C1: ");
  expectError(backward, {{f32, {2}}, {f32, {2}}}, "softmax_backward C2: ");
  expectError(backward, {{f32, {2, 3}}, {f32, {2, 1}}},
              "softmax_backward C3: ");
  expectError(backward, {{f32, {2, 3}}, {f32, {2, 3, 1}}},
              "softmax_backward C3: ");
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

TEST(CostTest, CountsFlopsAndBytes) {
  auto costOf = [](const OpDesc &op, std::vector<TensorType> operands) {
    return cost(op, operands, *inferType(op, operands));
  };
  OpCost add = costOf(makeOp(OpKind::add), {{f32, {4, 8}}, {f32, {8}}});
  EXPECT_EQ(add.flops, 32);
  EXPECT_EQ(add.bytes, (32 + 8 + 32) * 4);
  EXPECT_EQ(costOf(makeOp(OpKind::tanh), {{f32, {10}}}).flops,
            10 * kTranscendentalFlops);
  // Two taps at some positions, one at others; 10 * 4 * 3 products in all.
  OpCost transposed =
      costOf(backward(backward1d(2)), {{f32, {1, 8, 10}}, {f32, {8, 4, 3}}});
  EXPECT_EQ(transposed.reads, 2 * 8);
  EXPECT_EQ(transposed.flops, 2 * 8 * 10 * 4 * 3);
  EXPECT_EQ(costOf(resize(resize2d({8, 8}, {})), {{f32, {3, 4, 4}}}).reads, 4);
  EXPECT_EQ(costOf(resize(resize2d({1, 8}, {})), {{f32, {3, 4, 1}}}).reads, 2);
  OpCost convolution = costOf(
      conv(conv2d()), {{f32, {1, 10, 12, 4}}, {f32, {3, 3, 4, 8}}, {f32, {8}}});
  EXPECT_EQ(convolution.flops, 8 * 10 * 8 * (2 * 36 + 1));
  EXPECT_EQ(costOf(makeOp(OpKind::matmul, fb::MatmulAttrsT()),
                   {{f32, {2, 3}}, {f32, {3, 4}}})
                .flops,
            2 * 2 * 3 * 4);
}
