//===- MathPatterns.cpp - Math ops as CUDA functions ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CTypes.h"
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tandem::conversion;

namespace {

/// An op as a call: `name` for f64, `name`f for f32 and, computed in f32, for
/// the half types.
template <typename Op> struct CallFunction : OpConversionPattern<Op> {
  CallFunction(const TypeConverter &converter, MLIRContext *context,
               StringRef name)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2), name(name) {
  }

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64() && !isHalf(type))
      return rewriter.notifyMatchFailure(op, "not a scalar float");
    Type computed = isHalf(type) ? rewriter.getF32Type() : type;
    std::string callee = (name + (computed.isF32() ? "f" : "")).str();
    SmallVector<Value> operands;
    for (Value operand : adaptor.getOperands())
      operands.push_back(
          isHalf(operand.getType())
              ? arith::ExtFOp::create(rewriter, op.getLoc(), computed, operand)
              : operand);
    Value result = emitc::CallOpaqueOp::create(rewriter, op.getLoc(), computed,
                                               callee, operands)
                       .getResult(0);
    if (computed != type)
      result = arith::TruncFOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

  StringRef name;
};

/// An op as a call of one overloaded function.
template <typename Op> struct CallOverloaded : OpConversionPattern<Op> {
  CallOverloaded(const TypeConverter &converter, MLIRContext *context,
                 StringRef name)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2), name(name) {
  }

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<emitc::CallOpaqueOp>(op, op.getType(), name,
                                                     adaptor.getOperands());
    return success();
  }

  StringRef name;
};

template <typename... Ops> struct Functions {
  /// One name for each of Ops, in order.
  template <typename... Names>
  static void add(const TypeConverter &converter, RewritePatternSet &patterns,
                  Names... names) {
    (patterns.add<CallFunction<Ops>>(converter, patterns.getContext(),
                                     StringRef(names)),
     ...);
  }
};

} // namespace

/// 1 + erf(x) cancels where erf(x) is near -1; erfc(-x) is the same to the last
/// digits. gelu has it.
/// Special values: NaN stays, -inf gives 0 and inf gives 2. For large negative
/// numbers the result is the exact one where the sum would cancel to 0.
void tandem::conversion::complementErrorFunctions(ModuleOp module) {
  module.walk([](arith::AddFOp sum) {
    for (unsigned i : {0, 1}) {
      auto erf = sum->getOperand(i).getDefiningOp<math::ErfOp>();
      if (!erf || !matchPattern(sum->getOperand(1 - i), m_OneFloat()))
        continue;
      OpBuilder builder(sum);
      Value negated =
          arith::NegFOp::create(builder, sum.getLoc(), erf.getOperand());
      sum.replaceAllUsesWith(
          math::ErfcOp::create(builder, sum.getLoc(), negated).getResult());
      sum.erase();
      if (erf.use_empty())
        erf.erase();
      return;
    }
  });
}

/// Makes fused multiply-adds of the products and sums of contractions, which
/// alone may be contracted: no other fast-math flag is set anywhere.
/// Special values: infinities and NaN of factors and addends spread as in
/// separate ops; a product that overflows may cancel in the sum.
void tandem::conversion::fuseProducts(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateUpliftToFMAPatterns(patterns);
  GreedyRewriteConfig config;
  config.enableFolding(false);
  (void)applyPatternsGreedily(module, std::move(patterns), config);
}

void tandem::conversion::populateMathPatterns(const TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  using namespace math;
  Functions<ExpOp, Exp2Op, ExpM1Op, LogOp, Log1pOp, Log2Op, Log10Op>::add(
      converter, patterns, "exp", "exp2", "expm1", "log", "log1p", "log2",
      "log10");
  Functions<SqrtOp, RsqrtOp, CbrtOp, PowFOp, FmaOp, CopySignOp, AbsFOp>::add(
      converter, patterns, "sqrt", "rsqrt", "cbrt", "pow", "fma", "copysign",
      "fabs");
  Functions<SinOp, CosOp, TanOp, AsinOp, AcosOp, AtanOp, Atan2Op>::add(
      converter, patterns, "sin", "cos", "tan", "asin", "acos", "atan",
      "atan2");
  Functions<SinhOp, CoshOp, TanhOp, ErfOp, ErfcOp>::add(
      converter, patterns, "sinh", "cosh", "tanh", "erf", "erfc");
  // roundeven is the rounding mode that rint uses.
  Functions<FloorOp, CeilOp, TruncOp, RoundOp, RoundEvenOp>::add(
      converter, patterns, "floor", "ceil", "trunc", "round", "rint");
  Functions<arith::MaxNumFOp, arith::MinNumFOp, arith::RemFOp>::add(
      converter, patterns, "fmax", "fmin", "fmod");
  MLIRContext *context = patterns.getContext();
  patterns.add<CallOverloaded<AbsIOp>>(converter, context, "abs");
  patterns.add<CallOverloaded<IsNaNOp>>(converter, context, "isnan");
  patterns.add<CallOverloaded<IsInfOp>>(converter, context, "isinf");
  patterns.add<CallOverloaded<IsFiniteOp>>(converter, context, "isfinite");
}
