//===- TransposePatterns.cpp - Algebra beyond local folds -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimplifyPatterns.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tandem {
namespace {

/// An addition of one value per output channel to a convolution's only use is
/// the convolution's bias: one library call instead of two passes.
/// Special values: infinities and NaN spread as by the addition, and a zero may
/// have either sign, as sums have. The sum is rounded once, with its bias; not
/// of f16, which may overflow before the bias is added.
struct AddToConvBias : OpRewritePattern<ir::AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::AddOp op,
                                PatternRewriter &rewriter) const override {
    if (typeOf(op.getResult()).getElementType().isF16())
      return rewriter.notifyMatchFailure(op, "the result may have overflowed");
    if (typeOf(op.getResult()).getElementType().isInteger())
      return rewriter.notifyMatchFailure(op, "integers have no bias");
    for (auto [a, b] : {std::pair(op.getLhs(), op.getRhs()),
                        std::pair(op.getRhs(), op.getLhs())}) {
      auto conv = a.getDefiningOp<ir::ConvOp>();
      if (!conv || conv.getBias() || !conv->hasOneUse() ||
          conv.getType() != op.getType() || !isPerChannel(conv, b))
        continue;
      Value bias = b;
      if (typeOf(bias).getRank() != 1)
        bias = ir::ReshapeOp::create(
            rewriter, op.getLoc(), bias,
            rewriter.getDenseI64ArrayAttr(typeOf(b).getNumElements()));
      Location both = rewriter.getFusedLoc({op.getLoc(), conv.getLoc()});
      auto biased = rewriter.replaceOpWithNewOp<ir::ConvOp>(
          op, op.getType(), conv.getInput(), conv.getKernel(), bias,
          conv.getStridesAttr(), conv.getPadLowAttr(), conv.getPadHighAttr(),
          conv.getDilationsAttr(), conv.getGroupsAttr(), conv.getLayoutAttr());
      biased->setLoc(both);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "adds no bias to a convolution");
  }

private:
  /// Whether `value` broadcasts along all dims but the channels.
  static bool isPerChannel(ir::ConvOp conv, Value value) {
    auto type = typeOf(value);
    auto output = typeOf(conv.getResult());
    int64_t channel = conv.getLayout().getOutput().find('C');
    int64_t missing = output.getRank() - type.getRank();
    if (!type.hasStaticShape() || missing > channel ||
        output.isDynamicDim(channel) ||
        type.getDimSize(channel - missing) != output.getDimSize(channel))
      return false;
    return type.getNumElements() == output.getDimSize(channel);
  }
};

/// A transpose that leaves the dims larger than 1 in their order moves nothing.
/// Special values: all stay, as elements are moved, not computed.
struct TransposeOfUnitDims : OpRewritePattern<ir::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto input = typeOf(op.getInput());
    auto result = typeOf(op.getResult());
    if (!input.hasStaticShape() || !result.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "not static");
    int64_t last = -1;
    for (int64_t dim : op.getPermutation()) {
      if (input.getDimSize(dim) == 1)
        continue;
      if (dim < last)
        return rewriter.notifyMatchFailure(op, "moves elements");
      last = dim;
    }
    rewriter.replaceOpWithNewOp<ir::ReshapeOp>(
        op, result, op.getInput(),
        rewriter.getDenseI64ArrayAttr(result.getShape()));
    return success();
  }
};

/// matmul reads an operand with its last two dims swapped at no cost.
/// Special values: all stay, as the products and their sums are the same.
struct TransposeIntoMatmul : OpRewritePattern<ir::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    ir::TransposeOp lhs = swapOfLastDims(op.getLhs());
    ir::TransposeOp rhs = swapOfLastDims(op.getRhs());
    if (!lhs && !rhs)
      return rewriter.notifyMatchFailure(op, "no operand is transposed");
    rewriter.modifyOpInPlace(op, [&] {
      if (lhs) {
        op.getLhsMutable().assign(lhs.getInput());
        op.setTransposeLhs(!op.getTransposeLhs());
      }
      if (rhs) {
        op.getRhsMutable().assign(rhs.getInput());
        op.setTransposeRhs(!op.getTransposeRhs());
      }
    });
    return success();
  }

private:
  static ir::TransposeOp swapOfLastDims(Value value) {
    auto transpose = value.getDefiningOp<ir::TransposeOp>();
    if (!transpose)
      return {};
    SmallVector<int64_t> permutation(transpose.getPermutation());
    std::swap(permutation.back(), permutation[permutation.size() - 2]);
    for (auto [i, dim] : llvm::enumerate(permutation))
      if (dim != int64_t(i))
        return {};
    return transpose;
  }
};

} // namespace

void populateTransposePatterns(RewritePatternSet &patterns) {
  patterns.add<AddToConvBias, TransposeIntoMatmul, TransposeOfUnitDims>(
      patterns.getContext());
}

} // namespace tandem
