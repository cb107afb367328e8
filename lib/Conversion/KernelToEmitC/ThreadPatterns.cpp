//===- ThreadPatterns.cpp - Threads, and what they do together ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace tandem::conversion;

namespace {

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
    // A variable of a signed type: CUDA's are unsigned, and would make all that
    // they are part of unsigned, too.
    Type type = this->getTypeConverter()->convertType(op.getType());
    rewriter.replaceOpWithNewOp<emitc::ConstantOp>(
        op, type, emitc::OpaqueAttr::get(op.getContext(), name));
    return success();
  }

  StringRef name;
};

/// gpu.shuffle among all lanes of a warp, of whose two results the second,
/// which says whether the lane is there, is not used.
struct ConvertShuffle : OpConversionPattern<gpu::ShuffleOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getMode() != gpu::ShuffleMode::XOR || !op.getValid().use_empty())
      return rewriter.notifyMatchFailure(op, "only butterflies are shuffled");
    Type type =
        getTypeConverter()->convertType(op.getShuffleResult().getType());
    Value all = emitc::LiteralOp::create(rewriter, op.getLoc(),
                                         rewriter.getIntegerType(32, false),
                                         "0xffffffff");
    auto call = emitc::CallOpaqueOp::create(
        rewriter, op.getLoc(), type, "__shfl_xor_sync",
        ValueRange{all, adaptor.getValue(), adaptor.getOffset()});
    rewriter.replaceOp(op, {call.getResult(0), Value()});
    return success();
  }
};

struct ConvertBarrier : OpConversionPattern<gpu::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<emitc::CallOpaqueOp>(
        op, TypeRange(), "__syncthreads", ValueRange());
    return success();
  }
};

/// A loop that carries no value, with what it says of its unrolling, which
/// upstream's pattern drops.
struct ConvertLoop : OpConversionPattern<scf::ForOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(scf::ForOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getNumResults() != 0)
      return rewriter.notifyMatchFailure(op, "left to upstream's pattern");
    auto loop =
        emitc::ForOp::create(rewriter, op.getLoc(), adaptor.getLowerBound(),
                             adaptor.getUpperBound(), adaptor.getStep());
    if (Attribute count = op->getAttr(kUnrollAttrName))
      loop->setAttr(kUnrollAttrName, count);
    rewriter.eraseBlock(loop.getBody());
    Operation *end = op.getBody()->getTerminator();
    rewriter.setInsertionPoint(end);
    rewriter.replaceOpWithNewOp<emitc::YieldOp>(end, Value());
    rewriter.inlineRegionBefore(op.getRegion(), loop.getRegion(),
                                loop.getRegion().end());
    if (failed(rewriter.convertRegionTypes(&loop.getRegion(),
                                           *getTypeConverter())))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tandem::conversion::populateThreadPatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ConvertShuffle, ConvertBarrier>(converter, context);
  patterns.add<ConvertLoop>(converter, context, PatternBenefit(2));
  patterns.add<ConvertBuiltin<gpu::BlockIdOp>>(converter, context,
                                               "blockIdx.x");
  patterns.add<ConvertBuiltin<gpu::ThreadIdOp>>(converter, context,
                                                "threadIdx.x");
}
