//===- BF16Conversions.cpp - bf16 without instructions for it -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Math/BF16Conversions.h"

#include "Math/ElementaryArithmetic.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {
namespace {

/// Returns the upper halves of `bits`, an i32 or a vector of i32. They are
/// extracted by a shuffle and not by a shift and a truncation, because LLVM 22
/// stores too many bytes for a truncated lane if a constant mask has one lane.
Value getUpperHalves(const Arithmetic &a, Value bits) {
  Type halves = a.typed(a.b.getI16Type());
  auto vector = dyn_cast<VectorType>(halves);
  if (!vector)
    return arith::TruncIOp::create(a.b, a.loc, halves, a.shr(bits, 16));
  int64_t size = vector.getNumElements();
  Value both = LLVM::BitcastOp::create(
      a.b, a.loc, VectorType::get({2 * size}, a.b.getI16Type()), bits);
  SmallVector<int32_t> odd;
  for (int64_t i = 0; i < size; ++i)
    odd.push_back(static_cast<int32_t>(2 * i + 1));
  return LLVM::ShuffleVectorOp::create(a.b, a.loc, both, both, odd);
}

Value asBF16(const Arithmetic &a, Value halves) {
  return arith::BitcastOp::create(a.b, a.loc, a.typed(a.b.getBF16Type()),
                                  halves);
}

/// Adds to the bits of a number so that their upper half is rounded to nearest,
/// ties to even: 0x8000, or 0x7fff if the upper half is even. A NaN may become
/// another value.
Value roundBits(const Arithmetic &a, Value bits) {
  Value ofEven = a.addI(bits, a.i(0x7fff));
  if (!a.isWide())
    return a.addI(ofEven, a.andI(a.shr(bits, 16), a.i(1)));
  // Choose lanes by a mask, which takes one instruction less.
  Value isOdd = arith::CmpIOp::create(a.b, a.loc, arith::CmpIPredicate::ne,
                                      a.andI(bits, a.i(0x10000)), a.i(0));
  return a.select(isOdd, a.addI(bits, a.i(0x8000)), ofEven);
}

/// Rounds f32 to bf16. The instruction of AVX-512 BF16 treats subnormal numbers
/// as zeros. Using the instruction for all other numbers would take longer than
/// this code.
Value roundF32(OpBuilder &builder, Location loc, Value x, bool avx512) {
  Arithmetic a{builder, loc, x.getType(), avx512};
  if (a.isWide()) // The low bits of NaN are 0, so rounding carries nothing.
    return asBF16(a,
                  getUpperHalves(a, roundBits(a, a.bits(a.canonicalNaN(x)))));
  Value isNaN =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
  // Rounding may change a NaN to another value. Setting these bits makes it NaN
  // again.
  Value quiet = a.select(isNaN, a.i(0x7fc00000), a.i(0));
  Value rounded = a.orI(roundBits(a, a.bits(x)), quiet);
  return asBF16(a, getUpperHalves(a, rounded));
}

/// Whether the lower halves of `x`, of f32, are known to be zeros: constants
/// and extended bf16 have such values, and ops that select values or change
/// signs preserve them.
bool isExtended(Value x, int depth = 6) {
  APFloat constant(0.0);
  if (matchPattern(x, m_ConstantFloat(&constant))) {
    bool losesInfo;
    constant.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
    return !losesInfo;
  }
  Operation *op = x.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (auto extension = dyn_cast<arith::ExtFOp>(op))
    return getElementTypeOrSelf(extension.getIn()).isBF16();
  // The Extend pattern below emits this form.
  if (auto bitcast = dyn_cast<arith::BitcastOp>(op)) {
    auto shift = bitcast.getIn().getDefiningOp<arith::ShLIOp>();
    APInt amount;
    return shift && matchPattern(shift.getRhs(), m_ConstantInt(&amount)) &&
           amount == 16;
  }
  auto areExtended = [&](ValueRange values) {
    return llvm::all_of(
        values, [&](Value value) { return isExtended(value, depth - 1); });
  };
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return areExtended({select.getTrueValue(), select.getFalseValue()});
  return isa<arith::NegFOp, math::AbsFOp, math::CopySignOp, arith::MaximumFOp,
             arith::MinimumFOp>(op) &&
         areExtended(op->getOperands());
}

/// Rounds f64 to f32, and to odd if the result is inexact. Rounding the result
/// once more, to 16 bits, then gives the same number as rounding directly
/// (Boldo and Melquiond, "When double rounding is odd", IMACS 2005).
Value roundF64ToOdd(OpBuilder &builder, Location loc, Value x) {
  Arithmetic wide{builder, loc, x.getType(), /*avx512=*/false};
  Arithmetic a = wide.as(builder.getF32Type());
  Value nearest = arith::TruncFOp::create(builder, loc, a.like, x);
  Value back = arith::ExtFOp::create(builder, loc, wide.like, nearest);
  Value isInexact =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ONE, back, x);
  Value isAway = a.less(a.abs(x), a.abs(back));
  Value bits = a.bits(nearest);
  Value towardsZero = a.select(isAway, a.subI(bits, a.i(1)), bits);
  Value odd = arith::OrIOp::create(builder, loc, towardsZero, a.i(1));
  return a.fromBits(a.select(isInexact, odd, bits));
}

/// Rounds f32 and f64 to bf16.
/// Special values: zeros and infinities keep their sign, and NaN stays NaN.
/// Numbers that are too large become infinities. Subnormal numbers are rounded
/// like all others.
struct Truncate : OpRewritePattern<arith::TruncFOp> {
  Truncate(MLIRContext *context, bool avx512)
      : OpRewritePattern(context), avx512(avx512) {}
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Location loc = op.getLoc();
    if (!getElementTypeOrSelf(op.getType()).isBF16())
      return failure();
    if (getElementTypeOrSelf(x).isF64())
      x = roundF64ToOdd(rewriter, loc, x);
    if (isExtended(x)) {
      Arithmetic a{rewriter, loc, x.getType(), /*avx512=*/false};
      rewriter.replaceOp(op, asBF16(a, getUpperHalves(a, a.bits(x))));
    } else {
      rewriter.replaceOp(op, roundF32(rewriter, loc, x, avx512));
    }
    return success();
  }
  bool avx512;
};

/// Rounds f64 to f16 through f32. Without AVX512-FP16, LLVM 22 would call a
/// function for each element.
/// Special values: zeros, infinities and NaN pass through f32 unchanged.
/// Subnormal results are correctly rounded, too.
struct TruncateToHalf : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF16() ||
        !getElementTypeOrSelf(op.getIn()).isF64())
      return failure();
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(
        op, op.getType(), roundF64ToOdd(rewriter, op.getLoc(), op.getIn()));
    return success();
  }
};

/// Converts integers of at most 16 bits to bf16 through f32, which represents
/// them exactly. Wider integers are not converted here.
template <typename Op> struct ConvertInteger : OpRewritePattern<Op> {
  ConvertInteger(MLIRContext *context, bool avx512)
      : OpRewritePattern<Op>(context), avx512(avx512) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn());
    if (!getElementTypeOrSelf(op.getType()).isBF16() ||
        from.getIntOrFloatBitWidth() > 16)
      return failure();
    Location loc = op.getLoc();
    Arithmetic halves{rewriter, loc, op.getType(), /*avx512=*/false};
    Type single = halves.typed(rewriter.getF32Type());
    Value x = Op::create(rewriter, loc, single, op.getIn());
    rewriter.replaceOp(op, roundF32(rewriter, loc, x, avx512));
    return success();
  }
  bool avx512;
};

/// Extends bf16 to f32. LLVM 22 would round a scalar that is broadcast to bf16
/// once more, by an instruction that treats subnormal numbers as zeros. Special
/// values: all are preserved, because f32 represents every value of bf16.
struct Extend : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x).isBF16() ||
        !isa<FloatType>(getElementTypeOrSelf(op.getType())))
      return failure();
    Location loc = op.getLoc();
    Arithmetic halves{rewriter, loc, x.getType(), /*avx512=*/false};
    Arithmetic a = halves.as(rewriter.getF32Type());
    Value half = arith::BitcastOp::create(rewriter, loc,
                                          a.typed(rewriter.getI16Type()), x);
    Value bits = arith::ExtUIOp::create(rewriter, loc, a.integers(), half);
    Value single = a.fromBits(a.shl(bits, 16));
    if (single.getType() != op.getType())
      single = arith::ExtFOp::create(rewriter, loc, op.getType(), single);
    rewriter.replaceOp(op, single);
    return success();
  }
};

} // namespace

void populateBF16ConversionPatterns(RewritePatternSet &patterns, bool avx512) {
  MLIRContext *context = patterns.getContext();
  patterns.add<TruncateToHalf, Extend>(context);
  patterns.add<Truncate, ConvertInteger<arith::SIToFPOp>,
               ConvertInteger<arith::UIToFPOp>>(context, avx512);
}

} // namespace tandem
