//===- EdgeCaseTest.cpp - Special values, empty and rank 0 ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <cmath>
#include <limits>

using namespace tandem;
using namespace tandem::test;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Enough of them to fill vectors, so that vectorized loops meet each.
std::vector<double> specialValues(DType dtype) {
  std::vector<double> once = {0, 1, -1, 2, -2, 3, -3, 7, -7, 100, -100};
  if (isFloat(dtype)) {
    const double tiny = dtype == DType::f16   ? 0x1p-20
                        : dtype == DType::f64 ? 0x1p-1060
                                              : 0x1p-130;
    const double huge = dtype == DType::f16 ? 60000 : 1e38;
    for (double x :
         {-0.0,   0.5,   -0.5, 1.5,   2.5,  -2.5,  1e-3, -1e-3, 0.999,
          -0.999, 30.,   -30., 88.,   -88., 90.,   -90., 110.,  -110.,
          tiny,   -tiny, huge, -huge, kInf, -kInf, kNaN})
      once.push_back(x);
  } else {
    const double low = -std::ldexp(1, 8 * byteWidth(dtype) - 1);
    once.insert(once.end(), {low, low + (byteWidth(dtype) == 8 ? 1024 : 1)});
  }
  std::vector<double> values;
  for (int i = 0; i < 3; ++i)
    values.insert(values.end(), once.begin(), once.end());
  return values;
}

/// The distance to the next number of the type.
double ulpOf(double x, DType dtype) {
  const int digits = dtype == DType::f64    ? 53
                     : dtype == DType::f32  ? 24
                     : dtype == DType::f16  ? 11
                     : dtype == DType::bf16 ? 8
                                            : 64;
  const int lowest = dtype == DType::f64   ? -1022
                     : dtype == DType::f16 ? -14
                                           : -126;
  const int exponent = x == 0 ? lowest : std::max(std::ilogb(x), lowest);
  return std::ldexp(1, exponent - digits + 1);
}

/// Vectorized functions may flush subnormal results; 16-bit floats are computed
/// on in f32.
double leastNormal(DType dtype) {
  return dtype == DType::f64 ? 0x1p-1022 : isFloat(dtype) ? 0x1p-126 : 0;
}

bool near(double expected, double actual, DType dtype, double ulps,
          double absolute) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual);
  if (expected == actual)
    return true;
  if (ulps > 1 && actual == 0 && std::fabs(expected) < leastNormal(dtype))
    return true;
  return std::isfinite(expected) && std::isfinite(actual) &&
         std::fabs(expected - actual) <=
             ulps * ulpOf(expected, dtype) + absolute;
}

void checkSpecial(const OpDesc &op, const std::vector<Tensor> &operands,
                  double ulps, double absolute = 0) {
  if (!supports(eigenProvider(), op, operands))
    return;
  const Tensor expected = reference(op, operands);
  Expected<Tensor> actual = run(eigenProvider(), op, operands);
  ASSERT_TRUE(actual) << actual.error().str();
  const std::vector<double> e = valuesOf(expected), a = valuesOf(*actual);
  for (size_t i = 0; i < e.size(); ++i) {
    if (near(e[i], a[i], expected.dtype(), ulps, absolute))
      continue;
    ADD_FAILURE() << Case{op, operands}.describe() << " [" << i
                  << "]: expected " << e[i] << ", got " << a[i];
    return;
  }
}

/// Beyond these, no float function of the provider may be off.
constexpr double kUlps = 6;

/// The elementwise kinds of at most `operands` operands.
std::vector<OpKind> elementwiseKinds(int operands) {
  std::vector<OpKind> kinds;
  for (OpKind kind : fb::EnumValuesOpKind())
    if (OpInfo info = getOpInfo(kind);
        info.isElementwise() && info.maxOperands <= operands)
      kinds.push_back(kind);
  return kinds;
}

class SpecialValues : public testing::TestWithParam<OpKind> {};
} // namespace

TEST_P(SpecialValues, AgreeWithReference) {
  const OpKind kind = GetParam();
  for (DType dtype : kDTypes) {
    if (dtype == DType::i1)
      continue;
    const std::vector<double> values = specialValues(dtype);
    const int64_t n = values.size();
    const Tensor x = tensorOf(dtype, {n}, values);
    OpDesc op = makeOp(kind);
    const bool cancels = getOpInfo(kind).rounding == Rounding::cancelling;
    if (cancels)
      op = makeOp(kind, fb::GeluAttrsT());
    const bool isCast = getOpInfo(kind).attrs == fb::OpAttrs::CastAttrs;
    if (!isCast && getOpInfo(kind).minOperands == 1) {
      // 1 + erf(x) cancels for negative x.
      checkSpecial(op, {x}, kUlps, cancels ? 0x1p-22 : 0);
      continue;
    }
    if (isCast) {
      for (DType to : kDTypes)
        checkSpecial(makeOp(kind, fb::CastAttrsT{{}, to}), {x}, 0);
      continue;
    }
    const Tensor column = tensorOf(dtype, {n, 1}, values);
    if (kind == OpKind::compare) {
      for (int predicate = 0; predicate < 6; ++predicate)
        checkSpecial(
            makeOp(kind,
                   fb::CompareAttrsT{{}, fb::ComparePredicate(predicate)}),
            {x, column}, 0);
      continue;
    }
    const auto ulps = getOpInfo(kind).isRoundedFunction() ? kUlps : 1;
    checkSpecial(op, {x, column}, ulps);
    checkSpecial(op, {column, x}, ulps);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SpecialValues,
                         testing::ValuesIn(elementwiseKinds(2)),
                         [](const testing::TestParamInfo<OpKind> &info) {
                           return std::string(name(info.param));
                         });

TEST(SpecialValues, Clamp) {
  for (DType dtype :
       {DType::f32, DType::f64, DType::f16, DType::i32, DType::ui8}) {
    const std::vector<double> values = specialValues(dtype);
    const Tensor x = tensorOf(dtype, {int64_t(values.size())}, values);
    const Tensor low = tensorOf(dtype, {}, {-2});
    const Tensor high = tensorOf(dtype, {}, {3});
    checkSpecial(makeOp(OpKind::clamp), {x, low, high}, 0);
    checkSpecial(makeOp(OpKind::clamp), {low, x, high}, 0);
    checkSpecial(makeOp(OpKind::clamp), {low, high, x}, 0);
  }
}

/// A NaN anywhere in a row or column comes through.
TEST(SpecialValues, ReductionsOfNaN) {
  for (DType dtype : {DType::f32, DType::f64, DType::bf16})
    for (int64_t at : {0, 5, 63, 64, 100, 149}) {
      std::vector<double> values(300);
      for (int i = 0; i < 300; ++i)
        values[i] = i % 7 - 3;
      values[at] = kNaN;
      for (int kind = 0; kind < 6; ++kind)
        for (int64_t dim : {0, 1})
          for (const Shape &shape : {Shape{2, 150}, Shape{150, 2}})
            checkSpecial(
                makeOp(OpKind::reduce,
                       fb::ReduceAttrsT{{}, fb::ReduceKind(kind), {dim}}),
                {tensorOf(dtype, shape, values)}, 4);
    }
}

/// Infinities, NaN and others reach the results that are computed from them.
TEST(SpecialValues, Resize) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (double value : specialValues(dtype))
      for (int64_t at : {0, 7, 19})
        for (int mode = 0; mode < 3; ++mode)
          for (int64_t size : {3, 8, 9, 40}) {
            std::vector<double> values(60, 1);
            values[at] = value;
            fb::ResizeAttrsT attrs;
            attrs.mode = fb::ResizeMode(mode);
            attrs.dims = {1, 2};
            attrs.sizes = {size, 2 * size};
            attrs.antialias = at == 7;
            checkAgainstReference(eigenProvider(),
                                  {makeOp(OpKind::resize, attrs),
                                   {tensorOf(dtype, {3, 4, 5}, values)}});
          }
}

TEST(SpecialValues, SoftmaxOfLargeValues) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i)
    values.push_back(i % 5 == 0 ? 1000 + i : -1000);
  for (int64_t axis : {0, 1})
    checkSpecial(makeOp(OpKind::softmax, fb::AxisAttrsT{{}, axis}),
                 {tensorOf(DType::f32, {8, 5}, values)}, kUlps);
}

/// A maximum of a window with a NaN is NaN, whoever computes it.
TEST(SpecialValues, MaxPoolOfNaN) {
  std::vector<double> values(16);
  values[5] = kNaN;
  fb::PoolAttrsT attrs;
  attrs.window = attrs.strides = {2, 2};
  attrs.pad_low = attrs.pad_high = {0, 0};
  attrs.dilations = {1, 1};
  for (const char *layout : {"NCHW", "NHWC"}) {
    attrs.layout = layout;
    const bool last = attrs.layout == "NHWC";
    const Tensor x = tensorOf(
        DType::f32, last ? Shape{1, 4, 4, 1} : Shape{1, 1, 4, 4}, values);
    const OpDesc op = makeOp(OpKind::max_pool, attrs);
    for (const Provider *provider : eagerProviders()) {
      if (!supports(*provider, op, {x}))
        continue;
      const auto result = valuesOf(*run(*provider, op, {x}));
      EXPECT_TRUE(std::isnan(result[0])) << provider->name() << layout;
      EXPECT_EQ(result[3], 0);
    }
  }
}

//===----------------------------------------------------------------------===//
// Empty tensors
//===----------------------------------------------------------------------===//

namespace {
void checkEmpty(const OpDesc &op, const std::vector<Tensor> &operands) {
  const Case c{op, operands};
  SCOPED_TRACE(c.describe());
  const Tensor expected = reference(op, operands);
  for (const Provider *provider : eagerProviders())
    if (supports(*provider, op, operands)) {
      Expected<Tensor> actual = run(*provider, op, operands);
      ASSERT_TRUE(actual) << actual.error().str();
      EXPECT_EQ(compare(expected, *actual).mismatches, 0) << provider->name();
    }
}
} // namespace

TEST(Empty, Elementwise) {
  for (DType dtype : kDTypes) {
    const Tensor x = emptyTensor({dtype, {3, 0, 2}});
    const Tensor row = tensorOf(dtype, {2}, {1, 2});
    const Tensor condition = tensorOf(DType::i1, {}, {1});
    for (OpKind kind : elementwiseKinds(3)) {
      OpDesc op = makeOp(kind);
      if (getOpInfo(kind).attrs == fb::OpAttrs::GeluAttrs)
        op = makeOp(op.kind, fb::GeluAttrsT());
      if (getOpInfo(kind).attrs == fb::OpAttrs::CastAttrs)
        op = makeOp(op.kind, fb::CastAttrsT{{}, DType::f32});
      if (op.kind == OpKind::compare)
        op = makeOp(op.kind, fb::CompareAttrsT());
      std::vector<Tensor> operands = {x};
      if (op.kind == OpKind::select)
        operands = {condition, x, row};
      else if (op.kind == OpKind::clamp)
        operands = {x, row, row};
      else if (getOpInfo(kind).minOperands == 2)
        operands = {x, row};
      const std::vector<TensorType> types = typesOf(operands);
      if (inferType(op, types))
        checkEmpty(op, operands);
    }
  }
}

TEST(Empty, Shape) {
  const Tensor x = emptyTensor({DType::f32, {2, 0}});
  const Tensor y = tensorOf(DType::f32, {2, 1}, {5, 6});
  fb::ReshapeAttrsT reshape;
  reshape.shape = {0, 7};
  checkEmpty(makeOp(OpKind::reshape, reshape), {x});
  checkEmpty(makeOp(OpKind::transpose, fb::TransposeAttrsT{{}, {1, 0}}), {x});
  checkEmpty(
      makeOp(OpKind::broadcast, fb::BroadcastAttrsT{{}, {3, 2, 0}, {1, 2}}),
      {x});
  checkEmpty(makeOp(OpKind::slice, fb::SliceAttrsT{{}, {0, 0}, {2, 0}, {1, 1}}),
             {y});
  checkEmpty(
      makeOp(OpKind::pad, fb::PadAttrsT{{}, {0, 1}, {0, 2}, {0, 0}, 1.5}), {x});
  checkEmpty(makeOp(OpKind::concat, fb::AxisAttrsT{{}, 1}), {x, y, x});
  checkEmpty(makeOp(OpKind::concat, fb::AxisAttrsT{{}, 1}), {x, x});
  fb::IotaAttrsT iota;
  iota.type = std::make_unique<fb::TensorTypeT>(toFlat({DType::i32, {0, 3}}));
  checkEmpty(makeOp(OpKind::iota, iota), {});
  const Tensor none = emptyTensor({DType::i64, {0}});
  checkEmpty(makeOp(OpKind::gather, fb::GatherAttrsT{{}, 0}), {y, none});
  checkEmpty(makeOp(OpKind::gather, fb::GatherAttrsT{{}, 1}), {x, none});
  // No elements, no updates, nothing selected.
  const fb::ScatterAttrsT add{{}, 0, fb::ScatterKind::add};
  const Tensor index = tensorOf(DType::i64, {2}, {0, 1});
  checkEmpty(makeOp(OpKind::scatter, add), {x, index, x});
  checkEmpty(makeOp(OpKind::scatter, add),
             {y, none, emptyTensor({DType::f32, {0, 1}})});
  checkEmpty(makeOp(OpKind::topk, fb::TopKAttrsT{{}, 1, 0}), {x});
  checkEmpty(makeOp(OpKind::topk, fb::TopKAttrsT{{}, 0, 0}), {y});
  checkEmpty(makeOp(OpKind::sort, fb::SortAttrsT{{}, 0}), {x});
  checkEmpty(makeOp(OpKind::sort, fb::SortAttrsT{{}, 1}), {x});
  for (fb::ScanKind kind : fb::EnumValuesScanKind()) {
    checkEmpty(makeOp(OpKind::scan, fb::ScanAttrsT{{}, 0, kind}), {x});
    checkEmpty(makeOp(OpKind::scan, fb::ScanAttrsT{{}, 1, kind, true}), {x});
  }
  checkEmpty(makeOp(OpKind::fft, fb::FFTAttrsT{{}, 0, fb::FFTKind::rfft}), {x});
}

TEST(Empty, Contractions) {
  const auto empty = [](const Shape &shape) {
    return emptyTensor({DType::f32, shape});
  };
  const OpDesc matmul = makeOp(OpKind::matmul, fb::MatmulAttrsT());
  checkEmpty(matmul, {empty({3, 0}), empty({0, 4})});
  checkEmpty(matmul, {empty({0, 3}), empty({3, 4})});
  checkEmpty(matmul, {empty({0, 2, 3}), empty({3, 4})});
  fb::ConvAttrsT conv;
  conv.strides = conv.dilations = {1};
  conv.pad_low = conv.pad_high = {0};
  conv.input_layout = conv.output_layout = "NCW";
  conv.kernel_layout = "OIW";
  checkEmpty(makeOp(OpKind::conv, conv), {empty({0, 2, 5}), empty({4, 2, 3})});
  checkEmpty(makeOp(OpKind::conv, conv), {empty({1, 0, 5}), empty({4, 0, 3})});
}

TEST(Empty, WindowsAndReductions) {
  const auto empty = [](const Shape &shape) {
    return emptyTensor({DType::f32, shape});
  };
  for (auto kind :
       {fb::ReduceKind::sum, fb::ReduceKind::prod, fb::ReduceKind::mean}) {
    checkEmpty(makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, kind, {0}}),
               {empty({0, 3})});
    checkEmpty(makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, kind, {1}}),
               {empty({0, 3})});
  }
  checkEmpty(
      makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, fb::ReduceKind::argmax, {1}}),
      {empty({0, 3})});
  checkEmpty(makeOp(OpKind::softmax, fb::AxisAttrsT{{}, 0}), {empty({0, 3})});
  checkEmpty(makeOp(OpKind::softmax_backward, fb::AxisAttrsT{{}, 0}),
             {empty({0, 3}), empty({0, 3})});
  checkEmpty(makeOp(OpKind::batch_norm, fb::BatchNormAttrsT{{}, 1e-5, 1}),
             {empty({2, 0}), empty({0}), empty({0}), empty({0}), empty({0})});
  fb::ResizeAttrsT resize;
  resize.dims = {1};
  resize.sizes = {4};
  checkEmpty(makeOp(OpKind::resize, resize), {empty({0, 3})});
  resize.mode = fb::ResizeMode::cubic;
  checkEmpty(makeOp(OpKind::resize, resize), {empty({2, 3, 0})});
  fb::PoolAttrsT pool;
  pool.window = pool.strides = pool.dilations = {1};
  pool.pad_low = pool.pad_high = {0};
  pool.layout = "NWC";
  for (OpKind kind : {OpKind::max_pool, OpKind::avg_pool})
    checkEmpty(makeOp(kind, pool), {empty({1, 4, 0})});
  checkEmpty(makeOp(OpKind::max_pool_with_index, pool), {empty({1, 4, 0})});
  pool.input_sizes = {4};
  checkEmpty(makeOp(OpKind::avg_pool_backward, pool), {empty({1, 4, 0})});
  checkEmpty(makeOp(OpKind::max_pool_backward, pool),
             {empty({1, 4, 0}), emptyTensor({DType::ui8, {1, 4, 0}})});
  checkEmpty(makeOp(OpKind::moments, fb::MomentsAttrsT{{}, {0}}),
             {empty({0, 3})});
  checkEmpty(makeOp(OpKind::moments, fb::MomentsAttrsT{{}, {1}}),
             {empty({0, 3})});
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Indices far out of range write nothing; of many updates of one element the
/// order counts. Rows that one kernel combines, and more than one.
TEST(Indexing, ScattersAsTheReferenceDoes) {
  constexpr double most = 0x1p62;
  for (int64_t inner : {1, 3, 600})
    for (fb::ScatterKind kind : fb::EnumValuesScatterKind())
      for (DType dtype : kDTypes) {
        if (dtype == DType::i1 && kind != fb::ScatterKind::replace)
          continue;
        Tensor x = emptyTensor({dtype, {2, 5, inner}});
        Tensor updates = emptyTensor({dtype, {2, 7, inner}});
        fillRandom(x, 1);
        fillRandom(updates, 2);
        checkAgainstReference(
            eigenProvider(),
            {makeOp(OpKind::scatter, fb::ScatterAttrsT{{}, 1, kind}),
             {x, tensorOf(DType::i64, {7}, {4, most, 0, 4, -most, 4, 5}),
              updates}});
      }
}

TEST(Indexing, OrdersSpecialValuesAsTheReferenceDoes) {
  const std::vector<double> values = {
      0, -0.0, kNaN, 1, -1, kInf, -kInf, 1e-7, kNaN, 0, -0.0, -kInf, 1, -2};
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (bool ascending : {false, true})
      for (int64_t k : {1, 5, 14})
        checkAgainstReference(
            eigenProvider(),
            {makeOp(OpKind::topk, fb::TopKAttrsT{{}, 0, k, ascending}),
             {tensorOf(dtype, {14}, values)}});
}

//===----------------------------------------------------------------------===//
// Rank 0
//===----------------------------------------------------------------------===//

TEST(RankZero, RunsEverywhere) {
  const Tensor x = tensorOf(DType::f32, {}, {2.25});
  const Tensor y = tensorOf(DType::f32, {}, {-4});
  for (OpKind kind : {OpKind::neg, OpKind::sqrt, OpKind::exp, OpKind::relu})
    checkAgainstReference(eigenProvider(), {makeOp(kind), {x}});
  for (OpKind kind : {OpKind::add, OpKind::div, OpKind::max, OpKind::pow})
    checkAgainstReference(eigenProvider(), {makeOp(kind), {x, y}});
  checkAgainstReference(eigenProvider(), {makeOp(OpKind::clamp), {x, y, y}});
  checkAgainstReference(
      eigenProvider(), {makeOp(OpKind::transpose, fb::TransposeAttrsT()), {x}});
  checkAgainstReference(eigenProvider(),
                        {makeOp(OpKind::slice, fb::SliceAttrsT()), {x}});
  checkAgainstReference(eigenProvider(),
                        {makeOp(OpKind::pad, fb::PadAttrsT()), {x}});
  for (int kind = 0; kind < 5; ++kind)
    checkAgainstReference(
        eigenProvider(),
        {makeOp(OpKind::reduce, fb::ReduceAttrsT{{}, fb::ReduceKind(kind)}),
         {x}});
  const Tensor row = tensorOf(DType::f32, {3}, {1, 2, 3});
  const Tensor index = tensorOf(DType::i64, {}, {2});
  const OpDesc gather = makeOp(OpKind::gather, fb::GatherAttrsT{{}, 0});
  EXPECT_EQ(valuesOf(*run(eigenProvider(), gather, {row, index})),
            std::vector<double>{3});
}
