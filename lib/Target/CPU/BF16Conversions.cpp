//===- BF16Conversions.cpp - bf16 without instructions for it -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BF16Conversions.h"

#include "ElementaryArithmetic.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tandem {
namespace {

/// The upper halves of `bits`, i32 or a vector of them. They are picked out and
/// not shifted down: LLVM 22 stores the one lane of a constant mask as wide as
/// it was before it was truncated.
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

/// f32 to bf16: the upper half, rounded by what the lower half carries into it.
Value roundF32(OpBuilder &builder, Location loc, Value x, bool hasInstruction) {
  Arithmetic a{builder, loc, x.getType(), /*avx512=*/false};
  Type type = a.typed(builder.getBF16Type());
  if (hasInstruction)
    return arith::TruncFOp::create(builder, loc, type, x);
  Value bits = a.bits(x);
  // Half of the last place, less one where what stays is even.
  Value isOdd = a.andI(a.shr(bits, 16), a.i(1));
  Value rounded = a.addI(a.addI(bits, a.i(0x7fff)), isOdd);
  Value quiet = arith::OrIOp::create(builder, loc, bits, a.i(0x400000));
  Value isNaN =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
  Value half = getUpperHalves(a, a.select(isNaN, quiet, rounded));
  return arith::BitcastOp::create(builder, loc, type, half);
}

/// f64 to f32, to odd where it is inexact: rounding once more to bf16 is exact
/// then (Boldo and Melquiond, "When double rounding is odd", IMACS 2005).
Value roundF64ToOdd(OpBuilder &builder, Location loc, Value x) {
  Arithmetic a{builder, loc, x.getType(), /*avx512=*/false};
  Value nearest = arith::TruncFOp::create(builder, loc, a.f32(), x);
  Value back = arith::ExtFOp::create(builder, loc, x.getType(), nearest);
  Value isInexact =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ONE, back, x);
  Value isAway = a.less(a.abs(x), a.abs(back));
  Value bits = a.bits(nearest);
  Value towardsZero = a.select(isAway, a.subI(bits, a.i(1)), bits);
  Value odd = arith::OrIOp::create(builder, loc, towardsZero, a.i(1));
  return a.fromBits(a.select(isInexact, odd, bits));
}

struct Truncate : OpRewritePattern<arith::TruncFOp> {
  Truncate(MLIRContext *context, bool hasInstruction)
      : OpRewritePattern(context), hasInstruction(hasInstruction) {}
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    bool isDouble = getElementTypeOrSelf(x).isF64();
    if (!getElementTypeOrSelf(op.getType()).isBF16() ||
        (!isDouble && hasInstruction))
      return failure();
    if (isDouble)
      x = roundF64ToOdd(rewriter, op.getLoc(), x);
    rewriter.replaceOp(op, roundF32(rewriter, op.getLoc(), x, hasInstruction));
    return success();
  }
  bool hasInstruction;
};

/// Integers come to bf16 through a type that has them all; of i64, what f64
/// cannot hold is rounded twice.
template <typename Op> struct ConvertInteger : OpRewritePattern<Op> {
  ConvertInteger(MLIRContext *context, bool hasInstruction)
      : OpRewritePattern<Op>(context), hasInstruction(hasInstruction) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16())
      return failure();
    Location loc = op.getLoc();
    Arithmetic a{rewriter, loc, op.getType(), /*avx512=*/false};
    bool isShort =
        getElementTypeOrSelf(op.getIn()).getIntOrFloatBitWidth() <= 16;
    Value x =
        Op::create(rewriter, loc, isShort ? a.f32() : a.f64(), op.getIn());
    if (!isShort)
      x = roundF64ToOdd(rewriter, loc, x);
    rewriter.replaceOp(op, roundF32(rewriter, loc, x, hasInstruction));
    return success();
  }
  bool hasInstruction;
};

struct Extend : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x).isBF16() ||
        !isa<FloatType>(getElementTypeOrSelf(op.getType())))
      return failure();
    Location loc = op.getLoc();
    Arithmetic a{rewriter, loc, x.getType(), /*avx512=*/false};
    Value half = arith::BitcastOp::create(rewriter, loc,
                                          a.typed(rewriter.getI16Type()), x);
    Value bits = arith::ExtUIOp::create(rewriter, loc, a.i32(), half);
    Value single = a.fromBits(a.shl(bits, 16));
    if (single.getType() != op.getType())
      single = arith::ExtFOp::create(rewriter, loc, op.getType(), single);
    rewriter.replaceOp(op, single);
    return success();
  }
};

} // namespace

void populateBF16ConversionPatterns(RewritePatternSet &patterns,
                                    bool hasInstructions) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Truncate, ConvertInteger<arith::SIToFPOp>,
               ConvertInteger<arith::UIToFPOp>>(context, hasInstructions);
  if (!hasInstructions)
    patterns.add<Extend>(context);
}

} // namespace tandem
