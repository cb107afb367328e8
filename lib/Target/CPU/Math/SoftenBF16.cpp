//===- SoftenBF16.cpp - tandem-cpu-soften-bf16 ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_SOFTENBF16
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// Replaces bf16 by i16, in scalars and vectors. The instructions for bf16 keep
/// their types. Bitcasts convert their operands and results.
struct SoftTypes : TypeConverter {
  SoftTypes() {
    auto bitcast = [](OpBuilder &builder, Type type, ValueRange values,
                      Location loc) -> Value {
      return LLVM::BitcastOp::create(builder, loc, type, values.front());
    };
    addSourceMaterialization(bitcast);
    addTargetMaterialization(bitcast);
    addConversion([](Type type) -> std::optional<Type> {
      if (!getElementTypeOrSelf(type).isBF16())
        return type;
      auto bits = IntegerType::get(type.getContext(), 16);
      if (auto vector = dyn_cast<VectorType>(type))
        return vector.clone(bits);
      return bits;
    });
  }
};

/// Returns constants of bf16 as their bits. Returns other attributes unchanged.
Attribute soften(Attribute attr) {
  auto bits = IntegerType::get(attr.getContext(), 16);
  if (auto elements = dyn_cast<DenseElementsAttr>(attr))
    if (elements.getElementType().isBF16())
      return elements.bitcast(bits);
  if (auto value = dyn_cast<FloatAttr>(attr))
    if (value.getType().isBF16())
      return IntegerAttr::get(bits, value.getValue().bitcastToAPInt());
  return attr;
}

/// Removes bitcasts between bf16 and i16, which are now the same type.
struct DropBitcast : OpConversionPattern<arith::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (adaptor.getIn().getType() != type)
      return failure();
    rewriter.replaceOp(op, adaptor.getIn());
    return success();
  }
};

/// Converts the types of ops that only move elements. Ops that compute with
/// elements have fast-math flags and are not converted. A select has such
/// flags, too, but only moves elements.
struct SoftenMove : ConversionPattern {
  SoftenMove(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/0, context) {}
  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    bool computes =
        isa<arith::ArithFastMathInterface>(op) && !isa<arith::SelectOp>(op);
    if (op->getNumRegions() > 0 || computes)
      return failure();
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    for (Type type : op->getResultTypes())
      state.addTypes(getTypeConverter()->convertType(type));
    for (NamedAttribute attr : op->getAttrs())
      state.addAttribute(attr.getName(), soften(attr.getValue()));
    state.addSuccessors(op->getSuccessors());
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

struct SoftenBF16Pass : impl::SoftenBF16Base<SoftenBF16Pass> {
  void runOnOperation() override {
    SoftTypes types;
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return types.isLegal(op); });
    target.addLegalOp<LLVM::CallIntrinsicOp, LLVM::BitcastOp>();
    RewritePatternSet patterns(&getContext());
    patterns.add<DropBitcast, SoftenMove>(types, &getContext());
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns,
                                                         target);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tandem
