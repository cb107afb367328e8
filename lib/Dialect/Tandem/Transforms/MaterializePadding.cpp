//===- MaterializePadding.cpp - tandem-materialize-padding ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/ConvPadding.h"
#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Fusion/BackendChoice.h"

#include "mlir/IR/Builders.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMMATERIALIZEPADDING
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {

bool isPadded(ir::ConvOp op) {
  auto isPositive = [](int64_t pad) { return pad > 0; };
  return llvm::any_of(op.getPadLow(), isPositive) ||
         llvm::any_of(op.getPadHigh(), isPositive);
}

/// Padding per spatial dim, in D, H, W order, as padding of every dim.
static SmallVector<int64_t> spread(ArrayRef<int64_t> pads, StringRef layout) {
  constexpr StringRef kSpatial = "DHW";
  StringRef spatial = kSpatial.take_back(pads.size());
  SmallVector<int64_t> all(layout.size(), 0);
  for (auto [letter, pad] : llvm::zip_equal(spatial, pads))
    all[layout.find(letter)] = pad;
  return all;
}

Value createPadding(OpBuilder &builder, ir::ConvOp op, Value data,
                    double value) {
  StringRef layout = op.getLayout().getInput();
  auto spreadAttr = [&](ArrayRef<int64_t> pads) {
    return builder.getDenseI64ArrayAttr(spread(pads, layout));
  };
  SmallVector<int64_t> none(layout.size(), 0);
  return ir::PadOp::create(
      builder, op.getLoc(), data, spreadAttr(op.getPadLow()),
      spreadAttr(op.getPadHigh()), builder.getDenseI64ArrayAttr(none),
      builder.getF64FloatAttr(value));
}

/// Special values: zeros add nothing where the weights on them are finite, and
/// where not, padding may add NaN (conv S1).
void padExplicitly(OpBuilder &builder, ir::ConvOp op) {
  op.getInputMutable().assign(createPadding(builder, op, op.getInput(), 0));
  SmallVector<int64_t> dense(op.getPadLow().size(), 0);
  op.setPadLow(dense);
  op.setPadHigh(dense);
}

namespace {

struct MaterializePaddingPass
    : impl::TandemMaterializePaddingBase<MaterializePaddingPass> {
  using TandemMaterializePaddingBase::TandemMaterializePaddingBase;

  void runOnOperation() override {
    getOperation()->walk([&](ir::ConvOp op) {
      OpBuilder builder(op);
      if (isPadded(op) && !getBackendChoice(op) && pays(op))
        padExplicitly(builder, op);
    });
  }

private:
  /// Light enough to become part of a loop, and with a small input.
  bool pays(ir::ConvOp op) {
    auto input = cast<RankedTensorType>(op.getInput().getType());
    auto result = cast<RankedTensorType>(op.getResult().getType());
    FailureOr<OpCost> cost = op.getCost();
    return succeeded(cost) && cost->reads > 1 && cost->reads <= maxReads &&
           input.getNumElements() <= result.getNumElements() / 4;
  }
};

} // namespace
} // namespace tandem
