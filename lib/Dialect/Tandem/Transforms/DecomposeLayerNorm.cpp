//===- DecomposeLayerNorm.cpp - tandem-decompose-layer-norm ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMDECOMPOSELAYERNORM
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// Builds the ops that replace a layer_norm or a layer_norm_backward.
class LayerNormDecomposition {
public:
  /// `input` and `scale` are operands of `op`. The statistics of `op` have the
  /// element type `computed`.
  LayerNormDecomposition(Operation *op, Value input, Value scale, Type computed)
      : op(op), builder(op), computed(computed) {
    const int64_t rank = typeOf(input).getRank();
    const int64_t first = rank - typeOf(scale).getRank();
    for (int64_t dim = 0; dim < rank; ++dim)
      (dim < first ? outer : inner).push_back(dim);
  }

  Value widen(Value x) { return castTo(x, computed); }
  Value add(Value x, Value y) { return create<ir::AddOp>(x, y); }
  Value sub(Value x, Value y) { return create<ir::SubOp>(x, y); }
  Value mul(Value x, Value y) { return create<ir::MulOp>(x, y); }
  /// The mean of each line, which stays with size 1.
  Value mean(Value x) {
    return create<ir::ReduceOp>(x, ir::ReduceKind::mean,
                                builder.getDenseI64ArrayAttr(inner),
                                /*keep_dims=*/true);
  }
  /// The sum of all lines.
  Value sumOfLines(Value x) {
    return outer.empty()
               ? x
               : create<ir::ReduceOp>(x, ir::ReduceKind::sum,
                                      builder.getDenseI64ArrayAttr(outer),
                                      /*keep_dims=*/false);
  }
  /// 1 / sqrt(variance + epsilon).
  Value inverseDeviation(Value variance, double epsilon) {
    Value shift = create<ir::ConstantOp>(
        DenseElementsAttr::get(RankedTensorType::get({}, computed),
                               builder.getFloatAttr(computed, epsilon)));
    return create<ir::RsqrtOp>(add(variance, shift));
  }
  void replaceBy(ArrayRef<Value> results) {
    for (auto [old, result] : llvm::zip_equal(op->getResults(), results))
      if (!old.use_empty())
        old.replaceAllUsesWith(castTo(result, getElementTypeOrSelf(old)));
    op->erase();
  }

private:
  template <typename Op, typename... Args> Value create(Args &&...args) {
    return Op::create(builder, op->getLoc(), std::forward<Args>(args)...);
  }
  Value castTo(Value x, Type element) {
    return getElementTypeOrSelf(x) == element ? x
                                              : create<ir::CastOp>(x, element);
  }

  Operation *op;
  OpBuilder builder;
  Type computed;
  SmallVector<int64_t> outer, inner;
};

/// Special values: those of the op, which is defined by this formula.
void decompose(ir::LayerNormOp op) {
  LayerNormDecomposition d(op, op.getInput(), op.getScale(),
                           getElementTypeOrSelf(op.getMean()));
  Value x = d.widen(op.getInput()), mean = d.mean(x), centered = d.sub(x, mean);
  Value variance = d.mean(d.mul(centered, centered));
  Value s = d.inverseDeviation(variance, op.getEpsilon().convertToDouble());
  Value y = d.mul(d.mul(centered, s), d.widen(op.getScale()));
  d.replaceBy({d.add(y, d.widen(op.getOffset())), mean, s});
}

/// Special values: those of the op, which is defined by this formula.
void decompose(ir::LayerNormBackwardOp op) {
  LayerNormDecomposition d(op, op.getInput(), op.getScale(),
                           getElementTypeOrSelf(op.getMean()));
  Value g = d.widen(op.getGradient()), s = op.getInverseDeviation();
  Value x = d.mul(d.sub(d.widen(op.getInput()), op.getMean()), s);
  Value h = d.mul(g, d.widen(op.getScale()));
  Value distance = d.sub(h, d.mean(h));
  Value ofInput = d.mul(d.sub(distance, d.mul(x, d.mean(d.mul(h, x)))), s);
  d.replaceBy({ofInput, d.sumOfLines(d.mul(g, x)), d.sumOfLines(g)});
}

struct DecomposeLayerNormPass
    : impl::TandemDecomposeLayerNormBase<DecomposeLayerNormPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<ir::LayerNormOp, ir::LayerNormBackwardOp>(op) &&
          hasStaticTypes(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto norm = dyn_cast<ir::LayerNormOp>(op))
        decompose(norm);
      else
        decompose(cast<ir::LayerNormBackwardOp>(op));
    }
  }
};

} // namespace
} // namespace tandem
