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

/// An element, or the first of several: in memory of one dimension, or in a
/// variable, which has no position.
struct Place {
  Value memory;
  ValueRange position;
};

template <typename Adaptor> Place placeOf(Adaptor adaptor) {
  return {adaptor.getBase(), adaptor.getIndices()};
}
template <> Place placeOf(memref::LoadOp::Adaptor adaptor) {
  return {adaptor.getMemref(), adaptor.getIndices()};
}
template <> Place placeOf(memref::StoreOp::Adaptor adaptor) {
  return {adaptor.getMemref(), adaptor.getIndices()};
}
template <> Place placeOf(vector::ExtractOp::Adaptor adaptor) {
  return {adaptor.getSource(), adaptor.getDynamicPosition()};
}

/// `memory[position]`, or the variable.
LValue element(OpBuilder &builder, Location loc, Place place, Type type) {
  if (auto variable = dyn_cast<LValue>(place.memory))
    return variable;
  return emitc::SubscriptOp::create(builder, loc, emitc::LValueType::get(type),
                                    place.memory, place.position)
      .getResult();
}

/// `memory + position`.
Value address(OpBuilder &builder, Location loc, Place place) {
  Type type = place.memory.getType();
  if (auto array = dyn_cast<emitc::ArrayType>(type))
    type = emitc::PointerType::get(array.getElementType());
  return emitc::AddOp::create(builder, loc, type, place.memory,
                              place.position.front());
}

bool isShared(MemRefType type) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Workgroup;
}

/// A block of more than 256 threads must be told of, or its threads might be
/// given more registers than there are; and so must how many blocks a
/// multiprocessor is to have at once.
SmallVector<StringRef> specifiersOf(func::FuncOp kernel) {
  auto threads = kernel->getAttrOfType<IntegerAttr>("threads");
  auto resident = kernel->getAttrOfType<IntegerAttr>(kResidentBlocksAttrName);
  if (!threads || (threads.getInt() <= 256 && !resident))
    return {"extern \"C\"", "__global__"};
  std::string bounds = "__launch_bounds__(" + std::to_string(threads.getInt());
  if (resident)
    bounds += ", " + std::to_string(resident.getInt());
  StringAttr text = StringAttr::get(kernel.getContext(), bounds + ")");
  return {"extern \"C\"", text.getValue(), "__global__"};
}

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
    kernel.setSpecifiersAttr(rewriter.getStrArrayAttr(specifiersOf(op)));
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
    Type type = this->getTypeConverter()->convertType(op.getType());
    LValue from = element(rewriter, op.getLoc(), placeOf(adaptor), type);
    rewriter.replaceOpWithNewOp<emitc::LoadOp>(op, type, from);
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

/// What is a thread's own, as a variable or a C array; what its block shares,
/// as an array in shared memory.
struct ConvertAlloca : OpConversionPattern<memref::AllocaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(memref::AllocaOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "a type kernels cannot hold");
    auto variable = rewriter.replaceOpWithNewOp<emitc::VariableOp>(
        op, type, emitc::OpaqueAttr::get(getContext(), ""));
    if (isShared(op.getType()))
      variable->setAttr("shared", rewriter.getUnitAttr());
    if (op.getAlignment())
      variable->setAttr("alignment", op.getAlignmentAttr());
    return success();
  }
};

struct ConvertVectorLoad : OpConversionPattern<vector::LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(vector::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Local arrays are stored from directly.
    if (isa<emitc::ArrayType>(adaptor.getBase().getType()) &&
        !isShared(op.getMemRefType())) {
      rewriter.eraseOp(op);
      return success();
    }
    Value from = address(rewriter, op.getLoc(), placeOf(adaptor));
    Type type = getTypeConverter()->convertType(op.getType());
    ArrayAttr width =
        rewriter.getI32ArrayAttr({int32_t(op.getType().getNumElements())});
    rewriter.replaceOpWithNewOp<emitc::CallOpaqueOp>(
        op, type, "load", ValueRange(from), ArrayAttr(), width);
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
    rewriter.replaceOpWithNewOp<emitc::CallOpaqueOp>(op, TypeRange(), "store",
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
}
