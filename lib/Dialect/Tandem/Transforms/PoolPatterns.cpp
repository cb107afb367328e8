//===- PoolPatterns.cpp - Pools of quantized numbers ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimplifyPatterns.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {
namespace {

/// The number in a float constant of one element; nothing for other values.
std::optional<APFloat> getNumber(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) ||
      constant.getNumElements() != 1 ||
      !isa<FloatType>(constant.getElementType()))
    return std::nullopt;
  return constant.getSplatValue<APFloat>();
}

/// The operand of `op`, if a larger operand never gives a smaller result; null
/// otherwise. Rounding does not change that.
Value findMonotoneOperand(Operation *op) {
  if (auto cast = dyn_cast<ir::CastOp>(op))
    return isa<FloatType>(getElementTypeOrSelf(cast.getResult()))
               ? cast.getInput()
               : Value();
  if (!isa<ir::AddOp, ir::SubOp, ir::MulOp, ir::DivOp>(op))
    return {};
  const std::optional<APFloat> number = getNumber(op->getOperand(1));
  if (!number || !number->isFinite() ||
      shapeOf(op->getOperand(0)) != shapeOf(op->getResult(0)))
    return {};
  const bool scales = isa<ir::MulOp, ir::DivOp>(op);
  return scales && (number->isNegative() || number->isZero())
             ? Value()
             : op->getOperand(0);
}

/// The largest of several dequantized numbers is the dequantization of the
/// largest: the pool reads integers of 8 bits, and only its results are
/// dequantized.
struct PoolIntegers : OpRewritePattern<ir::MaxPoolOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ir::MaxPoolOp pool,
                                PatternRewriter &rewriter) const override {
    // With dilation, a window may lie in the padding, and the result for such a
    // window depends on the element type.
    if (llvm::any_of(pool.getDilations(), [](int64_t by) { return by != 1; }))
      return failure();
    SmallVector<Operation *> ops;
    Value source = pool.getInput();
    while (!isByte(source)) {
      Operation *op = source.getDefiningOp();
      source = op ? findMonotoneOperand(op) : Value();
      if (!source)
        return failure();
      ops.push_back(op);
    }
    if (ops.empty())
      return failure();
    IRMapping mapping;
    mapping.map(pool.getInput(), source);
    Operation *narrow = rewriter.clone(*pool, mapping);
    Value result = narrow->getResult(0);
    result.setType(cast<RankedTensorType>(pool.getType())
                       .clone(getElementTypeOrSelf(source)));
    mapping.map(source, result);
    for (Operation *op : llvm::reverse(ops)) {
      result = rewriter.clone(*op, mapping)->getResult(0);
      result.setType(cast<RankedTensorType>(pool.getType())
                         .clone(getElementTypeOrSelf(result)));
    }
    rewriter.replaceOp(pool, result);
    return success();
  }
};

} // namespace

void populatePoolPatterns(RewritePatternSet &patterns) {
  patterns.add<PoolIntegers>(patterns.getContext());
}

} // namespace tandem
