//===- RoundedIntegers.cpp - Converting rounded floats to integers --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To quantize x, a kernel computes
//
//   fptosi(clamp(roundeven(x) + z, low, high)),
//
// where z is a zero point, and NaN becomes 0 before it is clamped. Rounding is
// monotone and the bounds are integers, so this is
//
//   fptosi(roundeven(clamp(x, low - z, high - z))) + z.
//
// NaN becomes -z before it is clamped. The floats from 2^23 to 2^24 are the
// integers of this range. Adding 1.5 * 2^23 to a number of a magnitude below
// 2^22 therefore rounds it to the nearest integer, with ties to even. The low
// bits of the sum are this integer.
//
//===----------------------------------------------------------------------===//

#include "Math/RoundedIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <optional>

using namespace mlir;

namespace tandem {
namespace {

constexpr float kShift = 12582912.0F; // 1.5 * 2^23
constexpr int32_t kShiftBits = 0x4B400000;
constexpr double kLargest = 4194303; // 2^22 - 1

/// The integer that all elements of a constant are; nothing for others.
std::optional<double> getInteger(Value value) {
  APFloat number(0.0);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  const double result = number.convertToDouble();
  return std::fabs(result) <= kLargest && result == std::trunc(result)
             ? std::optional(result)
             : std::nullopt;
}

/// A value and a constant that an op combines it with.
struct Bounded {
  Value value;
  double number;
};

/// x and c of select(x `predicate` c, x, c).
std::optional<Bounded> matchBound(Value value, arith::CmpFPredicate predicate) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  if (!compare || compare.getPredicate() != predicate ||
      compare.getLhs() != select.getTrueValue())
    return std::nullopt;
  const auto bound = getInteger(compare.getRhs()),
             chosen = getInteger(select.getFalseValue());
  return bound && bound == chosen
             ? std::optional(Bounded{select.getTrueValue(), *bound})
             : std::nullopt;
}

/// x of select(x is a number, x, 0); null for others.
Value matchZeroForNaN(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  return compare && compare.getPredicate() == arith::CmpFPredicate::ORD &&
                 compare.getLhs() == select.getTrueValue() &&
                 compare.getRhs() == select.getTrueValue() &&
                 getInteger(select.getFalseValue()) == 0
             ? select.getTrueValue()
             : Value();
}

/// x and z of roundeven(x) + z, with z = 0 for roundeven(x) alone.
std::optional<Bounded> matchRounded(Value value) {
  std::optional<double> zeroPoint = 0;
  if (auto add = value.getDefiningOp<arith::AddFOp>()) {
    zeroPoint = getInteger(add.getRhs());
    value = add.getLhs();
  }
  auto round = value.getDefiningOp<math::RoundEvenOp>();
  return round && zeroPoint
             ? std::optional(Bounded{round.getOperand(), *zeroPoint})
             : std::nullopt;
}

struct RoundByAddition : OpRewritePattern<arith::FPToSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::FPToSIOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF32() ||
        !getElementTypeOrSelf(op.getOut()).isInteger(32))
      return failure();
    const auto below = matchBound(op.getIn(), arith::CmpFPredicate::OLT);
    const auto above =
        below ? matchBound(below->value, arith::CmpFPredicate::OGT) : below;
    const Value number = above ? matchZeroForNaN(above->value) : Value();
    const auto rounded = number ? matchRounded(number) : std::nullopt;
    if (!rounded || above->number > below->number)
      return failure();
    const double zeroPoint = rounded->number;
    if (std::fabs(above->number - zeroPoint) > kLargest ||
        std::fabs(below->number - zeroPoint) > kLargest)
      return failure();
    replace(op, rounded->value, above->number, below->number, zeroPoint,
            rewriter);
    return success();
  }

private:
  static void replace(arith::FPToSIOp op, Value x, double low, double high,
                      double zeroPoint, PatternRewriter &rewriter) {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    const Type floats = x.getType(), integers = op.getType();
    const auto constant = [&](Type type, TypedAttr element) -> Value {
      if (auto shaped = dyn_cast<ShapedType>(type))
        element = DenseElementsAttr::get(shaped, Attribute(element));
      return arith::ConstantOp::create(builder, element);
    };
    const auto number = [&](double value) {
      return constant(floats, builder.getF32FloatAttr(float(value)));
    };
    const auto choose = [&](arith::CmpFPredicate predicate, Value other,
                            Value bound) {
      Value holds = arith::CmpFOp::create(builder, predicate, x, other);
      x = arith::SelectOp::create(builder, holds, x, bound);
    };
    choose(arith::CmpFPredicate::ORD, x, number(0 - zeroPoint)); // +0, not -0.
    const Value least = number(low - zeroPoint),
                most = number(high - zeroPoint);
    choose(arith::CmpFPredicate::OGT, least, least);
    choose(arith::CmpFPredicate::OLT, most, most);
    x = arith::AddFOp::create(builder, x, number(kShift));
    rewriter.replaceOpWithNewOp<arith::SubIOp>(
        op, arith::BitcastOp::create(builder, integers, x),
        constant(integers,
                 builder.getI32IntegerAttr(kShiftBits - int32_t(zeroPoint))));
  }
};

} // namespace

void populateRoundedIntegerPatterns(RewritePatternSet &patterns) {
  patterns.add<RoundByAddition>(patterns.getContext());
}

} // namespace tandem
