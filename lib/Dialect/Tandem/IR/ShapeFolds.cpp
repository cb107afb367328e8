//===- ShapeFolds.cpp - Algebra of ops that move elements -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "tandem/Dialect/Tandem/IR/Rearrange.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

using namespace mlir;
using namespace tandem::ir;

//===----------------------------------------------------------------------===//
// reshape, transpose
//===----------------------------------------------------------------------===//

/// To its own shape, of a reshape, and of a constant.
OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // With one dim unknown at most, equal types are equal shapes.
  if (getType().getNumDynamicDims() <= 1)
    if (Value same = asResultOf(*this, getInput()))
      return same;
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  auto constant = dyn_cast_or_null<ElementsAttr>(adaptor.getInput());
  if (constant && getType().hasStaticShape())
    return reshape(constant, getType());
  return {};
}

/// By the identity, and of a transpose.
OpFoldResult TransposeOp::fold(FoldAdaptor) {
  auto dims = llvm::seq<int64_t>(0, getPermutation().size());
  if (llvm::equal(getPermutation(), dims))
    return asResultOf(*this, getInput());
  auto inner = getInput().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> composed;
  for (int64_t dim : getPermutation())
    composed.push_back(inner.getPermutation()[dim]);
  setPermutation(composed);
  getInputMutable().assign(inner.getInput());
  return getResult();
}

//===----------------------------------------------------------------------===//
// broadcast, slice, pad
//===----------------------------------------------------------------------===//

/// To its own type: the dims, if in order, stay where they are.
OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  if (getType().hasStaticShape() && llvm::is_sorted(getDims()))
    return asResultOf(*this, getInput());
  return {};
}

/// Of everything, and of a slice.
OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (!getInput().getType().hasStaticShape())
    return {};
  if (Value same = asResultOf(*this, getInput()))
    return same;
  auto inner = getInput().getDefiningOp<SliceOp>();
  if (!inner || !inner.getInput().getType().hasStaticShape())
    return {};
  SmallVector<int64_t> starts, limits, strides;
  for (int64_t i = 0, rank = getType().getRank(); i < rank; ++i) {
    SliceRange first = resolveSlice(inner.getInput().getType().getDimSize(i),
                                    inner.getStarts()[i], inner.getLimits()[i],
                                    inner.getStrides()[i]);
    SliceRange second = resolveSlice(first.size, getStarts()[i], getLimits()[i],
                                     getStrides()[i]);
    // The start of nothing and the stride of less than two elements mean
    // nothing, and might overflow.
    int64_t start = first.start, stride = 1;
    if (second.size > 0)
      start += second.start * inner.getStrides()[i];
    if (second.size > 1)
      stride = inner.getStrides()[i] * getStrides()[i];
    starts.push_back(start);
    limits.push_back(second.size == 0 ? start
                                      : start + (second.size - 1) * stride + 1);
    strides.push_back(stride);
  }
  setStarts(starts);
  setLimits(limits);
  setStrides(strides);
  getInputMutable().assign(inner.getInput());
  return getResult();
}

/// By nothing.
OpFoldResult PadOp::fold(FoldAdaptor) {
  auto isZero = [](int64_t count) { return count == 0; };
  if (llvm::all_of(getLow(), isZero) && llvm::all_of(getHigh(), isZero) &&
      llvm::all_of(getInterior(), isZero))
    return asResultOf(*this, getInput());
  return {};
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

/// Of one tensor.
OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? asResultOf(*this, getInputs()[0]) : Value();
}

/// Leaves out empty operands and takes in those of concats along the same dim.
static LogicalResult flattenConcat(ConcatOp op, PatternRewriter &rewriter) {
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

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  patterns.add(flattenConcat);
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// Along no dim.
OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getDims().empty() ? asResultOf(*this, getInput()) : Value();
}

/// Along dims of size 1, all but an argmax only drops them.
static LogicalResult reduceToReshape(ReduceOp op, PatternRewriter &rewriter) {
  RankedTensorType from = op.getInput().getType(), to = op.getType();
  bool isTrivial = llvm::all_of(
      op.getDims(), [&](int64_t dim) { return from.getDimSize(dim) == 1; });
  if (!isTrivial || op.getKind() == ReduceKind::argmax || !to.hasStaticShape())
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, to, op.getInput(), to.getShape());
  return success();
}

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  patterns.add(reduceToReshape);
}
