//===- IntegerDivision.cpp - Quotients of integers in vectors -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerDivision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {

namespace {
struct DivideAsFloats : OpRewritePattern<arith::DivSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivSIOp op,
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
        rewriter, loc,
        arith::SIToFPOp::create(rewriter, loc, wide, op.getLhs()),
        arith::SIToFPOp::create(rewriter, loc, wide, op.getRhs()));
    rewriter.replaceOpWithNewOp<arith::FPToSIOp>(op, type, quotient);
    return success();
  }
};
} // namespace

void populateIntegerDivisionPatterns(RewritePatternSet &patterns) {
  patterns.add<DivideAsFloats>(patterns.getContext());
}

} // namespace tandem
