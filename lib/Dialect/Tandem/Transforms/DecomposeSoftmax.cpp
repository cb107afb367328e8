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

/// exp(x - m) * (1 / sum(exp(x - m))), m being the largest element of a row.
/// Special values: a row that has NaN or inf, or nothing but -inf, is all NaN,
/// as x - m is NaN for one of its elements. Every other sum is at least 1, so
/// that its reciprocal is a normal number; -inf gives 0.
void decompose(ir::SoftmaxOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Type element = type.getElementType();
  bool isHalf = element.getIntOrFloatBitWidth() < 32;
  Type computed = isHalf ? builder.getF32Type() : element;
  Value x = op.getInput();
  if (isHalf)
    x = ir::CastOp::create(builder, loc, x, computed);
  auto reduce = [&](Value value, ir::ReduceKind kind) {
    return ir::ReduceOp::create(
        builder, loc, value, kind,
        builder.getDenseI64ArrayAttr(static_cast<int64_t>(op.getAxis())),
        /*keep_dims=*/true);
  };
  Value largest = reduce(x, ir::ReduceKind::max);
  Value distance = ir::SubOp::create(builder, loc, x, largest);
  Value exponential = ir::ExpOp::create(builder, loc, distance);
  Value sum = reduce(exponential, ir::ReduceKind::sum);
  // A product per element in place of a quotient: the sum is at least one, so
  // that its reciprocal is off by half a unit in the last place only.
  Value one = ir::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, computed),
                             builder.getFloatAttr(computed, 1.0)));
  Value reciprocal = ir::DivOp::create(builder, loc, one, sum);
  Value result = ir::MulOp::create(builder, loc, exponential, reciprocal);
  if (isHalf)
    result = ir::CastOp::create(builder, loc, result, element);
  op.replaceAllUsesWith(result);
  op.erase();
}

struct DecomposeSoftmaxPass
    : impl::TandemDecomposeSoftmaxBase<DecomposeSoftmaxPass> {
  void runOnOperation() override {
    SmallVector<ir::SoftmaxOp> ops;
    getOperation()->walk([&](ir::SoftmaxOp op) {
      // There is no largest of no elements. What is in a fusion has been
      // decided.
      auto type = cast<RankedTensorType>(op.getInput().getType());
      if (type.hasStaticShape() && type.getNumElements() > 0 &&
          !isa<ir::FusionOp>(op->getParentOp()))
        ops.push_back(op);
    });
    for (ir::SoftmaxOp op : ops)
      decompose(op);
  }
};

} // namespace
} // namespace tandem
