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
// If x is the quotient of y and a constant, y is clamped instead, and then
// divided with a few multiplications (ConstantDivision.h). The bounds of y are
// the first numbers whose quotients reach the bounds of x. These quotients may
// exceed the bounds of x by a few units in the last place, which rounding
// removes.
//
//===----------------------------------------------------------------------===//

#include "Math/RoundedIntegers.h"

#include "Math/ConstantDivision.h"

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

/// Returns the integer that all elements of a constant are equal to, or nothing
/// if `value` is not such a constant.
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

/// Matches select(x `predicate` c, x, c). Returns x and c.
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

/// Matches select(x is a number, x, 0). Returns x, or null if `value` is
/// something else.
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

/// Matches roundeven(x) + z, or roundeven(x) alone, for which z is 0. Returns x
/// and z.
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

/// A number that is rounded and clamped before it is converted: the integer is
/// in [low, high] and is the sum of the rounded number and the zero point.
struct Quantized {
  Value number;
  double low, high, zeroPoint;
};

std::optional<Quantized> matchQuantized(arith::FPToSIOp op) {
  if (!getElementTypeOrSelf(op.getIn()).isF32() ||
      !getElementTypeOrSelf(op.getOut()).isInteger(32))
    return std::nullopt;
  const auto below = matchBound(op.getIn(), arith::CmpFPredicate::OLT);
  const auto above =
      below ? matchBound(below->value, arith::CmpFPredicate::OGT) : below;
  const Value number = above ? matchZeroForNaN(above->value) : Value();
  const auto rounded = number ? matchRounded(number) : std::nullopt;
  if (!rounded || above->number > below->number ||
      std::fabs(above->number - rounded->number) > kLargest ||
      std::fabs(below->number - rounded->number) > kLargest)
    return std::nullopt;
  return Quantized{rounded->value, above->number, below->number,
                   rounded->number};
}

struct RoundByAddition : OpRewritePattern<arith::FPToSIOp> {
  RoundByAddition(MLIRContext *context, bool fma)
      : OpRewritePattern(context), fma(fma) {}

  LogicalResult matchAndRewrite(arith::FPToSIOp op,
                                PatternRewriter &rewriter) const override {
    const std::optional<Quantized> quantized = matchQuantized(op);
    if (!quantized)
      return failure();
    const Arithmetic a{rewriter, op.getLoc(), quantized->number.getType(),
                       /*avx512=*/false};
    Value shifted = a.add(emitClamped(a, *quantized), a.f(kShift));
    replaceConversionsBack(op, a, *quantized, a.sub(shifted, a.f(kShift)),
                           rewriter);
    rewriter.replaceOp(op,
                       a.subI(a.bits(shifted),
                              a.i(kShiftBits - int32_t(quantized->zeroPoint))));
    return success();
  }

private:
  /// Replaces conversions of the integer, or of its byte, back to floats by
  /// `rounded`, the rounded number, and the zero point. A kernel converts back
  /// if it quantizes a value and then dequantizes it.
  static void replaceConversionsBack(arith::FPToSIOp op, const Arithmetic &a,
                                     const Quantized &quantized, Value rounded,
                                     PatternRewriter &rewriter) {
    const auto replace = [&](Value number) {
      Value sum;
      for (OpOperand &use : llvm::make_early_inc_range(number.getUses())) {
        auto subtract = dyn_cast<arith::SubFOp>(use.getOwner());
        if (subtract && use.getOperandNumber() == 0 &&
            getInteger(subtract.getRhs()) == quantized.zeroPoint) {
          rewriter.replaceAllUsesWith(subtract, rounded);
          continue;
        }
        if (!sum)
          sum = a.add(rounded, a.f(quantized.zeroPoint));
        rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(sum); });
      }
    };
    const auto areIn = [&](double low, double high) {
      return quantized.low >= low && quantized.high <= high;
    };
    for (Operation *user : op->getUsers()) {
      if (isa<arith::SIToFPOp>(user) && user->getResult(0).getType() == a.like)
        replace(user->getResult(0));
      auto byte = dyn_cast<arith::TruncIOp>(user);
      if (!byte || !getElementTypeOrSelf(byte.getOut()).isInteger(8))
        continue;
      for (Operation *back : byte->getUsers())
        if (((isa<arith::UIToFPOp>(back) && areIn(0, UINT8_MAX)) ||
             (isa<arith::SIToFPOp>(back) && areIn(INT8_MIN, INT8_MAX))) &&
            back->getResult(0).getType() == a.like)
          replace(back->getResult(0));
    }
  }

  /// Emits the clamped number, before it is rounded.
  Value emitClamped(const Arithmetic &a, const Quantized &quantized) const {
    Value x = quantized.number;
    const std::optional<ConstantDivision> division = matchDivision(x);
    const auto bound = [&](double number) {
      return a.f(division ? division->findNumerator(number) : number);
    };
    const auto choose = [&](arith::CmpFPredicate predicate, Value other,
                            Value instead) {
      Value holds = arith::CmpFOp::create(a.b, a.loc, predicate, x, other);
      x = arith::SelectOp::create(a.b, a.loc, holds, x, instead);
    };
    const double zeroPoint = quantized.zeroPoint;
    // If `low` is 0, NaN needs no selection of its own: the comparison with the
    // lower bound does not hold for NaN, and selects the same number.
    if (quantized.low != 0)
      choose(arith::CmpFPredicate::ORD, x, bound(0 - zeroPoint)); // +0, not -0.
    Value least = bound(quantized.low - zeroPoint),
          most = bound(quantized.high - zeroPoint);
    choose(arith::CmpFPredicate::OGT, least, least);
    choose(arith::CmpFPredicate::OLT, most, most);
    return division ? division->emit(a, x) : x;
  }

  /// If `x` is the result of a division by a constant, returns the division and
  /// replaces `x` by the dividend.
  std::optional<ConstantDivision> matchDivision(Value &x) const {
    auto divide = fma ? x.getDefiningOp<arith::DivFOp>() : arith::DivFOp();
    APFloat divisor(0.0);
    if (!divide || !matchPattern(divide.getRhs(), m_ConstantFloat(&divisor)))
      return std::nullopt;
    const auto division = ConstantDivision::get(divisor.convertToDouble());
    if (division)
      x = divide.getLhs();
    return division;
  }

  bool fma;
};

} // namespace

void populateRoundedIntegerPatterns(RewritePatternSet &patterns, bool fma) {
  patterns.add<RoundByAddition>(patterns.getContext(), fma);
}

} // namespace tandem
