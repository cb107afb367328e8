//===- ShapeRulesTest.cpp - Result types of ops ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRuleCase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tandem;
using namespace tandem::test;
using enum DType;

constexpr int64_t D = kDynamic;
constexpr int64_t kLarge = int64_t(1) << 40;

static OpDesc make(OpKind kind) { return makeOp(kind); }

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static OpDesc cast(DType dtype) {
  fb::CastAttrsT attrs;
  attrs.dtype = dtype;
  return makeOp(OpKind::cast, attrs);
}

static OpDesc compareLess() {
  fb::CompareAttrsT attrs;
  attrs.predicate = fb::ComparePredicate::lt;
  return makeOp(OpKind::compare, attrs);
}

TEST(ElementwiseShapeRules, Unary) {
  expectType(make(OpKind::neg), {{i32, {2, D}}}, {i32, {2, D}});
  expectType(make(OpKind::exp), {{bf16, {}}}, {bf16, {}});
  expectType(make(OpKind::logical_not), {{i1, {3}}}, {i1, {3}});
  expectType(cast(f16), {{i1, {D, 2}}}, {f16, {D, 2}});
  expectError(make(OpKind::exp), {{i32, {2}}},
              "exp C1: works on floats, not on i32");
  expectError(make(OpKind::abs), {{i1, {2}}},
              "abs C1: works on floats and integers, not on i1");
  expectError(make(OpKind::logical_not), {{f32, {2}}},
              "logical_not C1: works on i1, not on f32");
}

TEST(ElementwiseShapeRules, BroadcastingFollowsNumPy) {
  struct Row {
    Shape lhs, rhs, result;
  } rows[] = {
      {{}, {}, {}},          {{4}, {}, {4}},
      {{4, 1}, {5}, {4, 5}}, {{2, 1, 3}, {7, 1}, {2, 7, 3}},
      {{0}, {1}, {0}},       {{D}, {5}, {5}},
      {{D}, {1}, {D}},       {{D}, {D}, {D}},
      {{1}, {D}, {D}},       {{D, 3}, {2, 1, 1}, {2, D, 3}},
      {{D}, {0}, {0}},
  };
  for (const Row &row : rows) {
    TensorType result{f32, row.result};
    expectType(make(OpKind::add), {{f32, row.lhs}, {f32, row.rhs}}, result);
    expectType(make(OpKind::add), {{f32, row.rhs}, {f32, row.lhs}}, result);
  }
}

TEST(ElementwiseShapeRules, BinaryErrors) {
  expectError(make(OpKind::add), {{f32, {4}}, {f32, {5}}},
              "add C3: shapes 4 and 5 do not broadcast");
  expectError(make(OpKind::mul), {{f32, {0}}, {f32, {2}}}, "mul C3: ");
  expectError(make(OpKind::add), {{f32, {4}}, {f64, {4}}},
              "add C2: operands must have one element type, not f32 and f64");
  expectError(make(OpKind::sub), {{i1, {}}, {i1, {}}}, "sub C1: ");
  expectError(make(OpKind::pow), {{i1, {}}, {i1, {}}}, "pow C1: ");
  expectError(make(OpKind::logical_and), {{i32, {}}, {i32, {}}},
              "logical_and C1: works on i1");
}

TEST(ElementwiseShapeRules, CompareSelectAndClamp) {
  expectType(compareLess(), {{i64, {2, 1}}, {i64, {3}}}, {i1, {2, 3}});
  expectType(make(OpKind::select), {{i1, {2, 1}}, {f32, {3}}, {f32, {}}},
             {f32, {2, 3}});
  expectType(make(OpKind::clamp), {{f32, {}}, {f32, {D, 3}}, {f32, {}}},
             {f32, {D, 3}});
  expectError(make(OpKind::select), {{f32, {}}, {f32, {}}, {f32, {}}},
              "select C1: the condition must be i1");
  expectError(make(OpKind::select), {{i1, {}}, {f32, {}}, {i8, {}}},
              "select C2: ");
  expectError(make(OpKind::clamp), {{f32, {2}}, {f32, {3}}, {f32, {}}},
              "clamp C3: ");
}

TEST(ElementwiseShapeRules, ATypeThatIsTooLarge) {
  expectError(make(OpKind::add), {{f32, {kLarge, 1}}, {f32, {1, kLarge}}},
              "add: result tensor<1099511627776x1099511627776xf32> is too "
              "large");
}

TEST(ShapeRules, OperandCountsAndAttributes) {
  expectError(make(OpKind::add), {{f32, {2}}}, "add takes 2 operands, not 1");
  expectError(make(OpKind::concat), {}, "concat lacks its attributes");
  expectError(make(OpKind::softmax), {{f32, {2}}},
              "softmax lacks its attributes");
  expectError(make(OpKind::custom_call), {}, "custom_call has no shape rule");
  expectError(make(static_cast<OpKind>(200)), {}, "has no shape rule");
}

//===----------------------------------------------------------------------===//
// Shape ops
//===----------------------------------------------------------------------===//

static OpDesc reshape(std::vector<int64_t> shape) {
  fb::ReshapeAttrsT attrs;
  attrs.shape = std::move(shape);
  return makeOp(OpKind::reshape, attrs);
}

TEST(ReshapeShapeRule, Cases) {
  expectType(reshape({6}), {{f32, {2, 3}}}, {f32, {6}});
  expectType(reshape({-1, 2}), {{f32, {4, 3}}}, {f32, {6, 2}});
  expectType(reshape({}), {{f32, {1, 1}}}, {f32, {}});
  expectType(reshape({-1, 4}), {{f32, {D, 2}}}, {f32, {D, 4}});
  expectType(reshape({3, 4}), {{f32, {D}}}, {f32, {3, 4}});
  expectType(reshape({0, 5}), {{f32, {0}}}, {f32, {0, 5}});
  expectError(reshape({-1, -1}), {{f32, {4}}}, "reshape C1: more than one -1");
  expectError(reshape({-2}), {{f32, {4}}}, "reshape C1: size -2");
  expectError(reshape({5}), {{f32, {4}}},
              "reshape C2: tensor<4xf32> does not have the elements of 5");
  expectError(reshape({-1, 3}), {{f32, {4}}}, "reshape C2: ");
  expectError(reshape({-1, 0}), {{f32, {0}}}, "reshape C2: ");
  expectError(reshape({kLarge, kLarge}), {{f32, {4}}}, "reshape C2: ");
  expectError(reshape(std::vector<int64_t>(9, 1)), {{f32, {1}}},
              "reshape C1: rank 9");
}

TEST(TransposeShapeRule, Cases) {
  auto transpose = [](std::vector<int64_t> permutation) {
    fb::TransposeAttrsT attrs;
    attrs.permutation = std::move(permutation);
    return makeOp(OpKind::transpose, attrs);
  };
  expectType(transpose({2, 0, 1}), {{f32, {2, D, 4}}}, {f32, {4, 2, D}});
  expectType(transpose({}), {{f32, {}}}, {f32, {}});
  for (std::vector<int64_t> bad : {std::vector<int64_t>{0, 0},
                                   {0},
                                   {0, 2},
                                   {-1, 0},
                                   {0, 1, 2},
                                   {0, int64_t(1) << 33}})
    expectError(transpose(bad), {{f32, {2, 3}}}, "transpose C1: ");
}

TEST(BroadcastShapeRule, Cases) {
  auto broadcast = [](std::vector<int64_t> shape, std::vector<int64_t> dims) {
    fb::BroadcastAttrsT attrs;
    attrs.shape = std::move(shape);
    attrs.dims = std::move(dims);
    return makeOp(OpKind::broadcast, attrs);
  };
  expectType(broadcast({2, 3, 4}, {1}), {{f32, {3}}}, {f32, {2, 3, 4}});
  expectType(broadcast({2, 3}, {1, 0}), {{f32, {1, D}}}, {f32, {2, 3}});
  expectError(broadcast({2, 3}, {}), {{f32, {3}}}, "broadcast C1: ");
  expectError(broadcast({2, 3}, {2}), {{f32, {3}}}, "broadcast C1: ");
  expectError(broadcast({3, 3}, {1, 1}), {{f32, {3, 3}}}, "broadcast C1: ");
  expectError(broadcast({2, 3}, {0}), {{f32, {3}}},
              "broadcast C2: operand dim 0 of size 3 does not broadcast to 2");
  expectError(broadcast({-1, 3}, {1}), {{f32, {3}}}, "broadcast C2: size -1");
}

TEST(SliceShapeRule, Cases) {
  auto slice = [](int64_t start, int64_t limit, int64_t stride) {
    fb::SliceAttrsT attrs;
    attrs.starts = {start};
    attrs.limits = {limit};
    attrs.strides = {stride};
    return makeOp(OpKind::slice, attrs);
  };
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  struct Row {
    int64_t start, limit, stride, size;
  } rows[] = {{0, 10, 1, 10},    {2, 8, 3, 2},   {2, 9, 3, 3},
              {-3, kMax, 1, 3},  {0, -1, 1, 9},  {5, 2, 1, 0},
              {-99, 4, 1, 4},    {20, 30, 1, 0}, {0, kMax, 7, 2},
              {9, kMax, kMax, 1}};
  for (const Row &row : rows)
    expectType(slice(row.start, row.limit, row.stride), {{f32, {10}}},
               {f32, {row.size}});
  expectType(slice(0, 3, 1), {{f32, {D}}}, {f32, {D}});
  expectError(slice(0, 3, 0), {{f32, {5}}}, "slice C2: stride 0 of dim 0");
  expectError(slice(0, 3, 1), {{f32, {5, 5}}}, "slice C1: ");
}

TEST(PadShapeRule, Cases) {
  auto pad = [](int64_t low, int64_t high, int64_t interior) {
    fb::PadAttrsT attrs;
    attrs.low = {low};
    attrs.high = {high};
    attrs.interior = {interior};
    return makeOp(OpKind::pad, attrs);
  };
  expectType(pad(1, 2, 0), {{f32, {4}}}, {f32, {7}});
  expectType(pad(0, 0, 2), {{f32, {4}}}, {f32, {10}});
  expectType(pad(1, 0, 3), {{f32, {0}}}, {f32, {1}});
  expectType(pad(1, 0, 3), {{f32, {D}}}, {f32, {D}});
  expectError(pad(-1, 0, 0), {{f32, {4}}}, "pad C2: low -1");
  expectError(pad(0, 0, 0), {{f32, {4, 4}}}, "pad C1: ");
  expectError(pad(0, 0, 0), {{i1, {4}}}, "pad C3: ");
  expectError(pad(INT64_MAX, 1, 0), {{f32, {4}}},
              "pad C2: the size of result dim 0 overflows");
}

TEST(ConcatShapeRule, Cases) {
  auto concat = [](int64_t axis) {
    fb::AxisAttrsT attrs;
    attrs.axis = axis;
    return makeOp(OpKind::concat, attrs);
  };
  expectType(concat(0), {{f32, {2, D}}, {f32, {3, 4}}}, {f32, {5, 4}});
  expectType(concat(1), {{f32, {D, 2}}, {f32, {3, D}}}, {f32, {3, D}});
  expectType(concat(0), {{i8, {2}}}, {i8, {2}});
  expectError(concat(0), {{f32, {2}}, {f64, {2}}}, "concat C1: ");
  expectError(concat(0), {{f32, {2}}, {f32, {2, 2}}}, "concat C1: ");
  expectError(concat(2), {{f32, {2, 2}}}, "concat C2: axis 2");
  expectError(concat(-1), {{f32, {2, 2}}}, "concat C2: axis -1");
  expectError(concat(0), {{f32, {2, 3}}, {f32, {2, 4}}},
              "concat C3: dim 1 is 3 and 4");
}

TEST(IotaAndGatherShapeRules, Cases) {
  auto iota = [](TensorType type, int64_t axis) {
    fb::IotaAttrsT attrs;
    attrs.axis = axis;
    attrs.type = std::make_unique<fb::TensorTypeT>(toFlat(type));
    return makeOp(OpKind::iota, attrs);
  };
  expectType(iota({i32, {3, 4}}, 1), {}, {i32, {3, 4}});
  expectError(iota({i1, {3}}, 0), {}, "iota C1: ");
  expectType(iota({f32, {D}}, 0), {}, {f32, {D}});
  expectError(iota({f32, {3}}, 1), {}, "iota C2: ");
  expectError(makeOp(OpKind::iota, fb::IotaAttrsT()), {}, "iota C1: ");

  auto gather = [](int64_t axis) {
    fb::GatherAttrsT attrs;
    attrs.axis = axis;
    return makeOp(OpKind::gather, attrs);
  };
  expectType(gather(1), {{f32, {2, 5, 3}}, {i32, {7, D}}}, {f32, {2, 7, D, 3}});
  expectType(gather(0), {{f32, {5}}, {i64, {}}}, {f32, {}});
  expectType(gather(0), {{f32, {0}}, {i64, {0}}}, {f32, {0}});
  expectError(gather(0), {{f32, {5}}, {f32, {2}}}, "gather C1: ");
  expectError(gather(1), {{f32, {5}}, {i32, {2}}}, "gather C2: ");
  expectError(gather(0), {{f32, {2, 2, 2, 2, 2}}, {i32, {1, 1, 1, 1, 1}}},
              "gather C3: ");
  expectError(gather(0), {{f32, {0}}, {i32, {2}}}, "gather C4: ");
}

TEST(ShapeRules, IndexingOps) {
  auto scatter = [](int64_t axis, fb::ScatterKind kind) {
    return makeOp(OpKind::scatter, fb::ScatterAttrsT{{}, axis, kind});
  };
  const OpDesc replace = scatter(1, fb::ScatterKind::replace);
  expectType(replace, {{f32, {2, 5, 3}}, {i32, {7, 4}}, {f32, {2, 7, 4, 3}}},
             {f32, {2, 5, 3}});
  // Updates tell dims of the input that are not known.
  expectType(replace, {{f32, {D, 5, D}}, {i64, {}}, {f32, {2, 3}}},
             {f32, {2, 5, 3}});
  expectType(replace, {{i1, {2, 5}}, {i64, {1}}, {i1, {2, 1}}}, {i1, {2, 5}});
  expectError(scatter(0, fb::ScatterKind::add),
              {{i1, {5}}, {i64, {1}}, {i1, {1}}}, "scatter C1: ");
  expectError(replace, {{f32, {2, 5}}, {i32, {1}}, {i32, {2, 1}}},
              "scatter C1: ");
  expectError(replace, {{f32, {2, 5}}, {f32, {1}}, {f32, {2, 1}}},
              "scatter C2: ");
  expectError(replace, {{f32, {5}}, {i32, {1}}, {f32, {1}}}, "scatter C3: ");
  expectError(replace, {{f32, {2, 5}}, {i32, {1}}, {f32, {2, 5}}},
              "scatter C4: ");
  expectError(replace, {{f32, {2, 5}}, {i32, {1}}, {f32, {2}}}, "scatter C4: ");
  expectError(
      replace,
      {{f32, {1, 1, 1, 1, 1}}, {i32, {1, 1, 1, 1, 1}}, {f32, {1, 1, 1, 1, 1}}},
      "scatter C4: ");

  auto topk = [](int64_t axis, int64_t k) {
    return makeOp(OpKind::topk, fb::TopKAttrsT{{}, axis, k});
  };
  expectType(topk(1, 3), {{f32, {2, 5}}}, {f32, {2, 3}});
  expectType(topk(0, 9), {{i8, {D, 5}}}, {i8, {9, 5}});
  expectType(topk(0, 0), {{f32, {0}}}, {f32, {0}});
  expectError(topk(0, 1), {{i1, {5}}}, "topk C1: ");
  expectError(topk(1, 1), {{f32, {5}}}, "topk C2: ");
  expectError(topk(0, 6), {{f32, {5}}}, "topk C3: ");
  expectError(topk(0, -1), {{f32, {D}}}, "topk C3: ");
  const TensorType rows{f32, {2, 5}};
  EXPECT_EQ(*inferTypes(topk(1, 3), {&rows, 1}),
            (std::vector<TensorType>{{f32, {2, 3}}, {i64, {2, 3}}}));
  auto sort = [](int64_t axis) {
    return makeOp(OpKind::sort, fb::SortAttrsT{{}, axis});
  };
  expectType(sort(1), {{f32, {2, D}}}, {f32, {2, D}});
  expectError(sort(0), {{i1, {5}}}, "sort C1: ");
  expectError(sort(-1), {{f32, {5}}}, "sort C2: ");
}

TEST(ShapeRules, LineOps) {
  auto scan = [](int64_t axis, fb::ScanKind kind) {
    return makeOp(OpKind::scan, fb::ScanAttrsT{{}, axis, kind});
  };
  expectType(scan(1, fb::ScanKind::sum), {{i8, {2, D}}}, {i8, {2, D}});
  expectType(scan(0, fb::ScanKind::log_sum_exp), {{f16, {0}}}, {f16, {0}});
  expectError(scan(0, fb::ScanKind::sum), {{i1, {5}}}, "scan C1: ");
  expectError(scan(0, fb::ScanKind::log_sum_exp), {{i8, {5}}}, "scan C1: ");
  expectError(scan(1, fb::ScanKind::max), {{f32, {5}}}, "scan C2: ");
  expectError(scan(-1, fb::ScanKind::max), {{f32, {5}}}, "scan C2: ");

  using fb::FFTKind;
  auto fft = [](int64_t axis, FFTKind kind, int64_t length = 0) {
    return makeOp(OpKind::fft, fb::FFTAttrsT{{}, axis, kind, length});
  };
  expectType(fft(0, FFTKind::fft), {{f32, {5, D}}}, {f32, {5, 2}});
  expectType(fft(1, FFTKind::ifft), {{f64, {D, D, 2}}}, {f64, {D, D, 2}});
  expectType(fft(1, FFTKind::rfft), {{f32, {3, 8}}}, {f32, {3, 5, 2}});
  expectType(fft(0, FFTKind::rfft), {{bf16, {D}}}, {bf16, {D, 2}});
  expectType(fft(0, FFTKind::irfft, 9), {{f32, {5, 3, 2}}}, {f32, {9, 3}});
  expectType(fft(0, FFTKind::irfft, 8), {{f32, {D, 2}}}, {f32, {8}});
  expectError(fft(0, FFTKind::fft), {{i32, {5, 2}}}, "fft C1: ");
  expectError(fft(1, FFTKind::fft), {{f32, {5, 2}}}, "fft C2: ");
  expectError(fft(1, FFTKind::rfft), {{f32, {5}}}, "fft C2: ");
  expectError(fft(0, FFTKind::ifft), {{f32, {5, 3}}}, "fft C3: ");
  expectError(fft(0, FFTKind::rfft), {{f32, {0, 3}}}, "fft C4: ");
  expectError(fft(0, FFTKind::irfft, 7), {{f32, {5, 2}}}, "fft C5: ");
  expectError(fft(0, FFTKind::irfft), {{f32, {D, 2}}}, "fft C5: ");
  expectError(fft(0, FFTKind::irfft, -1), {{f32, {1, 2}}}, "fft C5: ");
  expectError(fft(0, FFTKind::fft, 5), {{f32, {5, 2}}}, "fft C5: ");
  expectError(fft(0, FFTKind::rfft), {{f32, {1, 1, 1, 1, 1, 1, 1, 1}}},
              "fft C6: ");
}

TEST(ResolveSlice, StartsAndSizes) {
  EXPECT_EQ(resolveSlice(10, -3, INT64_MAX, 2).start, 7);
  EXPECT_EQ(resolveSlice(10, -3, INT64_MAX, 2).size, 2);
  EXPECT_EQ(resolveSlice(0, 0, 5, 1).size, 0);
  EXPECT_EQ(resolveSlice(10, INT64_MIN, INT64_MIN, 1).size, 0);
}
