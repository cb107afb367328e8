//===- ElementwisePatterns.cpp - Cheaper forms of elementwise ops ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

using namespace mlir;
using namespace tandem::ir;

/// A scalar constant of the element type of `like`.
static Value makeConstant(PatternRewriter &rewriter, Location loc, Value like,
                          double value) {
  auto type = cast<RankedTensorType>(like.getType());
  auto scalar = RankedTensorType::get({}, type.getElementType());
  return ConstantOp::create(rewriter, loc, getSplat(scalar, value));
}

/// Whether no element is negative or -0.0; NaN may be there.
static bool isNonNegative(Value value, int depth = 4) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (isa<AbsOp, ReluOp, ExpOp, SigmoidOp, SoftmaxOp>(op))
    return true;
  if (auto mul = dyn_cast<MulOp>(op); mul && mul.getLhs() == mul.getRhs())
    return true;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    auto number =
        splat ? dyn_cast<FloatAttr>(splat.getSplatValue<Attribute>()) : nullptr;
    return number && !number.getValue().isNegative();
  }
  if (auto reduce = dyn_cast<ReduceOp>(op);
      reduce && reduce.getKind() == ReduceKind::argmax)
    return false;
  return isa<AddOp, MulOp, MaxOp, ReduceOp, ReshapeOp, TransposeOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isNonNegative(operand, depth - 1);
         });
}

//===----------------------------------------------------------------------===//
// pow
//===----------------------------------------------------------------------===//

/// Small powers as products, -1 as a quotient; 0.5 and -0.5 as roots where no
/// element is negative (pow is inf at -inf and positive at -0.0, roots are
/// not).
static LogicalResult expandPow(PowOp op, PatternRewriter &rewriter) {
  Value x = op.getLhs();
  Type type = op.getType();
  Attribute exponent = getConstant(op.getRhs());
  Location loc = op.getLoc();
  if (x.getType() != type || !isa<FloatType>(getElementTypeOrSelf(type)))
    return failure();
  if (isSplatOf(exponent, 2)) {
    rewriter.replaceOpWithNewOp<MulOp>(op, type, x, x);
  } else if (isSplatOf(exponent, 3)) {
    Value square = MulOp::create(rewriter, loc, type, x, x);
    rewriter.replaceOpWithNewOp<MulOp>(op, type, square, x);
  } else if (isSplatOf(exponent, -1)) {
    Value one = makeConstant(rewriter, loc, x, 1);
    rewriter.replaceOpWithNewOp<DivOp>(op, type, one, x);
  } else if (isSplatOf(exponent, 0.5) && isNonNegative(x)) {
    rewriter.replaceOpWithNewOp<SqrtOp>(op, type, x);
  } else if (isSplatOf(exponent, -0.5) && isNonNegative(x)) {
    rewriter.replaceOpWithNewOp<RsqrtOp>(op, type, x);
  } else {
    return failure();
  }
  return success();
}

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *) {
  patterns.add(expandPow);
}

//===----------------------------------------------------------------------===//
// div, max, clamp
//===----------------------------------------------------------------------===//

/// x / c is x * (1 / c) where the reciprocal is exact: a power of two.
static LogicalResult divideByProduct(DivOp op, PatternRewriter &rewriter) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(getConstant(op.getRhs()));
  if (!splat || !isa<FloatType>(splat.getElementType()))
    return failure();
  APFloat inverse(0.0);
  if (!splat.getSplatValue<APFloat>().getExactInverse(&inverse))
    return failure();
  Value factor = ConstantOp::create(
      rewriter, op.getLoc(), DenseElementsAttr::get(splat.getType(), inverse));
  rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), factor);
  return success();
}

void DivOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *) {
  patterns.add(divideByProduct);
}

/// max(x, 0) is relu(x).
static LogicalResult maxToRelu(MaxOp op, PatternRewriter &rewriter) {
  if (op.getLhs().getType() != op.getType() ||
      !isSplatOf(getConstant(op.getRhs()), 0))
    return failure();
  rewriter.replaceOpWithNewOp<ReluOp>(op, op.getType(), op.getLhs());
  return success();
}

void MaxOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *) {
  patterns.add(maxToRelu);
}

/// A limit that limits nothing: an infinity.
static LogicalResult clampOneSided(ClampOp op, PatternRewriter &rewriter) {
  double infinity = std::numeric_limits<double>::infinity();
  if (!isa<FloatType>(op.getType().getElementType()))
    return failure();
  if (isSplatOf(getConstant(op.getHigh()), infinity))
    rewriter.replaceOpWithNewOp<MaxOp>(op, op.getType(), op.getInput(),
                                       op.getLow());
  else if (isSplatOf(getConstant(op.getLow()), -infinity))
    rewriter.replaceOpWithNewOp<MinOp>(op, op.getType(), op.getInput(),
                                       op.getHigh());
  else
    return failure();
  return success();
}

void ClampOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(clampOneSided);
}
