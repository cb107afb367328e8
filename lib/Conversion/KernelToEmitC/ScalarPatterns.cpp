//===- ScalarPatterns.cpp - Scalar arithmetic as CUDA C++ -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CTypes.h"
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace tandem::conversion;

namespace {

Value call(OpBuilder &builder, Location loc, Type type, StringRef callee,
           ValueRange operands) {
  return emitc::CallOpaqueOp::create(builder, loc, type, callee, operands)
      .getResult(0);
}

/// Literals print in place, exact; emitc.constant would print as a variable.
struct ConvertConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    std::string text = type ? cLiteral(op.getValue(), type) : std::string();
    if (text.empty())
      return rewriter.notifyMatchFailure(op, "not a scalar of a known type");
    rewriter.replaceOpWithNewOp<emitc::LiteralOp>(op, type, text);
    return success();
  }
};

/// C's comparisons are ordered, and != is unordered; the rest is made of them.
struct ConvertCmpF : OpConversionPattern<arith::CmpFOp> {
  using OpConversionPattern::OpConversionPattern;
  using C = emitc::CmpPredicate;

  struct Form {
    C predicate;
    bool negate;
  };

  static std::optional<Form> form(arith::CmpFPredicate predicate) {
    using P = arith::CmpFPredicate;
    switch (predicate) {
    case P::OEQ:
      return Form{C::eq, false};
    case P::OLT:
      return Form{C::lt, false};
    case P::OLE:
      return Form{C::le, false};
    case P::OGT:
      return Form{C::gt, false};
    case P::OGE:
      return Form{C::ge, false};
    case P::UNE:
      return Form{C::ne, false};
    case P::ULT:
      return Form{C::ge, true};
    case P::ULE:
      return Form{C::gt, true};
    case P::UGT:
      return Form{C::le, true};
    case P::UGE:
      return Form{C::lt, true};
    default:
      return std::nullopt;
    }
  }

  LogicalResult
  matchAndRewrite(arith::CmpFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<Form> form = this->form(op.getPredicate());
    if (!form)
      return rewriter.notifyMatchFailure(op, "left to upstream's pattern");
    Type i1 = rewriter.getI1Type();
    Value result =
        emitc::CmpOp::create(rewriter, op.getLoc(), i1, form->predicate,
                             adaptor.getLhs(), adaptor.getRhs());
    if (form->negate)
      result = emitc::LogicalNotOp::create(rewriter, op.getLoc(), i1, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

template <typename Op> struct CallBinary : OpConversionPattern<Op> {
  CallBinary(const TypeConverter &converter, MLIRContext *context,
             StringRef callee)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2),
        callee(callee) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    rewriter.replaceOp(op, call(rewriter, op.getLoc(), type, callee,
                                {adaptor.getLhs(), adaptor.getRhs()}));
    return success();
  }

  StringRef callee;
};

/// The unsigned forms, by an unsigned comparison.
template <typename Op, arith::CmpIPredicate predicate>
struct SelectUnsigned : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value first = arith::CmpIOp::create(rewriter, op.getLoc(), predicate,
                                        op.getLhs(), op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, first, op.getLhs(),
                                                 op.getRhs());
    return success();
  }
};

/// Float to float through the functions of the half types.
struct ConvertFloats {
  static Value widen(OpBuilder &b, Location loc, Value value) {
    return call(b, loc, b.getF32Type(), "widen", value);
  }
  static Value narrow(OpBuilder &b, Location loc, Value value, Type type) {
    ArrayAttr to = b.getArrayAttr(TypeAttr::get(type));
    return emitc::CallOpaqueOp::create(b, loc, type, "narrow",
                                       ValueRange(value), ArrayAttr(), to)
        .getResult(0);
  }
};

struct ConvertExtF : OpConversionPattern<arith::ExtFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isHalf(op.getIn().getType()))
      return rewriter.notifyMatchFailure(op, "left to upstream's pattern");
    Value value = ConvertFloats::widen(rewriter, op.getLoc(), adaptor.getIn());
    if (op.getType() != value.getType())
      value = emitc::CastOp::create(rewriter, op.getLoc(), op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct ConvertTruncF : OpConversionPattern<arith::TruncFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isHalf(op.getType()))
      return rewriter.notifyMatchFailure(op, "left to upstream's pattern");
    rewriter.replaceOp(op,
                       ConvertFloats::narrow(rewriter, op.getLoc(),
                                             adaptor.getIn(), op.getType()));
    return success();
  }
};

/// Shifts. If arith defines the result, the count is in range, so that C
/// defines it, too. A right shift of an unsigned number shifts in zeros, and
/// one of any other number copies of the sign; signless types are signed here.
template <typename Op, typename ShiftOp, bool isUnsigned>
struct ConvertShift : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType(), shifted = type;
    Location loc = op.getLoc();
    Value value = adaptor.getLhs();
    if (isUnsigned) {
      shifted = rewriter.getIntegerType(type.getIntOrFloatBitWidth(),
                                        /*isSigned=*/false);
      value = emitc::CastOp::create(rewriter, loc, shifted, value);
    }
    value = ShiftOp::create(rewriter, loc, shifted, value, adaptor.getRhs());
    if (isUnsigned)
      value = emitc::CastOp::create(rewriter, loc, type, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct ConvertBitcast : OpConversionPattern<arith::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayAttr to = rewriter.getArrayAttr(TypeAttr::get(op.getType()));
    rewriter.replaceOpWithNewOp<emitc::CallOpaqueOp>(
        op, op.getType(), "bit_cast", ValueRange(adaptor.getIn()), ArrayAttr(),
        to);
    return success();
  }
};

/// Integer to half type and back, by way of f32. It holds all integers that f16
/// does not round to infinity; bf16 is not made of integers of more than 16
/// bits directly (see ir::buildIntToFloat).
template <typename Op> struct ThroughF32 : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type f32 = rewriter.getF32Type();
    if (isHalf(op.getType())) {
      Value wide = Op::create(rewriter, op.getLoc(), f32, op.getIn());
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
      return success();
    }
    if (!isHalf(op.getIn().getType()))
      return rewriter.notifyMatchFailure(op, "left to upstream's pattern");
    Value wide = arith::ExtFOp::create(rewriter, op.getLoc(), f32, op.getIn());
    rewriter.replaceOpWithNewOp<Op>(op, op.getType(), wide);
    return success();
  }
};

/// Conversions that C's cast makes as arith means them: between index and
/// integers, narrowing, and from bool.
template <typename Op> struct PlainCast : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  static bool applies(Type from, Type to) {
    if constexpr (std::is_same_v<Op, arith::TruncIOp>)
      return !to.isInteger(1);
    if constexpr (std::is_same_v<Op, arith::IndexCastOp>)
      return !from.isInteger(1);
    return from.isInteger(1) && !isHalf(to);
  }

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!applies(op.getIn().getType(), op.getType()))
      return rewriter.notifyMatchFailure(op, "left to upstream's pattern");
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (adaptor.getIn().getType() == type)
      rewriter.replaceOp(op, adaptor.getIn());
    else
      rewriter.replaceOpWithNewOp<emitc::CastOp>(op, type, adaptor.getIn());
    return success();
  }
};

} // namespace

void tandem::conversion::populateScalarPatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ConvertConstant, ConvertCmpF, ConvertExtF, ConvertTruncF,
               ConvertBitcast,
               ConvertShift<arith::ShLIOp, emitc::BitwiseLeftShiftOp, true>,
               ConvertShift<arith::ShRUIOp, emitc::BitwiseRightShiftOp, true>,
               ConvertShift<arith::ShRSIOp, emitc::BitwiseRightShiftOp, false>,
               ThroughF32<arith::SIToFPOp>, ThroughF32<arith::UIToFPOp>,
               ThroughF32<arith::FPToSIOp>, ThroughF32<arith::FPToUIOp>,
               PlainCast<arith::TruncIOp>, PlainCast<arith::IndexCastOp>,
               PlainCast<arith::ExtUIOp>, PlainCast<arith::UIToFPOp>,
               PlainCast<arith::IndexCastUIOp>,
               SelectUnsigned<arith::MaxUIOp, arith::CmpIPredicate::ugt>,
               SelectUnsigned<arith::MinUIOp, arith::CmpIPredicate::ult>>(
      converter, context, PatternBenefit(2));
  patterns.add<CallBinary<arith::MaximumFOp>>(converter, context, "maximum");
  patterns.add<CallBinary<arith::MinimumFOp>>(converter, context, "minimum");
  patterns.add<CallBinary<arith::MaxSIOp>>(converter, context, "max");
  patterns.add<CallBinary<arith::MinSIOp>>(converter, context, "min");
  patterns.add<CallBinary<arith::FloorDivSIOp>>(converter, context,
                                                "floor_div");
}
