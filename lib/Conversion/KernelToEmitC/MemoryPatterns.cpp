//===- MemoryPatterns.cpp - Kernels' functions and memory as CUDA C++ -----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CTypes.h"
#include "Patterns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace tandem::conversion;

namespace {

using LValue = TypedValue<emitc::LValueType>;

/// An element, or the first of several, in memory of one dimension.
struct Place {
  Value memory, position;
};

template <typename Adaptor> Place placeOf(Adaptor adaptor) {
  return {adaptor.getBase(), adaptor.getIndices().front()};
}
template <> Place placeOf(memref::LoadOp::Adaptor adaptor) {
  return {adaptor.getMemref(), adaptor.getIndices().front()};
}
template <> Place placeOf(memref::StoreOp::Adaptor adaptor) {
  return {adaptor.getMemref(), adaptor.getIndices().front()};
}
template <> Place placeOf(vector::ExtractOp::Adaptor adaptor) {
  return {adaptor.getSource(), adaptor.getDynamicPosition().front()};
}

/// `memory[position]`.
LValue element(OpBuilder &builder, Location loc, Place place, Type type) {
  return emitc::SubscriptOp::create(builder, loc, emitc::LValueType::get(type),
                                    place.memory, place.position)
      .getResult();
}

/// `memory + position`.
Value address(OpBuilder &builder, Location loc, Place place) {
  return emitc::AddOp::create(builder, loc, place.memory.getType(),
                              place.memory, place.position);
}

/// gpu.block_id and its like, in dimension x, as CUDA's variables.
template <typename Op> struct ConvertBuiltin : OpConversionPattern<Op> {
  ConvertBuiltin(const TypeConverter &converter, MLIRContext *context,
                 StringRef name)
      : OpConversionPattern<Op>(converter, context), name(name) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getDimension() != gpu::Dimension::x)
      return rewriter.notifyMatchFailure(op, "grids have one dimension");
    Type type = this->getTypeConverter()->convertType(op.getType());
    // Unsigned 32 bits each: one wide operand widens the whole expression.
    std::string text = type.isInteger(64) ? "(long long) " : "";
    rewriter.replaceOpWithNewOp<emitc::LiteralOp>(op, type,
                                                  (text + name).str());
    return success();
  }

  StringRef name;
};

struct ConvertFunction : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    if (failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(),
                                                        signature)))
      return rewriter.notifyMatchFailure(op, "a type kernels cannot hold");
    auto type = rewriter.getFunctionType(signature.getConvertedTypes(), {});
    auto kernel =
        emitc::FuncOp::create(rewriter, op.getLoc(), op.getName(), type);
    kernel.setSpecifiersAttr(
        rewriter.getStrArrayAttr({"extern \"C\"", "__global__"}));
    for (StringRef name : {"blocks", "threads"})
      if (Attribute value = op->getAttr(name))
        kernel->setAttr(name, value);
    rewriter.inlineRegionBefore(op.getBody(), kernel.getBody(), kernel.end());
    if (failed(rewriter.convertRegionTypes(&kernel.getBody(),
                                           *getTypeConverter(), &signature)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertReturn : OpConversionPattern<func::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(func::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<emitc::ReturnOp>(op, Value());
    return success();
  }
};

/// memref.load, and vector.extract, whose vectors are local arrays.
template <typename Op> struct ConvertRead : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LValue from =
        element(rewriter, op.getLoc(), placeOf(adaptor), op.getType());
    rewriter.replaceOpWithNewOp<emitc::LoadOp>(op, op.getType(), from);
    return success();
  }
};

struct ConvertStore : OpConversionPattern<memref::StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value value = adaptor.getValue();
    LValue to =
        element(rewriter, op.getLoc(), placeOf(adaptor), value.getType());
    rewriter.replaceOpWithNewOp<emitc::AssignOp>(op, to, value);
    return success();
  }
};

/// A few elements of a thread's own, as a C array.
struct ConvertAlloca : OpConversionPattern<memref::AllocaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(memref::AllocaOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getType();
    auto array = emitc::ArrayType::get(type.getShape(), type.getElementType());
    rewriter.replaceOpWithNewOp<emitc::VariableOp>(
        op, array, emitc::OpaqueAttr::get(getContext(), ""));
    return success();
  }
};

struct ConvertVectorLoad : OpConversionPattern<vector::LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(vector::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Local arrays are stored from directly.
    if (isa<emitc::ArrayType>(adaptor.getBase().getType())) {
      rewriter.eraseOp(op);
      return success();
    }
    Value from = address(rewriter, op.getLoc(), placeOf(adaptor));
    Type type = getTypeConverter()->convertType(op.getType());
    rewriter.replaceOpWithNewOp<emitc::CallOpaqueOp>(op, type, "load4", from);
    return success();
  }
};

struct ConvertVectorStore : OpConversionPattern<vector::StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(vector::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto load = op.getValueToStore().getDefiningOp<vector::LoadOp>();
    if (!load)
      return rewriter.notifyMatchFailure(op, "only local arrays are stored");
    Value local = rewriter.getRemappedValue(load.getBase());
    Value to = address(rewriter, op.getLoc(), placeOf(adaptor));
    rewriter.replaceOpWithNewOp<emitc::CallOpaqueOp>(op, TypeRange(), "store4",
                                                     ValueRange{to, local});
    return success();
  }
};

} // namespace

void tandem::conversion::populateMemoryPatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ConvertFunction, ConvertReturn, ConvertRead<memref::LoadOp>,
               ConvertRead<vector::ExtractOp>, ConvertStore, ConvertAlloca,
               ConvertVectorLoad, ConvertVectorStore>(converter, context);
  patterns.add<ConvertBuiltin<gpu::BlockIdOp>>(converter, context,
                                               "blockIdx.x");
  patterns.add<ConvertBuiltin<gpu::BlockDimOp>>(converter, context,
                                                "blockDim.x");
  patterns.add<ConvertBuiltin<gpu::ThreadIdOp>>(converter, context,
                                                "threadIdx.x");
}
