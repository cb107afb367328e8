//===- ToleranceTest.cpp - Tolerances that are derived without data -------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Runtime/TestPrograms.h"

#include "engine/certificate/Tolerance.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace tandem;
using namespace tandem::test;
using namespace tandem::tiering;

namespace {

TensorType vec(int64_t size, DType dtype = DType::f32) {
  return {dtype, {size}};
}

Tolerance derive(const std::shared_ptr<const Program> &program,
                 std::vector<TensorType> types,
                 Precision precision = Precision::strict) {
  auto tolerance = deriveTolerance(*program, types, precision);
  EXPECT_TRUE(tolerance) << tolerance.error().str();
  return *tolerance;
}

/// The tolerance of a chain of ops of one operand.
ValueTolerance ofChain(std::vector<OpDesc> ops, DType dtype = DType::f32) {
  ProgramBuilder builder;
  uint32_t value = builder.input(vec(64, dtype));
  for (OpDesc &op : ops)
    value = builder.op(std::move(op), {value}, vec(64, dtype));
  return derive(builder.finish({value}), {vec(64, dtype)}).outputs[0];
}

ValueTolerance ofMatmul(int64_t inner, DType dtype,
                        Precision precision = Precision::strict) {
  ProgramBuilder builder;
  const TensorType x{dtype, {4, inner}}, w{dtype, {inner, 4}};
  const uint32_t product =
      builder.op(makeOp(OpKind::matmul, fb::MatmulAttrsT{}),
                 {builder.input(x), builder.input(w)}, {dtype, {4, 4}});
  return derive(builder.finish({product}), {x, w}, precision).outputs[0];
}

TEST(ToleranceTest, ExactOpsAreExact) {
  for (OpKind kind : {OpKind::neg, OpKind::abs, OpKind::relu, OpKind::floor})
    EXPECT_TRUE(ofChain({makeOp(kind)}).isExact()) << name(kind);
  EXPECT_FALSE(ofChain({makeOp(OpKind::sqrt)}).isExact());
}

TEST(ToleranceTest, IntegersAreExact) {
  ProgramBuilder builder;
  const uint32_t x = builder.input(vec(8, DType::i32));
  const uint32_t sum =
      builder.op(makeOp(OpKind::add), {x, x}, vec(8, DType::i32));
  EXPECT_TRUE(
      derive(builder.finish({sum}), {vec(8, DType::i32)}).outputs[0].isExact());
}

TEST(ToleranceTest, IndependentErrorsAddLikeVariances) {
  const ValueTolerance one = ofChain({makeOp(OpKind::tanh)});
  const ValueTolerance four =
      ofChain({makeOp(OpKind::tanh), makeOp(OpKind::tanh), makeOp(OpKind::tanh),
               makeOp(OpKind::tanh)});
  EXPECT_DOUBLE_EQ(one.elementwise, 8 * 0x1p-24);
  EXPECT_NEAR(four.elementwise, 2 * one.elementwise, 1e-15);
  EXPECT_EQ(four.normwise, 0);
}

TEST(ToleranceTest, ExponentsAmplify) {
  const ValueTolerance after =
      ofChain({makeOp(OpKind::tanh), makeOp(OpKind::exp)});
  EXPECT_GT(after.elementwise,
            10 * ofChain({makeOp(OpKind::tanh)}).elementwise);
}

TEST(ToleranceTest, SumsGrowWithTheRootOfTheirTerms) {
  const ValueTolerance few = ofMatmul(100, DType::f32);
  const ValueTolerance many = ofMatmul(10000, DType::f32);
  EXPECT_NEAR(many.normwise / few.normwise, 10, 0.1);
  EXPECT_EQ(few.elementwise, 0);
  // Computed in f32, rounded once.
  const ValueTolerance half = ofMatmul(100, DType::bf16);
  EXPECT_DOUBLE_EQ(half.normwise, few.normwise);
  EXPECT_DOUBLE_EQ(half.elementwise, 0x1p-8 / std::sqrt(3.0));
  EXPECT_LT(ofMatmul(100, DType::f64).normwise, 1e-14);
  EXPECT_GT(ofMatmul(100, DType::f32, Precision::tf32).normwise, 0x1p-11);
}

TEST(ToleranceTest, DifferencesAreNotRelativeToEachElement) {
  ProgramBuilder builder;
  const uint32_t x = builder.input(vec(8)), y = builder.input(vec(8));
  const uint32_t root = builder.op(makeOp(OpKind::sqrt), {x}, vec(8));
  const uint32_t product = builder.op(makeOp(OpKind::mul), {root, y}, vec(8));
  const uint32_t difference =
      builder.op(makeOp(OpKind::sub), {product, y}, vec(8));
  const Tolerance tolerance =
      derive(builder.finish({product, difference}), {vec(8), vec(8)});
  EXPECT_EQ(tolerance.outputs[0].normwise, 0);
  EXPECT_GT(tolerance.outputs[1].normwise, 0);
}

TEST(ToleranceTest, BoundsGrowWithElementsAndEnd) {
  const ValueTolerance value{1e-6, 1e-7};
  EXPECT_GT(value.bound(1e6).relative, value.bound(1).relative);
  EXPECT_LT(value.bound(1e6).relative, 2e-5);
  EXPECT_NEAR(value.bound(1).relative, 11 * value.bound(1).floor, 1e-12);
  EXPECT_EQ((ValueTolerance{1, 1}).bound(1).floor, ValueTolerance::kMax);
  EXPECT_TRUE((ValueTolerance{1, 0}).isWeak(1));
  EXPECT_FALSE(value.isWeak(1e6));
  EXPECT_EQ(ValueTolerance{}.bound(100).relative, 0);
}

/// floor(x) of an input is the same in every execution; floor(sqrt(x)) is not.
TEST(ToleranceTest, JumpsAreOpsOnInexactOperands) {
  EXPECT_TRUE(ofChain({makeOp(OpKind::floor)}).isExact());
  ProgramBuilder builder;
  const uint32_t x = builder.input(vec(8));
  const uint32_t exact = builder.op(makeOp(OpKind::floor), {x}, vec(8));
  const uint32_t root = builder.op(makeOp(OpKind::sqrt), {x}, vec(8));
  const uint32_t jump = builder.op(makeOp(OpKind::floor), {root}, vec(8));
  const uint32_t shared =
      builder.op(makeOp(OpKind::softmax, fb::AxisAttrsT{}), {jump}, vec(8));
  const Tolerance tolerance =
      derive(builder.finish({exact, jump, shared}), {vec(8)});
  ASSERT_EQ(tolerance.jumps.size(), 1u);
  EXPECT_EQ(tolerance.jumps[0].step, 2u);
  EXPECT_TRUE(tolerance.influences[0].empty());
  EXPECT_EQ(tolerance.influences[1].at(0).elements, 1);
  EXPECT_EQ(tolerance.influences[2].at(0).elements, 8);
}

OpDesc mystery() { return makeCustomCall("mystery", {vec(8)}); }

/// A function of the user's makes equal results of equal operands, and may
/// amplify what is not equal.
TEST(ToleranceTest, CustomCallsAmplify) {
  ProgramBuilder builder;
  const uint32_t x = builder.input(vec(8));
  const uint32_t exact = builder.op(mystery(), {x}, vec(8));
  const uint32_t root = builder.op(makeOp(OpKind::sqrt), {x}, vec(8));
  const uint32_t inexact = builder.op(mystery(), {root}, vec(8));
  const Tolerance tolerance =
      derive(builder.finish({exact, root, inexact}), {vec(8)});
  EXPECT_TRUE(tolerance.outputs[0].isExact());
  EXPECT_FLOAT_EQ(tolerance.outputs[2].normwise,
                  16 * tolerance.outputs[1].elementwise);
}

TEST(ToleranceTest, RefusesOtherInputs) {
  ProgramBuilder builder;
  auto program = builder.finish({builder.input(vec(8))});
  const TensorType other = vec(9);
  EXPECT_FALSE(deriveTolerance(*program, {&other, 1}));
}

} // namespace
