//===- ElementwisePatterns.cpp - Cheaper forms of elementwise ops ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;

/// A scalar constant of the element type of `like`.
static Value makeConstant(PatternRewriter &rewriter, Location loc, Value like,
                          double value) {
  auto scalar = RankedTensorType::get({}, typeOf(like).getElementType());
  return ConstantOp::create(rewriter, loc, getSplat(scalar, value));
}

/// Whether no element has its sign bit set, so that none is -0.0. NaNs may have
/// any sign. The table of ops says how an op changes signs.
static bool isNonNegative(Value value, int depth = 4) {
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(getConstant(value)))
    return !constant.getSplatValue<APFloat>().isNegative();
  auto op = value.getDefiningOp<TandemOpInterface>();
  if (!op || depth == 0)
    return false;
  const OpInfo info = getOpInfo(op.getOpDesc().kind);
  auto mul = dyn_cast<MulOp>(op.getOperation());
  if (info.isNonNegative() || (mul && mul.getLhs() == mul.getRhs()))
    return true;
  auto floats = llvm::make_filter_range(op->getOperands(), hasFloats);
  return info.keepsSign() && !floats.empty() &&
         llvm::all_of(floats, [&](Value operand) {
           return isNonNegative(operand, depth - 1);
         });
}

//===----------------------------------------------------------------------===//
// pow
//===----------------------------------------------------------------------===//

namespace {

/// Replaces a pow of floats whose exponent is a constant that broadcasts to the
/// type of the base.
struct ExpandPow : OpRewritePattern<PowOp> {
  ExpandPow(MLIRContext *context, double exponent)
      : OpRewritePattern(context), exponent(exponent) {}

  LogicalResult matchAndRewrite(PowOp op,
                                PatternRewriter &rewriter) const final {
    Value x = op.getLhs();
    if (x.getType() != op.getType() || !hasFloats(x) ||
        !isSplatOf(getConstant(op.getRhs()), exponent))
      return failure();
    Value result = expand(op, x, rewriter);
    if (!result)
      return failure();
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Null where `x` may have values for which the form is wrong.
  virtual Value expand(PowOp op, Value x, PatternRewriter &rewriter) const = 0;

  double exponent;
};

/// pow(x, 2) is x * x.
/// Special values: both are +0 for zeros of either sign, inf for infinities,
/// NaN for NaN; both underflow to +0 and overflow to inf.
struct PowToSquare : ExpandPow {
  explicit PowToSquare(MLIRContext *context) : ExpandPow(context, 2) {}
  Value expand(PowOp op, Value x, PatternRewriter &rewriter) const override {
    return MulOp::create(rewriter, op.getLoc(), op.getType(), x, x);
  }
};

/// pow(x, 3) is x * x * x.
/// Special values: zeros, infinities and NaN stay as they are, with their sign.
/// A subnormal square gives a cube that is 0, or subnormal with an error far
/// below its last place; a square that overflows gives one that does, too.
struct PowToCube : ExpandPow {
  explicit PowToCube(MLIRContext *context) : ExpandPow(context, 3) {}
  Value expand(PowOp op, Value x, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value square = MulOp::create(rewriter, loc, op.getType(), x, x);
    return MulOp::create(rewriter, loc, op.getType(), square, x);
  }
};

/// pow(x, -1) is 1 / x.
/// Special values: zeros become infinities and infinities zeros, with their
/// sign, NaN stays; of small subnormal numbers both overflow.
struct PowToReciprocal : ExpandPow {
  explicit PowToReciprocal(MLIRContext *context) : ExpandPow(context, -1) {}
  Value expand(PowOp op, Value x, PatternRewriter &rewriter) const override {
    Value one = makeConstant(rewriter, op.getLoc(), x, 1);
    return DivOp::create(rewriter, op.getLoc(), op.getType(), one, x);
  }
};

/// pow(x, 0.5) is sqrt(x) where x has no sign bit.
/// Special values: +0, inf and NaN stay; but -inf becomes inf and -0.0 becomes
/// +0.0 by pow, while sqrt gives NaN and -0.0.
struct PowToSqrt : ExpandPow {
  explicit PowToSqrt(MLIRContext *context) : ExpandPow(context, 0.5) {}
  Value expand(PowOp op, Value x, PatternRewriter &rewriter) const override {
    if (!isNonNegative(x))
      return {};
    return SqrtOp::create(rewriter, op.getLoc(), op.getType(), x);
  }
};

/// pow(x, -0.5) is rsqrt(x) where x has no sign bit.
/// Special values: +0 becomes inf, inf becomes +0, NaN stays; but -inf becomes
/// +0 and -0.0 becomes inf by pow, while rsqrt gives NaN and -inf.
struct PowToRsqrt : ExpandPow {
  explicit PowToRsqrt(MLIRContext *context) : ExpandPow(context, -0.5) {}
  Value expand(PowOp op, Value x, PatternRewriter &rewriter) const override {
    if (!isNonNegative(x))
      return {};
    return RsqrtOp::create(rewriter, op.getLoc(), op.getType(), x);
  }
};

//===----------------------------------------------------------------------===//
// div, max, clamp
//===----------------------------------------------------------------------===//

/// x / c is x * (1 / c) where the reciprocal is exact: a power of two.
/// Special values: c and 1 / c are normal numbers, so that zeros and infinities
/// keep their sign and both forms round the same number, a subnormal one, too.
struct DivToProduct : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = dyn_cast_or_null<SplatElementsAttr>(getConstant(op.getRhs()));
    if (!splat || !isa<FloatType>(splat.getElementType()))
      return failure();
    APFloat inverse(0.0);
    if (!splat.getSplatValue<APFloat>().getExactInverse(&inverse))
      return failure();
    Value factor =
        ConstantOp::create(rewriter, op.getLoc(),
                           DenseElementsAttr::get(splat.getType(), inverse));
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), factor);
    return success();
  }
};

/// max(x, 0) is relu(x).
/// Special values: NaN stays NaN; of -0.0 and +0.0, max gives either and relu
/// the first.
struct MaxToRelu : OpRewritePattern<MaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MaxOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getLhs().getType() != op.getType() ||
        !isSplatOf(getConstant(op.getRhs()), 0))
      return failure();
    rewriter.replaceOpWithNewOp<ReluOp>(op, op.getType(), op.getLhs());
    return success();
  }
};

/// clamp(x, low, inf) is max(x, low), and clamp(x, -inf, high) is min(x, high).
/// Special values: an infinity limits no number, infinities included, and NaN
/// stays NaN, as value or limit. Of zeros of different signs all give either.
struct ClampToOneLimit : OpRewritePattern<ClampOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ClampOp op,
                                PatternRewriter &rewriter) const override {
    double infinity = std::numeric_limits<double>::infinity();
    Value x = op.getInput();
    if (!hasFloats(x) || x.getType() != op.getType())
      return failure();
    if (isSplatOf(getConstant(op.getHigh()), infinity))
      rewriter.replaceOpWithNewOp<MaxOp>(op, op.getType(), x, op.getLow());
    else if (isSplatOf(getConstant(op.getLow()), -infinity))
      rewriter.replaceOpWithNewOp<MinOp>(op, op.getType(), x, op.getHigh());
    else
      return failure();
    return success();
  }
};

} // namespace

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<PowToSquare, PowToCube, PowToReciprocal, PowToSqrt, PowToRsqrt>(
      context);
}

void DivOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DivToProduct>(context);
}

void MaxOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<MaxToRelu>(context);
}

void ClampOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<ClampToOneLimit>(context);
}
