//===- IntegerDivision.cpp - Quotients of integers in vectors -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Math/IntegerDivision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {

namespace {
/// Divides integers of at most 32 bits as floats.
/// Special values: none occur, because divisors of 0, and divisors of -1 whose
/// quotient would overflow, have been replaced before (ElementwiseScalars.cpp).
template <typename DivOp, typename IntToFloatOp, typename FloatToIntOp>
struct DivideAsFloats : OpRewritePattern<DivOp> {
  using OpRewritePattern<DivOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getElementTypeBitWidth() > 32 ||
        matchPattern(op.getRhs(), m_Constant()))
      return failure();
    // Their significands, of 24 and 53 bits, hold a bit more than dividend and
    // remainder of i8 and i16, or of i32, need.
    FloatType element = type.getElementTypeBitWidth() > 16
                            ? FloatType(rewriter.getF64Type())
                            : FloatType(rewriter.getF32Type());
    Type wide = type.clone(element);
    Location loc = op.getLoc();
    Value quotient = arith::DivFOp::create(
        rewriter, loc, IntToFloatOp::create(rewriter, loc, wide, op.getLhs()),
        IntToFloatOp::create(rewriter, loc, wide, op.getRhs()));
    rewriter.replaceOpWithNewOp<FloatToIntOp>(op, type, quotient);
    return success();
  }
};

Value createSplat(OpBuilder &builder, Location loc, VectorType type,
                  Attribute element) {
  return arith::ConstantOp::create(builder, loc,
                                   SplatElementsAttr::get(type, element));
}

/// Divides integers of 64 bits by multiplying by the divisor's inverse in f64.
/// The error of the first quotient is at most 2^15. Adding the quotient of its
/// remainder leaves an error of at most one. The last remainder shows whether
/// there is an error.
/// Special values: none occur, for the same reason as in DivideAsFloats.
template <typename DivOp, typename IntToFloatOp, typename FloatToIntOp>
struct DivideWide : OpRewritePattern<DivOp> {
  using OpRewritePattern<DivOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getElementTypeBitWidth() != 64 ||
        matchPattern(op.getRhs(), m_Constant()))
      return failure();
    Value a = op.getLhs(), b = op.getRhs();
    Location loc = op.getLoc();
    Value inverse = invert(rewriter, loc, b);
    Value first = multiply(rewriter, loc, a, inverse);
    Value rest = subtract(rewriter, loc, a, first, b);
    Value second = multiply(rewriter, loc, rest, inverse);
    Value quotient = arith::AddIOp::create(rewriter, loc, first, second);
    rest = subtract(rewriter, loc, rest, second, b);
    auto correct =
        std::is_same_v<DivOp, arith::DivUIOp> ? correctUnsigned : correctSigned;
    rewriter.replaceOp(op, correct(rewriter, loc, a, b, quotient, rest));
    return success();
  }

private:
  /// Returns the inverse of `b`, a little nearer to zero than the exact value,
  /// so that no product with it is out of range.
  static Value invert(OpBuilder &builder, Location loc, Value b) {
    auto wide = cast<VectorType>(
        cast<VectorType>(b.getType()).clone(builder.getF64Type()));
    Value below =
        createSplat(builder, loc, wide, builder.getF64FloatAttr(1 - 0x1p-50));
    return arith::DivFOp::create(builder, loc, below,
                                 IntToFloatOp::create(builder, loc, wide, b));
  }

  static Value multiply(OpBuilder &builder, Location loc, Value a,
                        Value inverse) {
    Value product = arith::MulFOp::create(
        builder, loc, IntToFloatOp::create(builder, loc, inverse.getType(), a),
        inverse);
    return FloatToIntOp::create(builder, loc, a.getType(), product);
  }

  /// a - quotient * b, modulo 2^64.
  static Value subtract(OpBuilder &builder, Location loc, Value a,
                        Value quotient, Value b) {
    Value product = arith::MulIOp::create(builder, loc, quotient, b);
    return arith::SubIOp::create(builder, loc, a, product);
  }

  /// The inverse is too near to zero. The quotient is therefore never too
  /// large, and the remainder is never negative.
  static Value correctUnsigned(OpBuilder &builder, Location loc, Value a,
                               Value b, Value quotient, Value rest) {
    Value isLarge =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, rest, b);
    Value one = createSplat(builder, loc, cast<VectorType>(a.getType()),
                            builder.getI64IntegerAttr(1));
    return arith::SelectOp::create(
        builder, loc, isLarge,
        arith::AddIOp::create(builder, loc, quotient, one), quotient);
  }

  /// The remainder of the exact quotient has the sign of the dividend and a
  /// smaller magnitude than the divisor. If `rest` has the opposite sign, the
  /// quotient is one too far from zero. If its magnitude is too large, the
  /// quotient is one too near to zero.
  static Value correctSigned(OpBuilder &builder, Location loc, Value a, Value b,
                             Value quotient, Value rest) {
    auto type = cast<VectorType>(a.getType());
    auto constant = [&](int64_t value) {
      return createSplat(builder, loc, type, builder.getI64IntegerAttr(value));
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      return arith::CmpIOp::create(builder, loc, predicate, x, y).getResult();
    };
    auto magnitude = [&](Value x) -> Value {
      Value negative = arith::SubIOp::create(builder, loc, constant(0), x);
      return arith::SelectOp::create(
          builder, loc, compare(arith::CmpIPredicate::slt, x, constant(0)),
          negative, x);
    };
    auto add = [&](Value condition, Value step) {
      Value moved = arith::AddIOp::create(builder, loc, quotient, step);
      quotient =
          arith::SelectOp::create(builder, loc, condition, moved, quotient);
    };
    // 1 or -1, with the sign of the quotient.
    Value outward = arith::OrIOp::create(
        builder, loc,
        arith::ShRSIOp::create(builder, loc,
                               arith::XOrIOp::create(builder, loc, a, b),
                               constant(63)),
        constant(1));
    Value inward = arith::SubIOp::create(builder, loc, constant(0), outward);
    Value isOpposite =
        compare(arith::CmpIPredicate::slt,
                arith::XOrIOp::create(builder, loc, a, rest), constant(0));
    Value isRest = compare(arith::CmpIPredicate::ne, rest, constant(0));
    Value isTooFar = arith::AndIOp::create(builder, loc, isOpposite, isRest);
    Value isLarge =
        compare(arith::CmpIPredicate::uge, magnitude(rest), magnitude(b));
    add(isTooFar, inward);
    Value isNotOpposite = arith::XOrIOp::create(
        builder, loc, isTooFar,
        createSplat(builder, loc, cast<VectorType>(isTooFar.getType()),
                    builder.getBoolAttr(true)));
    add(arith::AndIOp::create(builder, loc, isLarge, isNotOpposite), outward);
    return quotient;
  }
};
} // namespace

void populateIntegerDivisionPatterns(RewritePatternSet &patterns, bool avx512) {
  patterns
      .add<DivideAsFloats<arith::DivSIOp, arith::SIToFPOp, arith::FPToSIOp>,
           DivideAsFloats<arith::DivUIOp, arith::UIToFPOp, arith::FPToUIOp>>(
          patterns.getContext());
  if (avx512)
    patterns.add<DivideWide<arith::DivSIOp, arith::SIToFPOp, arith::FPToSIOp>,
                 DivideWide<arith::DivUIOp, arith::UIToFPOp, arith::FPToUIOp>>(
        patterns.getContext());
}

} // namespace tandem
