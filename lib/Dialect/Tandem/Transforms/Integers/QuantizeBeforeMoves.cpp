//===- QuantizeBeforeMoves.cpp - tandem-quantize-before-moves -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseChain.h"

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMQUANTIZEBEFOREMOVES
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// A chain of elementwise ops that computes integers of 8 bits from the floats
/// `source`. All other operands of these ops have one element. `ops` are in
/// order.
struct Quantization {
  Value source;
  SmallVector<Operation *> ops;
};

/// Returns the only operand with more than one element, if it has the shape of
/// the result; null otherwise.
Value findVaryingOperand(Operation *op) {
  Value varying;
  for (Value operand : op->getOperands()) {
    if (hasOneElement(operand))
      continue;
    if (varying || shapeOf(operand) != shapeOf(op->getResult(0)))
      return nullptr;
    varying = operand;
  }
  return varying;
}

/// Finds the longest chain that ends with `last`. No op outside the chain reads
/// `source` or a value of the chain.
Quantization findQuantization(Operation *last) {
  Quantization found;
  for (Operation *op = last;
       op && isa<ir::ElementwiseOpInterface>(op) && op->getNumResults() == 1;
       op = found.source.getDefiningOp()) {
    Value operand = findVaryingOperand(op);
    // Integers that are quantized again begin another chain.
    if (!operand || !isa<FloatType>(getElementTypeOrSelf(operand)) ||
        !operand.hasOneUse())
      break;
    found.source = operand;
    found.ops.push_back(op);
  }
  std::reverse(found.ops.begin(), found.ops.end());
  return found;
}

/// Whether the op only copies elements, and the result has each of them at
/// least once.
bool isMove(Operation *op) {
  if (auto resize = dyn_cast_or_null<ir::ResizeOp>(op))
    return resize.getMode() == ir::ResizeMode::nearest &&
           resize.getCoordinates() !=
               ir::ResizeCoordinates::tf_crop_and_resize &&
           resize.getScales() &&
           llvm::all_of(*resize.getScales(),
                        [](double scale) { return scale >= 1; });
  return isa_and_nonnull<ir::ReshapeOp, ir::TransposeOp, ir::ConcatOp,
                         ir::BroadcastOp>(op);
}

/// Quantizes the operands of `move` instead of its result. Returns the op that
/// moves the integers.
Operation *quantizeOperands(Operation *move, const Quantization &quantization) {
  Operation *last = quantization.ops.back();
  OpBuilder builder(last);
  IRMapping operands;
  for (Value operand : move->getOperands()) {
    if (operands.contains(operand))
      continue;
    IRMapping mapping;
    mapping.map(quantization.source, operand);
    operands.map(operand, cloneForShape(builder, quantization.ops, mapping,
                                        shapeOf(operand)));
  }
  Operation *moved = builder.clone(*move, operands);
  moved->getResult(0).setType(last->getResult(0).getType());
  last->replaceAllUsesWith(moved);
  for (Operation *op : llvm::reverse(quantization.ops))
    op->erase();
  move->erase();
  return moved;
}

struct QuantizeBeforeMoves
    : impl::TandemQuantizeBeforeMovesBase<QuantizeBeforeMoves> {
  void runOnOperation() override {
    SmallVector<Operation *> casts;
    getOperation()->walk([&](ir::CastOp cast) {
      if (isByte(cast.getResult()))
        casts.push_back(cast);
    });
    while (!casts.empty())
      visit(casts.pop_back_val(), casts);
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  /// Quantizes before the move that `cast` reads through its chain, if there is
  /// one. The casts of the operands are added to `casts`, because other moves
  /// may come before them.
  void visit(Operation *cast, SmallVectorImpl<Operation *> &casts) {
    const Quantization found = findQuantization(cast);
    Operation *move = found.source ? found.source.getDefiningOp() : nullptr;
    if (!isMove(move) || move->getBlock() != cast->getBlock())
      return;
    for (Value operand : quantizeOperands(move, found)->getOperands())
      if (!llvm::is_contained(casts, operand.getDefiningOp()))
        casts.push_back(operand.getDefiningOp());
  }
};

} // namespace
} // namespace tandem
