//===- DecomposeSoftmax.cpp - tandem-decompose-softmax --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/Builders.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMDECOMPOSESOFTMAX
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// Reduces `value` along dim `axis`, which stays with size 1.
Value reduceAxis(OpBuilder &builder, Location loc, Value value,
                 ir::ReduceKind kind, uint64_t axis) {
  return ir::ReduceOp::create(
      builder, loc, value, kind,
      builder.getDenseI64ArrayAttr(static_cast<int64_t>(axis)),
      /*keep_dims=*/true);
}

/// Casts a tensor of 16-bit floats to f32, and leaves others as they are.
Value toComputed(OpBuilder &builder, Location loc, Value value) {
  if (getElementTypeOrSelf(value).getIntOrFloatBitWidth() >= 32)
    return value;
  return ir::CastOp::create(builder, loc, value, builder.getF32Type());
}

/// Replaces `op` by `result`, which is cast to the element type of `op`.
void replaceByComputed(OpBuilder &builder, Operation *op, Value result) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (getElementTypeOrSelf(result) != element)
    result = ir::CastOp::create(builder, op->getLoc(), result, element);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// exp(x - m) * (1 / sum(exp(x - m))), m being the largest element of a row.
/// Special values: a row that has NaN or inf, or nothing but -inf, is all NaN,
/// as x - m is NaN for one of its elements. Every other sum is at least 1, so
/// that its reciprocal is a normal number; -inf gives 0.
void decompose(ir::SoftmaxOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value x = toComputed(builder, loc, op.getInput());
  Type computed = getElementTypeOrSelf(x);
  Value largest =
      reduceAxis(builder, loc, x, ir::ReduceKind::max, op.getAxis());
  Value distance = ir::SubOp::create(builder, loc, x, largest);
  Value exponential = ir::ExpOp::create(builder, loc, distance);
  Value sum =
      reduceAxis(builder, loc, exponential, ir::ReduceKind::sum, op.getAxis());
  // A product per element in place of a quotient: the sum is at least one, so
  // that its reciprocal is off by half a unit in the last place only.
  Value one = ir::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, computed),
                             builder.getFloatAttr(computed, 1.0)));
  Value reciprocal = ir::DivOp::create(builder, loc, one, sum);
  replaceByComputed(builder, op,
                    ir::MulOp::create(builder, loc, exponential, reciprocal));
}

/// y * (g - sum(g * y)).
/// Special values: those of the op, which is defined by this formula.
void decompose(ir::SoftmaxBackwardOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value y = toComputed(builder, loc, op.getSoftmax());
  Value g = toComputed(builder, loc, op.getGradient());
  Value product = ir::MulOp::create(builder, loc, g, y);
  Value sum =
      reduceAxis(builder, loc, product, ir::ReduceKind::sum, op.getAxis());
  Value difference = ir::SubOp::create(builder, loc, g, sum);
  replaceByComputed(builder, op,
                    ir::MulOp::create(builder, loc, y, difference));
}

/// Returns true if the op is decomposed. An empty softmax has no largest
/// element, and fusion has decided about an op in a fusion.
bool isDecomposed(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return type.hasStaticShape() && type.getNumElements() > 0 &&
         !isa<ir::FusionOp>(op->getParentOp());
}

struct DecomposeSoftmaxPass
    : impl::TandemDecomposeSoftmaxBase<DecomposeSoftmaxPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<ir::SoftmaxOp, ir::SoftmaxBackwardOp>(op) && isDecomposed(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto softmax = dyn_cast<ir::SoftmaxOp>(op))
        decompose(softmax);
      else
        decompose(cast<ir::SoftmaxBackwardOp>(op));
    }
  }
};

} // namespace
} // namespace tandem
