//===- ExpandMath.cpp - Polynomials for math functions --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "ElementaryFunctions.h"

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

/// f64 to bf16 has no instruction, nor a function in every libgcc. Rounding to
/// odd in f32 first makes the second rounding exact (Boldo and Melquiond, "When
/// double rounding is odd", IMACS 2005).
struct TruncateF64ToBF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x).isF64() ||
        !getElementTypeOrSelf(op.getType()).isBF16())
      return failure();
    Location loc = op.getLoc();
    auto typeLike = [&](Type element) -> Type {
      if (auto vector = dyn_cast<VectorType>(x.getType()))
        return vector.clone(element);
      return element;
    };
    Type f32 = typeLike(rewriter.getF32Type());
    Type i32 = typeLike(rewriter.getI32Type());
    Value one =
        arith::ConstantOp::create(rewriter, loc, rewriter.getOneAttr(i32));
    Value nearest = arith::TruncFOp::create(rewriter, loc, f32, x);
    Value back = arith::ExtFOp::create(rewriter, loc, x.getType(), nearest);
    Value isInexact = arith::CmpFOp::create(rewriter, loc,
                                            arith::CmpFPredicate::ONE, back, x);
    Value isAway =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT,
                              math::AbsFOp::create(rewriter, loc, back),
                              math::AbsFOp::create(rewriter, loc, x));
    Value bits = arith::BitcastOp::create(rewriter, loc, i32, nearest);
    Value less = arith::SubIOp::create(rewriter, loc, bits, one);
    Value towardsZero =
        arith::SelectOp::create(rewriter, loc, isAway, less, bits);
    Value odd = arith::OrIOp::create(rewriter, loc, towardsZero, one);
    Value rounded =
        arith::SelectOp::create(rewriter, loc, isInexact, odd, bits);
    Value result = arith::BitcastOp::create(rewriter, loc, f32, rounded);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result);
    return success();
  }
};

/// max(x, c) and min(x, c) of a constant are one instruction where the constant
/// comes first: x86 gives the second operand where either is NaN. max(-0, 0) is
/// -0 then, as the reference has it.
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

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  using ExpandMathBase::ExpandMathBase;
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<TruncateF64ToBF16,
            BoundByConstant<arith::MaximumFOp, arith::CmpFPredicate::OLT>,
            BoundByConstant<arith::MinimumFOp, arith::CmpFPredicate::OGT>>(
        context);
    if (!stock)
      populateElementaryFunctionPatterns(set, avx512);
    populateMathPolynomialApproximationPatterns(set, [&](StringRef name) {
      return stock || llvm::is_contained({"math.expm1", "math.log1p"}, name);
    });
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    // Upstream's expansions are in terms of functions that are expanded here.
    walkAndApplyPatterns(getOperation(), patterns);
    walkAndApplyPatterns(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

} // namespace tandem
