//===- ShapeOps.cpp - Ops that move elements ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

void ReshapeOp::describeAttrs(Adaptor op, fb::ReshapeAttrsT &attrs) {
  attrs.shape = toVector(op.getShape());
}

/// Maps an index by way of the element's row-major position. Groups of dims
/// with the same product of sizes on both sides are mapped separately, so that
/// a reshape that splits, joins or adds dims has no more divisions than
/// necessary.
AffineMap ReshapeOp::getOperandIndexing(unsigned) {
  RankedTensorType from = getInput().getType(), to = getType();
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return {};
  MLIRContext *context = getContext();
  SmallVector<AffineExpr> exprs(from.getRank());
  int64_t i = from.getRank() - 1, r = to.getRank() - 1;
  while (i >= 0) {
    // The smallest run of trailing dims of both that holds as many elements.
    int64_t firstI = i, firstR = r + 1;
    int64_t operandSize = from.getDimSize(i), resultSize = 1;
    while (operandSize != resultSize) {
      if (resultSize < operandSize && firstR > 0)
        resultSize *= to.getDimSize(--firstR);
      else if (firstI > 0)
        operandSize *= from.getDimSize(--firstI);
      else
        return {}; // An empty tensor.
    }
    AffineExpr position = getAffineConstantExpr(0, context);
    for (int64_t d = firstR; d <= r; ++d)
      if (int64_t size = to.getDimSize(d); size != 1)
        position = position * size + getAffineDimExpr(d, context);
    for (int64_t d = i; d > firstI; --d) {
      exprs[d] = position % from.getDimSize(d);
      position = position.floorDiv(from.getDimSize(d));
    }
    exprs[firstI] = position;
    i = firstI - 1;
    r = firstR - 1;
  }
  return AffineMap::get(to.getRank(), 0, exprs, context);
}

//===----------------------------------------------------------------------===//
// transpose, broadcast, slice
//===----------------------------------------------------------------------===//

void TransposeOp::describeAttrs(Adaptor op, fb::TransposeAttrsT &attrs) {
  attrs.permutation = toVector(op.getPermutation());
}

AffineMap TransposeOp::getOperandIndexing(unsigned) {
  SmallVector<AffineExpr> exprs(getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    exprs[dim] = getAffineDimExpr(i, getContext());
  return AffineMap::get(exprs.size(), 0, exprs, getContext());
}

void BroadcastOp::describeAttrs(Adaptor op, fb::BroadcastAttrsT &attrs) {
  attrs.shape = toVector(op.getShape());
  attrs.dims = toVector(op.getDims());
}

AffineMap BroadcastOp::getOperandIndexing(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    int64_t size = getInput().getType().getDimSize(i);
    if (ShapedType::isDynamic(size))
      return {};
    exprs.push_back(size == 1 ? getAffineConstantExpr(0, getContext())
                              : getAffineDimExpr(dim, getContext()));
  }
  return AffineMap::get(getShape().size(), 0, exprs, getContext());
}

void SliceOp::describeAttrs(Adaptor op, fb::SliceAttrsT &attrs) {
  attrs.starts = toVector(op.getStarts());
  attrs.limits = toVector(op.getLimits());
  attrs.strides = toVector(op.getStrides());
}

AffineMap SliceOp::getOperandIndexing(unsigned) {
  RankedTensorType from = getInput().getType();
  if (!from.hasStaticShape())
    return {};
  SmallVector<AffineExpr> exprs;
  for (auto [i, size, start, limit, stride] : llvm::enumerate(
           from.getShape(), getStarts(), getLimits(), getStrides())) {
    SliceRange range = resolveSlice(size, start, limit, stride);
    AffineExpr expr = getAffineConstantExpr(range.start, getContext());
    if (range.size > 1)
      expr = getAffineDimExpr(i, getContext()) * stride + expr;
    exprs.push_back(expr);
  }
  return AffineMap::get(from.getRank(), 0, exprs, getContext());
}

//===----------------------------------------------------------------------===//
// pad, concat, gather
//===----------------------------------------------------------------------===//

void PadOp::describeAttrs(Adaptor op, fb::PadAttrsT &attrs) {
  attrs.low = toVector(op.getLow());
  attrs.high = toVector(op.getHigh());
  attrs.interior = toVector(op.getInterior());
  attrs.value = op.getValue().convertToDouble();
}

void ConcatOp::describeAttrs(Adaptor op, fb::AxisAttrsT &attrs) {
  attrs.axis = op.getAxis();
}

void GatherOp::describeAttrs(Adaptor op, fb::GatherAttrsT &attrs) {
  attrs.axis = op.getAxis();
}

bool ir::isLookup(Operation *op) {
  auto gather = dyn_cast<GatherOp>(op);
  return gather && gather.getInput().getType().getRank() == 1;
}

//===----------------------------------------------------------------------===//
// iota, random, stop_gradient, constant
//===----------------------------------------------------------------------===//

OpDesc IotaOp::getOpDesc() {
  fb::IotaAttrsT attrs;
  attrs.axis = getAxis();
  attrs.type =
      std::make_unique<fb::TensorTypeT>(toFlat(toTandemType(getType())));
  OpDesc desc;
  desc.kind = OpKind::iota;
  desc.attrs.Set(std::move(attrs));
  return desc;
}

void RandomOp::describeAttrs(Adaptor op, fb::RandomAttrsT &attrs) {
  attrs.shape = toVector(op.getShape());
}

AffineMap StopGradientOp::getOperandIndexing(unsigned) {
  return AffineMap::getMultiDimIdentityMap(
      cast<RankedTensorType>(getInput().getType()).getRank(), getContext());
}

LogicalResult IotaOp::verify() { return ir::detail::verifyResultTypes(*this); }

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
