//===- OpErrorsTest.cpp - The table's conditions and jumps, measured ------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures OpInfo::condition and OpInfo::jumps of every elementwise function of
// floats. The reference computes the functions in f64: derivatives are
// quotients of differences, and a jump is a large difference of the results for
// neighboring numbers. A test fails if a column claims too much or too little.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "tandem/Runtime/Float16.h"
#include "tandem/Support/OpErrors.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace tandem;
using namespace tandem::test;

namespace tandem {
static void PrintTo(Condition condition, std::ostream *os) {
  const char *const names[] = {"none",        "relative", "normwise",
                               "exponential", "steep",    "own"};
  *os << names[static_cast<size_t>(condition)];
}
} // namespace tandem

namespace {

using Values = std::vector<double>;
/// The results of a function of one variable.
using Curve = std::function<Values(const Values &)>;

OpDesc describe(OpKind kind) {
  if (getOpInfo(kind).attrs == fb::OpAttrs::GeluAttrs)
    return makeOp(kind, fb::GeluAttrsT{});
  return makeOp(kind);
}

Values evaluate(const OpDesc &op, const std::vector<Values> &operands) {
  std::vector<Tensor> tensors;
  for (const Values &values : operands)
    tensors.push_back(
        tensorOf(DType::f64, {static_cast<int64_t>(values.size())}, values));
  return referenceValues(op, tensors);
}

/// The op as a function of each of its operands, the other one being fixed.
std::vector<Curve> curvesOf(const OpDesc &op) {
  if (getOpInfo(op.kind).maxOperands == 1)
    return {[op](const Values &x) { return evaluate(op, {x}); }};
  std::vector<Curve> curves;
  for (double other : {-16.0, -1.5, -0.5, 0.5, 1.0, 1.5, 3.25, 16.0}) {
    curves.emplace_back([op, other](const Values &x) {
      return evaluate(op, {x, Values(x.size(), other)});
    });
    curves.emplace_back([op, other](const Values &y) {
      return evaluate(op, {Values(y.size(), other), y});
    });
  }
  return curves;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// All numbers of f16 whose magnitude is at most 16, apart from 0.
Values arguments() {
  Values values;
  F16 number;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    number.bits = static_cast<uint16_t>(bits);
    const auto x = static_cast<double>(number);
    if (x != 0 && std::fabs(x) <= 16)
      values.push_back(x);
  }
  return values;
}

/// What is true of the derivatives of an op, as OpTable.h says of Condition.
struct Derivatives {
  bool areZero = true, areRelative = true, areNormwise = true,
       areExponential = true;

  void add(const Curve &curve);
  Condition condition() const {
    return areZero          ? Condition::none
           : areRelative    ? Condition::relative
           : areNormwise    ? Condition::normwise
           : areExponential ? Condition::exponential
                            : Condition::steep;
  }
};

void Derivatives::add(const Curve &curve) {
  constexpr double kStep = 0x1p-20, kSlack = 1.001;
  const Values x = arguments();
  Values below, above;
  for (double value : x) {
    below.push_back(value - std::fabs(value) * kStep);
    above.push_back(value + std::fabs(value) * kStep);
  }
  const Values f = curve(x), low = curve(below), high = curve(above);
  double largestChange = 0, largestResult = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double slope = (high[i] - low[i]) / (above[i] - below[i]);
    // At a jump, the quotient is no derivative.
    if (!std::isfinite(slope) ||
        std::fabs(high[i] - low[i]) > 1e-2 * (1 + std::fabs(f[i])))
      continue;
    const double change = std::fabs(x[i] * slope);
    areZero &= slope == 0;
    areRelative &= change <= kSlack * std::fabs(f[i]);
    areExponential &= std::fabs(slope) <= kSlack * std::fabs(f[i]);
    largestChange = std::max(largestChange, change);
    largestResult = std::max(largestResult, std::fabs(f[i]));
  }
  areNormwise &= largestChange <= kSlack * largestResult;
}

TEST(OpErrors, ConditionsAreWhatIsMeasured) {
  for (std::span<const OpKind> kinds :
       {std::span<const OpKind>(kUnaryKinds), {kBinaryKinds}})
    for (OpKind kind : kinds) {
      if (!hasFloats(kind)) {
        EXPECT_EQ(getOpInfo(kind).condition, Condition::none) << name(kind);
        continue;
      }
      Derivatives derivatives;
      for (const Curve &curve : curvesOf(describe(kind)))
        derivatives.add(curve);
      EXPECT_EQ(getOpInfo(kind).condition, derivatives.condition())
          << name(kind);
    }
}

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

bool isJump(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) && std::fabs(a - b) > 1e-3;
}

/// Quarters from -4 to 4.
Values quarters() {
  Values values;
  for (int i = -16; i <= 16; ++i)
    values.push_back(0.25 * i);
  return values;
}

Values next(Values values, double towards) {
  for (double &value : values)
    value = std::nextafter(value, towards);
  return values;
}

/// Expects that a function of one operand jumps where `jumps` says.
void expectJumps(const OpDesc &op, Jumps jumps) {
  const Values x = quarters();
  const Values at = evaluate(op, {x}),
               below = evaluate(op, {next(x, -HUGE_VAL)}),
               above = evaluate(op, {next(x, HUGE_VAL)});
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(isJump(below[i], at[i]) || isJump(at[i], above[i]),
              distanceToJump(jumps, x[i]) == 0)
        << name(op.kind) << " at " << x[i];
}

TEST(OpErrors, FunctionsJumpWhereTheTableSays) {
  for (OpKind kind : kUnaryKinds)
    if (hasFloats(kind))
      expectJumps(describe(kind), getOpInfo(kind).jumps);
  for (DType to : {DType::f32, DType::i32, DType::i1}) {
    const OpDesc op = makeOp(OpKind::cast, fb::CastAttrsT{{}, to});
    expectJumps(op, jumpsOf(op, {to, {1}}));
  }
}

/// Whether the table says that a function of two operands jumps at (x, y).
bool jumpsAt(Jumps jumps, double x, double y) {
  switch (jumps) {
  case Jumps::whereEqual:
    return x == y;
  case Jumps::atMultiples:
    return x != 0 && y != 0 && std::remainder(x, y) == 0;
  default:
    EXPECT_EQ(jumps, Jumps::never);
    return false;
  }
}

/// Expects that a function of two operands jumps where the table says. (0, 0)
/// is left out: 0 / 0 and 0 ** 0 have no limit there.
void expectBinaryJumps(const OpDesc &op) {
  const Values grid = quarters();
  for (double fixed : grid) {
    const Values x(grid.size(), fixed);
    const Values at = evaluate(op, {x, grid});
    std::vector<bool> isSeen(grid.size());
    for (double towards : {-HUGE_VAL, HUGE_VAL}) {
      const Values movedX = evaluate(op, {next(x, towards), grid});
      const Values movedY = evaluate(op, {x, next(grid, towards)});
      for (size_t i = 0; i < grid.size(); ++i)
        isSeen[i] =
            isSeen[i] || isJump(at[i], movedX[i]) || isJump(at[i], movedY[i]);
    }
    for (size_t i = 0; i < grid.size(); ++i)
      if (fixed != 0 || grid[i] != 0 || op.kind == OpKind::compare)
        EXPECT_EQ(isSeen[i], jumpsAt(getOpInfo(op.kind).jumps, fixed, grid[i]))
            << name(op.kind) << " at " << fixed << ", " << grid[i];
  }
}

TEST(OpErrors, FunctionsOfTwoOperandsJumpWhereTheTableSays) {
  for (OpKind kind : kBinaryKinds)
    if (hasFloats(kind))
      expectBinaryJumps(makeOp(kind));
  for (auto kind : fb::EnumValuesComparePredicate())
    expectBinaryJumps(makeOp(OpKind::compare, fb::CompareAttrsT{{}, kind}));
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST(OpErrors, RulesFollowAttributes) {
  const TensorType x{DType::f32, {6, 7}}, y{DType::f32, {7}};
  auto ofReduce = [&](fb::ReduceKind kind) {
    fb::ReduceAttrsT attrs;
    attrs.kind = kind;
    attrs.dims = {0};
    return errorsOf(makeOp(OpKind::reduce, attrs), {&x, 1}, y);
  };
  EXPECT_EQ(ofReduce(fb::ReduceKind::sum).rounding, Rounding::sum);
  EXPECT_EQ(ofReduce(fb::ReduceKind::sum).terms, 6);
  EXPECT_EQ(ofReduce(fb::ReduceKind::mean).rounding, Rounding::mean);
  EXPECT_EQ(ofReduce(fb::ReduceKind::prod).rounding, Rounding::product);
  EXPECT_EQ(ofReduce(fb::ReduceKind::max).rounding, Rounding::exact);
  fb::AxisAttrsT axis;
  axis.axis = 1;
  EXPECT_EQ(errorsOf(makeOp(OpKind::softmax, axis), {&x, 1}, x).terms, 7);
}

/// A convolution of 5 channels with the given size of the kernel.
OpErrors ofConv(int64_t size, int64_t stride, DType dtype = DType::f32,
                Precision precision = Precision::strict) {
  fb::ConvAttrsT attrs;
  attrs.input_layout = attrs.output_layout = "NHWC";
  attrs.kernel_layout = "HWIO";
  attrs.pad_low = attrs.pad_high = {0, 0};
  attrs.strides = {stride, stride};
  attrs.dilations = {1, 1};
  const TensorType operands[] = {{dtype, {1, 9, 9, 5}},
                                 {dtype, {size, size, 5, 2}}};
  const OpDesc op = makeOp(OpKind::conv, std::move(attrs));
  return errorsOf(op, operands, *inferType(op, operands), precision);
}

TEST(OpErrors, ConvolutionsOf3x3ErrNormwise) {
  const OpErrors direct = ofConv(5, 1), normwise = ofConv(3, 1);
  EXPECT_EQ(direct.terms, 125);
  EXPECT_FALSE(direct.isNormwise);
  EXPECT_DOUBLE_EQ(direct.sumUnits(), std::sqrt(125.0));
  EXPECT_EQ(normwise.terms, 45);
  EXPECT_TRUE(normwise.isNormwise);
  EXPECT_DOUBLE_EQ(normwise.sumUnits(), 8 * std::sqrt(45.0));
  EXPECT_FALSE(ofConv(3, 2).isNormwise);
  EXPECT_FALSE(ofConv(3, 1, DType::bf16).isNormwise);
}

TEST(OpErrors, OnlyF32IsRoundedToTF32) {
  EXPECT_EQ(ofConv(3, 1).productError, 0);
  EXPECT_EQ(ofConv(3, 1, DType::f32, Precision::tf32).productError, 0x1p-10);
  EXPECT_EQ(ofConv(3, 1, DType::f16, Precision::tf32).productError, 0);
}

} // namespace
