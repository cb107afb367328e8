//===- ExpandMath.cpp - Polynomials for math functions --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "Math/BF16Conversions.h"
#include "Math/ByteTables.h"
#include "Math/ElementaryFunctions.h"
#include "Math/IntegerDivision.h"
#include "Math/RoundedIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_EXPANDMATH
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// Expands max(x, c) and min(x, c), where c is a constant, so that they become
/// one instruction with c as the first operand: x86 returns the second operand
/// if either is NaN.
/// Special values: c is not NaN, so a NaN in x is preserved. For zeros of
/// different signs the result is x, as relu defines it: max(-0, 0) is -0.
template <typename Op, arith::CmpFPredicate isBeyond>
struct BoundByConstant : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getLhs(), bound = op.getRhs();
    APFloat value(0.0);
    if (matchPattern(x, m_ConstantFloat(&value)))
      std::swap(x, bound);
    if (!matchPattern(bound, m_ConstantFloat(&value)) || value.isNaN())
      return failure();
    Value beyond =
        arith::CmpFOp::create(rewriter, op.getLoc(), isBeyond, x, bound);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, beyond, bound, x);
    return success();
  }
};

/// Expands max(x, y) and min(x, y). The instructions of x86 return y if either
/// operand is NaN, so only x must be checked for NaN.
/// Special values: the result is NaN if either operand is NaN. For zeros of
/// different signs, the result is y. The dialect allows either.
template <typename Op, arith::CmpFPredicate isBeyond>
struct ChooseBeyond : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = op.getLhs(), y = op.getRhs();
    Value beyond = arith::SelectOp::create(
        rewriter, loc, arith::CmpFOp::create(rewriter, loc, isBeyond, x, y), x,
        y);
    Value isNaN =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, x, x);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, x, beyond);
    return success();
  }
};

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  using ExpandMathBase::ExpandMathBase;
  LogicalResult initialize(MLIRContext *context) override {
    const int64_t bytes = shuffledBytes;
    if (bytes != 0 && bytes != 32 && bytes != 64)
      return emitError(UnknownLoc::get(context))
             << "shuffled-bytes is 0, 32 or 64, not " << bytes;
    RewritePatternSet set(context);
    set.add<BoundByConstant<arith::MaximumFOp, arith::CmpFPredicate::OLT>,
            BoundByConstant<arith::MinimumFOp, arith::CmpFPredicate::OGT>>(
        context, /*benefit=*/2);
    set.add<ChooseBeyond<arith::MaximumFOp, arith::CmpFPredicate::OGT>,
            ChooseBeyond<arith::MinimumFOp, arith::CmpFPredicate::OLT>>(
        context);
    populateBF16ConversionPatterns(set, avx512);
    populateIntegerDivisionPatterns(set, avx512);
    populateByteTablePatterns(set, vbmi, shuffledBytes);
    populateRoundedIntegerPatterns(set, fma);
    if (stock)
      populateMathPolynomialApproximationPatterns(
          set, [](StringRef) { return true; });
    else if (fma)
      populateElementaryFunctionPatterns(set, avx512);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
    // Upstream's patterns expand some functions to other functions, which a
    // second walk expands.
    if (stock)
      walkAndApplyPatterns(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

} // namespace tandem
