//===- ErrorBoundsTest.cpp - Bounds that wrong results exceed -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace tandem;
using namespace tandem::test;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor random(DType dtype, const Shape &shape, uint64_t seed) {
  Tensor tensor = emptyTensor({dtype, shape});
  fillRandom(tensor, seed);
  return tensor;
}

Case matmulCase(DType dtype, int64_t k) {
  return {makeOp(OpKind::matmul, fb::MatmulAttrsT()),
          {random(dtype, {8, k}, 1), random(dtype, {k, 24}, 2)}};
}

/// 3x3, padded, of an image of `size` by `size`.
Case convCase(DType dtype, int64_t inputs, int64_t outputs, int64_t size) {
  fb::ConvAttrsT attrs;
  attrs.strides = attrs.dilations = attrs.pad_low = attrs.pad_high = {1, 1};
  attrs.groups = 1;
  attrs.input_layout = attrs.output_layout = "NHWC";
  attrs.kernel_layout = "HWIO";
  return {makeOp(OpKind::conv, attrs),
          {random(dtype, {1, size, size, inputs}, 1),
           random(dtype, {3, 3, inputs, outputs}, 2)}};
}

double sizeOf(const BoundedTensor &bounded) {
  Difference self = compare(bounded.value, bounded.value, bounded.bounds);
  return self.maxBound / self.maxExpected;
}

class SumsOfProducts
    : public testing::TestWithParam<std::tuple<DType, int64_t>> {};

TEST_P(SumsOfProducts, ZerosDoNotPass) {
  auto [dtype, k] = GetParam();
  BoundedTensor expected = referenceWithBounds(matmulCase(dtype, k));
  Tensor zeros = emptyTensor(expected.value.type());
  std::memset(zeros.data(), 0, zeros.bytes());
  Difference difference = compare(expected.value, zeros, expected.bounds);
  EXPECT_EQ(difference.unbounded, 0);
  EXPECT_GT(difference.mismatches, difference.compared * 9 / 10);
}

/// Sums are of f32, rounded once: some units of the result's type, however long
/// they are.
TEST_P(SumsOfProducts, RoundOnce) {
  auto [dtype, k] = GetParam();
  double bound = sizeOf(referenceWithBounds(matmulCase(dtype, k)));
  double ofSums = 2 * epsilonOf(dtype == DType::f64 ? dtype : DType::f32) *
                  static_cast<double>(k);
  EXPECT_LT(bound, 4 * epsilonOf(dtype) + ofSums);
  EXPECT_GT(bound, epsilonOf(dtype) / 2);
}

/// One of the products is left out.
TEST_P(SumsOfProducts, EveryProductCounts) {
  auto [dtype, k] = GetParam();
  Case c = matmulCase(dtype, k);
  BoundedTensor expected = referenceWithBounds(c);
  std::vector<double> lhs = valuesOf(c.operands[0]);
  for (int64_t row = 0; row < 8; ++row)
    lhs[row * k + k / 2] = 0;
  c.operands[0] = tensorOf(dtype, {8, k}, lhs);
  Tensor wrong = reference(c.op, c.operands);
  EXPECT_GT(compare(expected.value, wrong, expected.bounds).mismatches, 100);
}

INSTANTIATE_TEST_SUITE_P(
    Types, SumsOfProducts,
    testing::Combine(testing::Values(DType::f32, DType::f64, DType::f16,
                                     DType::bf16),
                     testing::Values(16, 54, 512)),
    [](const auto &info) {
      return std::string(name(std::get<0>(info.param))) + "_" +
             std::to_string(std::get<1>(info.param));
    });

/// Every tap counts where Winograd's method may be taken, too.
TEST(ErrorBounds, EveryTapCounts) {
  for (DType dtype : {DType::f32, DType::bf16})
    for (int64_t tap = 0; tap < 9; ++tap) {
      Case c = convCase(dtype, 16, 8, 9);
      BoundedTensor expected = referenceWithBounds(c);
      std::vector<double> kernel = valuesOf(c.operands[1]);
      std::fill_n(kernel.begin() + tap * 16 * 8, 16 * 8, 0);
      c.operands[1] = tensorOf(dtype, {3, 3, 16, 8}, kernel);
      Difference difference =
          compare(expected.value, reference(c.op, c.operands), expected.bounds);
      EXPECT_GT(difference.mismatches, difference.compared / 2) << tap;
    }
}

/// `tensor` with the 10 mantissa bits that TF32 has.
Tensor roundToTF32(const Tensor &tensor) {
  std::vector<double> values = valuesOf(tensor);
  for (double &value : values) {
    const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    value = std::bit_cast<float>((bits + 0x1000) & ~0x1fffu);
  }
  return tensorOf(tensor.dtype(), tensor.shape(), values);
}

TEST(ErrorBounds, OperandsAreRoundedInTF32Alone) {
  ErrorBoundOptions tf32;
  tf32.precision = Precision::tf32;
  for (const Case &c :
       {matmulCase(DType::f32, 40), convCase(DType::f32, 16, 8, 9)}) {
    Case rounded = c;
    for (Tensor &operand : rounded.operands)
      operand = roundToTF32(operand);
    const Tensor actual = reference(rounded.op, rounded.operands);
    auto loose = evaluateWithBounds(c.op, c.operands, tf32);
    ASSERT_TRUE(loose) << loose.error().str();
    EXPECT_TRUE(
        compare((*loose)[0].value, actual, (*loose)[0].bounds).agrees());
    const BoundedTensor strict = referenceWithBounds(c);
    const Difference difference = compare(strict.value, actual, strict.bounds);
    EXPECT_GT(difference.mismatches, difference.compared / 2);
  }
  // Other types have no TF32.
  const Case half = matmulCase(DType::f16, 40);
  auto same = evaluateWithBounds(half.op, half.operands, tf32);
  ASSERT_TRUE(same);
  EXPECT_EQ((*same)[0].bounds, referenceWithBounds(half).bounds);
}

TEST(ErrorBounds, OpsThatDoNotRoundAreExact) {
  Tensor x = random(DType::f32, {40}, 1), y = random(DType::f32, {40}, 2);
  for (OpKind kind : {OpKind::max, OpKind::min})
    EXPECT_TRUE(referenceWithBounds({makeOp(kind), {x, y}}).bounds.empty());
  for (OpKind kind : {OpKind::neg, OpKind::abs, OpKind::relu, OpKind::floor})
    EXPECT_TRUE(referenceWithBounds({makeOp(kind), {x}}).bounds.empty());
  EXPECT_TRUE(referenceWithBounds(matmulCase(DType::i32, 20)).bounds.empty());
}

/// Runs ops one after the other on the value before and one of the inputs.
class ProgramOf {
public:
  explicit ProgramOf(const TensorType &type) : type(type) { addSlot(); }

  uint32_t addSlot() {
    auto slot = std::make_unique<fb::SlotT>();
    slot->type = std::make_unique<fb::TensorTypeT>(toFlat(type));
    program.slots.push_back(std::move(slot));
    return static_cast<uint32_t>(program.slots.size()) - 1;
  }
  uint32_t addInput(Tensor value) {
    inputs.push_back(std::move(value));
    program.inputs.push_back(inputs.size() == 1 ? 0 : addSlot());
    return program.inputs.back();
  }
  uint32_t addOp(OpDesc op, std::vector<uint32_t> operands) {
    auto step = std::make_unique<fb::StepT>();
    step->op = std::make_unique<OpDesc>(std::move(op));
    step->operands = std::move(operands);
    step->results = {addSlot()};
    program.steps.push_back(std::move(step));
    return static_cast<uint32_t>(program.slots.size()) - 1;
  }
  BoundedTensor evaluate(uint32_t output) {
    program.outputs = {output};
    auto result = evaluateWithBounds(program, inputs);
    if (result)
      return result->front();
    ADD_FAILURE() << result.error().str();
    return {};
  }

private:
  TensorType type;
  Program program;
  std::vector<Tensor> inputs;
};

/// (x + 10000) - 10000: the sum's rounding is large beside the difference.
TEST(ErrorBounds, CancellationIsSeen) {
  ProgramOf program({DType::f32, {64}});
  uint32_t x = program.addInput(random(DType::f32, {64}, 1));
  uint32_t large = program.addInput(
      tensorOf(DType::f32, {64}, std::vector<double>(64, 10000)));
  uint32_t sum = program.addOp(makeOp(OpKind::add), {x, large});
  double bound = sizeOf(
      program.evaluate(program.addOp(makeOp(OpKind::sub), {sum, large})));
  EXPECT_GT(bound, 1e-4);
  EXPECT_LT(bound, 1e-2);
}

/// exp(x) - exp(x) is 0, whatever exp errs.
TEST(ErrorBounds, SharedErrorsCancel) {
  ProgramOf program({DType::f32, {64}});
  uint32_t x = program.addInput(random(DType::f32, {64}, 1));
  uint32_t y = program.addOp(makeOp(OpKind::exp), {x});
  BoundedTensor zero =
      program.evaluate(program.addOp(makeOp(OpKind::sub), {y, y}));
  EXPECT_EQ(*std::max_element(zero.bounds.begin(), zero.bounds.end()), 0);
}

/// In f32, 1e8 + 1 - 1e8 is 0 or 1. So (1e30 times that) squared is 0 or
/// infinite, and never anything between.
TEST(ErrorBounds, SumsMayCancelExactly) {
  ProgramOf program({DType::f32, {1, 1}});
  uint32_t terms =
      program.addInput(tensorOf(DType::f32, {1, 3}, {1e8, 1, -1e8}));
  uint32_t ones = program.addInput(tensorOf(DType::f32, {3, 1}, {1, 1, 1}));
  uint32_t large = program.addInput(tensorOf(DType::f32, {1, 1}, {1e30}));
  uint32_t sum =
      program.addOp(makeOp(OpKind::matmul, fb::MatmulAttrsT()), {terms, ones});
  uint32_t product = program.addOp(makeOp(OpKind::mul), {sum, large});
  const BoundedTensor square =
      program.evaluate(program.addOp(makeOp(OpKind::mul), {product, product}));
  EXPECT_THAT(valuesOf(square.value), testing::ElementsAre(kInf));
  EXPECT_THAT(square.bounds, testing::ElementsAre(kInf));
}

/// (1 - y) g overflows for the first element, whose y is negative (S1).
TEST(ErrorBounds, SigmoidBackwardMayOverflow) {
  const BoundedTensor bounded = referenceWithBounds(
      {makeOp(OpKind::sigmoid_backward),
       {tensorOf(DType::f32, {3}, {-0.2, 0.2, -0.2}),
        tensorOf(DType::f32, {3}, {3.3e38, 3.3e38, 1e38})}});
  EXPECT_EQ(bounded.bounds[0], kInf);
  for (int element : {1, 2}) {
    EXPECT_GT(bounded.bounds[element], 0);
    EXPECT_LT(bounded.bounds[element], 1e33);
  }
}

TEST(ErrorBounds, FunctionsAmplifyErrors) {
  ProgramOf program({DType::bf16, {64}});
  uint32_t x = program.addInput(random(DType::bf16, {64}, 1));
  uint32_t y = program.addOp(makeOp(OpKind::exp), {x});
  double once = sizeOf(program.evaluate(y));
  uint32_t z = program.addOp(makeOp(OpKind::exp), {y});
  EXPECT_GT(sizeOf(program.evaluate(z)), 1.5 * once);
}

Case sumCase(const std::vector<double> &values) {
  fb::ReduceAttrsT attrs;
  attrs.kind = fb::ReduceKind::sum;
  attrs.dims = {0};
  return {
      makeOp(OpKind::reduce, attrs),
      {tensorOf(DType::f32, {static_cast<int64_t>(values.size())}, values)}};
}

/// In another order a partial sum overflows.
TEST(ErrorBounds, SumsThatMayOverflowMayBeAnything) {
  EXPECT_EQ(referenceWithBounds(sumCase({3e38, -3e38, 3e38})).bounds[0], kInf);
  EXPECT_LT(referenceWithBounds(sumCase({1e38, -1e38, 1e38})).bounds[0], 1e33);
}

/// 1024 equal terms of 1/3 round the same way each time.
TEST(ErrorBounds, EqualTermsAreNoChance) {
  const Case sums{
      makeOp(OpKind::matmul, fb::MatmulAttrsT{}),
      {tensorOf(DType::f32, {1, 1024}, std::vector<double>(1024, 1.0 / 3)),
       tensorOf(DType::f32, {1024, 1}, std::vector<double>(1024, 1))}};
  const BoundedTensor bounded = referenceWithBounds(sums);
  float sequential = 0;
  for (int i = 0; i < 1024; ++i)
    sequential += 1.0F / 3;
  const Tensor actual = tensorOf(DType::f32, {1, 1}, {sequential});
  EXPECT_TRUE(compare(bounded.value, actual, bounded.bounds).agrees());
}

Tensor squareOf(double value) {
  return tensorOf(DType::f32, {2, 2}, std::vector<double>(4, value));
}

/// A kernel's sums begin with what the graph adds to them in the end.
TEST(ErrorBounds, WhatIsAddedMayOverflowFirst) {
  ProgramOf program({DType::f32, {2, 2}});
  uint32_t x =
      program.addInput(tensorOf(DType::f32, {2, 2}, {1.5e38, -INFINITY, 1, 1}));
  uint32_t ones = program.addInput(squareOf(1));
  uint32_t large = program.addInput(squareOf(3e38));
  uint32_t sums =
      program.addOp(makeOp(OpKind::matmul, fb::MatmulAttrsT{}), {x, ones});
  const BoundedTensor result =
      program.evaluate(program.addOp(makeOp(OpKind::add), {sums, large}));
  const Tensor actual = tensorOf(DType::f32, {2, 2}, {NAN, NAN, 3e38, 3e38});
  const Difference difference = compare(result.value, actual, result.bounds);
  EXPECT_EQ(difference.mismatches, 0);
}

/// What overflows here and not elsewhere makes a NaN of a difference that is 0
/// elsewhere.
TEST(ErrorBounds, DifferencesOfSumsThatMayOverflow) {
  ProgramOf program({DType::f32, {2, 2}});
  uint32_t x = program.addInput(squareOf(3e38));
  uint32_t halves = program.addInput(squareOf(0.6));
  uint32_t sums =
      program.addOp(makeOp(OpKind::matmul, fb::MatmulAttrsT{}), {x, halves});
  const BoundedTensor zeros =
      program.evaluate(program.addOp(makeOp(OpKind::sub), {sums, sums}));
  const Difference difference = compare(zeros.value, squareOf(0), zeros.bounds);
  EXPECT_EQ(difference.mismatches, 0);
  EXPECT_EQ(difference.unbounded, 4);
}

/// x f is -infinity in f32, and +infinity is added to it: NaN, where f64 has
/// infinity.
TEST(ErrorBounds, ProductsThatMayOverflowUnderAnInfiniteOffset) {
  const auto f32 = [](const Shape &shape, std::vector<double> values) {
    return tensorOf(DType::f32, shape, values);
  };
  const Case normed{
      makeOp(OpKind::batch_norm, fb::BatchNormAttrsT{{}, 1e-5, 1}),
      {f32({2, 1}, {1e30, 1}), f32({1}, {-1e12}), f32({1}, {INFINITY}),
       f32({1}, {0}), f32({1}, {0})}};
  const BoundedTensor bounded = referenceWithBounds(normed);
  const Tensor actual = f32({2, 1}, {NAN, INFINITY});
  const Difference difference = compare(bounded.value, actual, bounded.bounds);
  EXPECT_EQ(difference.mismatches, 0);
  EXPECT_EQ(difference.unbounded, 1);
}

TEST(ErrorBounds, TheMeanOfNothingIsCompared) {
  fb::ReduceAttrsT attrs;
  attrs.kind = fb::ReduceKind::mean;
  attrs.dims = {0};
  BoundedTensor mean = referenceWithBounds(
      {makeOp(OpKind::reduce, attrs), {emptyTensor({DType::f32, {0, 5}})}});
  EXPECT_EQ(compare(mean.value, mean.value, mean.bounds).compared, 5);
}

/// Operands that are infinite say what a sum is, in every order.
TEST(ErrorBounds, InfinitiesAmongOperandsAreNoOverflow) {
  const BoundedTensor sum = referenceWithBounds(sumCase({1, kInf, -2}));
  auto agrees = [&](double value) {
    Tensor actual = tensorOf(DType::f32, {}, {value});
    return compare(sum.value, actual, sum.bounds).agrees();
  };
  EXPECT_TRUE(agrees(kInf));
  EXPECT_FALSE(agrees(-kInf));
  EXPECT_FALSE(agrees(std::nan("")));
  EXPECT_FALSE(agrees(3e38));
}

/// A large element loosens the bounds of what reads it alone.
TEST(ErrorBounds, OneLargeElementHidesNoOthers) {
  Case c = convCase(DType::f32, 16, 8, 20);
  ErrorBounds bounds = referenceWithBounds(c).bounds;
  double plain = 2 * *std::max_element(bounds.begin(), bounds.end());
  c.operands[0].as<float>()[(10 * 20 + 10) * 16] = 1e30f;
  BoundedTensor bounded = referenceWithBounds(c);
  int64_t reading = 0;
  for (int64_t h = 0; h < 20; ++h)
    for (int64_t w = 0; w < 20; ++w) {
      int64_t distance = std::max(std::abs(h - 10), std::abs(w - 10));
      double bound =
          *std::max_element(bounded.bounds.begin() + (h * 20 + w) * 8,
                            bounded.bounds.begin() + (h * 20 + w + 1) * 8);
      if (distance <= 1)
        ++reading;
      else
        EXPECT_LT(bound, plain) << h << " " << w;
    }
  EXPECT_EQ(reading, 9);
}

TEST(ErrorBounds, AreReproducible) {
  Case c = convCase(DType::f32, 4, 4, 6);
  EXPECT_EQ(referenceWithBounds(c).bounds, referenceWithBounds(c).bounds);
}

} // namespace
