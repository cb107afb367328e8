//===- ShapeFolds.cpp - Algebra of ops that move elements -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;

//===----------------------------------------------------------------------===//
// reshape, transpose
//===----------------------------------------------------------------------===//

/// A reshape to the shape that the operand has.
/// Special values: all stay, as elements are moved, not computed.
OpFoldResult folds::reshapeToSameShape(Operation *op, Operands) {
  // With one dim unknown at most, equal types are equal shapes.
  if (cast<ReshapeOp>(op).getType().getNumDynamicDims() > 1)
    return {};
  return asResultOf(op, op->getOperand(0));
}

/// A reshape of a reshape.
/// Special values: all stay, as elements are moved, not computed.
OpFoldResult folds::reshapeOfReshape(Operation *op, Operands) {
  auto inner = op->getOperand(0).getDefiningOp<ReshapeOp>();
  if (!inner)
    return {};
  op->setOperand(0, inner.getInput());
  return op->getResult(0);
}

/// A reshape of a constant.
/// Special values: all stay, as elements are moved, not computed.
OpFoldResult folds::reshapeOfConstant(Operation *op, Operands operands) {
  RankedTensorType type = cast<ReshapeOp>(op).getType();
  auto constant = dyn_cast_or_null<ElementsAttr>(operands[0]);
  if (!constant || !type.hasStaticShape())
    return {};
  return reshape(constant, type);
}

/// A transpose by the identity.
/// Special values: all stay, as elements are moved, not computed.
OpFoldResult folds::transposeByIdentity(Operation *op, Operands) {
  ArrayRef<int64_t> permutation = cast<TransposeOp>(op).getPermutation();
  if (!llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return {};
  return asResultOf(op, op->getOperand(0));
}

/// A transpose of a transpose.
/// Special values: all stay, as elements are moved, not computed.
OpFoldResult folds::transposeOfTranspose(Operation *op, Operands) {
  auto outer = cast<TransposeOp>(op);
  auto inner = outer.getInput().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> composed;
  for (int64_t dim : outer.getPermutation())
    composed.push_back(inner.getPermutation()[dim]);
  outer.setPermutation(composed);
  outer.getInputMutable().assign(inner.getInput());
  return outer.getResult();
}

//===----------------------------------------------------------------------===//
// broadcast, slice, pad
//===----------------------------------------------------------------------===//

/// A broadcast to the operand's own type: the dims, if in order, stay where
/// they are.
/// Special values: all stay, as elements are moved, not computed.
OpFoldResult folds::broadcastToSameType(Operation *op, Operands) {
  auto broadcast = cast<BroadcastOp>(op);
  if (!broadcast.getType().hasStaticShape() ||
      !llvm::is_sorted(broadcast.getDims()))
    return {};
  return asResultOf(op, broadcast.getInput());
}

/// A slice of everything.
/// Special values: all stay, as elements are moved, not computed.
OpFoldResult folds::sliceOfEverything(Operation *op, Operands) {
  auto slice = cast<SliceOp>(op);
  if (!slice.getInput().getType().hasStaticShape())
    return {};
  return asResultOf(op, slice.getInput());
}

/// Composes dim `i` of the two slices and appends the result to the attributes
/// of a slice of the operand of `inner`, whose dim `i` has the size `size`.
static void composeSlices(SliceOp inner, SliceOp outer, unsigned i,
                          int64_t size, SmallVector<int64_t> (&attributes)[3]) {
  SliceRange first = resolveSlice(size, inner.getStarts()[i],
                                  inner.getLimits()[i], inner.getStrides()[i]);
  SliceRange second = resolveSlice(first.size, outer.getStarts()[i],
                                   outer.getLimits()[i], outer.getStrides()[i]);
  // If the slice is empty, its start has no meaning, and if it has fewer than
  // two elements, its stride has none. Computing them might overflow.
  int64_t start = first.start, stride = 1;
  if (second.size > 0)
    start += second.start * inner.getStrides()[i];
  if (second.size > 1)
    stride = inner.getStrides()[i] * outer.getStrides()[i];
  attributes[0].push_back(start);
  attributes[1].push_back(
      second.size == 0 ? start : start + (second.size - 1) * stride + 1);
  attributes[2].push_back(stride);
}

/// A slice of a slice.
/// Special values: all stay, as elements are moved, not computed.
OpFoldResult folds::sliceOfSlice(Operation *op, Operands) {
  auto outer = cast<SliceOp>(op);
  auto inner = outer.getInput().getDefiningOp<SliceOp>();
  if (!inner || !inner.getInput().getType().hasStaticShape() ||
      !inner.getType().hasStaticShape() || !outer.getType().hasStaticShape())
    return {};
  SmallVector<int64_t> attributes[3];
  for (auto [i, size] : llvm::enumerate(inner.getInput().getType().getShape()))
    composeSlices(inner, outer, i, size, attributes);
  outer.setStarts(attributes[0]);
  outer.setLimits(attributes[1]);
  outer.setStrides(attributes[2]);
  outer.getInputMutable().assign(inner.getInput());
  return outer.getResult();
}

/// A padding by nothing.
/// Special values: all stay, as elements are moved, not computed.
OpFoldResult folds::padByNothing(Operation *op, Operands) {
  auto pad = cast<PadOp>(op);
  auto isZero = [](int64_t count) { return count == 0; };
  if (!llvm::all_of(pad.getLow(), isZero) ||
      !llvm::all_of(pad.getHigh(), isZero) ||
      !llvm::all_of(pad.getInterior(), isZero))
    return {};
  return asResultOf(op, pad.getInput());
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

/// A concat of one tensor.
/// Special values: all stay, as elements are moved, not computed.
OpFoldResult folds::concatOfOne(Operation *op, Operands) {
  return op->getNumOperands() == 1 ? asResultOf(op, op->getOperand(0))
                                   : Value();
}

namespace {
/// Leaves out empty operands and takes in those of concats along the same dim.
/// Special values: all stay, as elements are moved, not computed.
struct FlattenConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    int64_t axis = op.getAxis();
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatOp>();
      if (inner && static_cast<int64_t>(inner.getAxis()) == axis)
        llvm::append_range(inputs, inner.getInputs());
      else if (cast<RankedTensorType>(input.getType()).getDimSize(axis) != 0)
        inputs.push_back(input);
    }
    if (inputs.empty() || llvm::equal(inputs, op.getInputs()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
    return success();
  }
};
} // namespace

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FlattenConcat>(context);
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// Whether a reduction of one element makes 0.0 of -0.0: sums begin at 0.0.
static bool losesSignOfZero(ReduceOp op) {
  return isa<FloatType>(op.getType().getElementType()) &&
         (op.getKind() == ReduceKind::sum || op.getKind() == ReduceKind::mean);
}

/// A reduction along no dim.
/// Special values: all stay. Not a sum or mean of floats, as -0.0 would stay,
/// too.
OpFoldResult folds::reduceAlongNothing(Operation *op, Operands) {
  auto reduce = cast<ReduceOp>(op);
  if (!reduce.getDims().empty() || losesSignOfZero(reduce))
    return {};
  return asResultOf(op, op->getOperand(0));
}

namespace {
/// Along dims of size 1, all but an argmax only drops them.
/// Special values: all stay, except that 0.0 is added to sums and means of
/// floats, which begin at 0.0: of -0.0 they are 0.0.
struct ReduceToReshape : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType from = op.getInput().getType(), to = op.getType();
    bool isTrivial = llvm::all_of(
        op.getDims(), [&](int64_t dim) { return from.getDimSize(dim) == 1; });
    if (!isTrivial || op.getKind() == ReduceKind::argmax ||
        !to.hasStaticShape())
      return failure();
    Value input = op.getInput();
    if (losesSignOfZero(op)) {
      Value zero = ConstantOp::create(
          rewriter, op.getLoc(),
          getSplat(RankedTensorType::get({}, to.getElementType()), 0));
      input = AddOp::create(rewriter, op.getLoc(), from, input, zero);
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, to, input, to.getShape());
    return success();
  }
};
} // namespace

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ReduceToReshape>(context);
}
