//===- ElementaryFunctions.cpp - log, log1p, sin and cos ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The polynomials are those of the Cephes library for single precision (S. L.
// Moshier, netlib.org/cephes: logf.c, sinf.c), evaluated with fused
// multiply-adds. The reductions are the usual ones (W. J. Cody and W. Waite,
// Software Manual for the Elementary Functions, 1980), without branches.
//
//===----------------------------------------------------------------------===//

#include "ElementaryFunctions.h"

#include "ElementaryArithmetic.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;

namespace tandem {

namespace {
/// x = number * period + rest.
struct Reduced {
  Value number; // i32
  Value rest;
};
} // namespace

/// log 2 in two parts: products of the first with small integers are exact.
static constexpr double kLogHigh = 0.693359375, kLogLow = -2.12194440e-4;

namespace {
/// x = 2^exponent (1 + f), 1 + f in [sqrt(1/2), sqrt(2)).
struct Split {
  Value exponent; // i32
  Value f;
};
} // namespace

/// Of a normal number.
static Split split(const Arithmetic &a, Value x) {
  constexpr int64_t sqrtHalf = 0x3f3504f3;
  Value above = a.subI(a.bits(x), a.i(sqrtHalf));
  Value m = a.fromBits(a.addI(a.andI(above, a.i(0x7fffff)), a.i(sqrtHalf)));
  return {a.shr(above, 23), a.sub(m, a.f(1))};
}

/// log(2^e (1 + f)), e of f32.
static Value logOfParts(const Arithmetic &a, Value e, Value f) {
  Value square = a.mul(f, f);
  Value y = a.horner(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                         -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                         2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  y = a.mul(a.mul(y, f), square);
  y = a.fma(e, a.f(kLogLow), y);
  y = a.fma(square, a.f(-0.5), y);
  return a.fma(e, a.f(kLogHigh), a.add(f, y));
}

/// y where x is positive and finite; infinity and NaN are their own logarithms.
static Value logWithin(const Arithmetic &a, Value x, Value y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  y = a.select(a.less(x, a.f(infinity)), y, x);
  y = a.select(a.less(x, a.f(0)), a.f(std::nan("")), y);
  return a.select(a.equal(x, a.f(0)), a.f(-infinity), y);
}

static Value expandLog(const Arithmetic &a, Value x) {
  // Subnormals become normal.
  constexpr float least = std::numeric_limits<float>::min();
  Value isSmall = a.less(x, a.f(least));
  Value normal = a.select(isSmall, a.mul(x, a.f(8388608.0)), x);
  Value offset = a.select(isSmall, a.f(-23), a.f(0));
  auto [exponent, f] = split(a, normal);
  Value e = a.add(a.toFloat(exponent), offset);
  return logWithin(a, x, logOfParts(a, e, f));
}

/// log(u + c), where u = 1 + x rounded and c is what rounding took; c joins f
/// at its scale, so that f is x for small x. Within 1.5 ULP.
static Value expandLog1p(const Arithmetic &a, Value x) {
  Value u = a.add(a.f(1), x);
  // Exact: of 1 and x, the smaller one is taken from the rest.
  Value c = a.select(a.less(x, a.f(1)), a.sub(x, a.sub(u, a.f(1))),
                     a.sub(a.f(1), a.sub(u, x)));
  auto [exponent, f] = split(a, u);
  // 2^-exponent, or 0 where nothing of c is left.
  Value scaleBits = a.shl(a.subI(a.i(127), exponent), 23);
  Value scale =
      a.fromBits(arith::MaxSIOp::create(a.b, a.loc, scaleBits, a.i(0)));
  Value y = logOfParts(a, a.toFloat(exponent), a.fma(c, scale, f));
  return a.copySign(logWithin(a, u, y), x);
}

//===----------------------------------------------------------------------===//
// sin and cos
//===----------------------------------------------------------------------===//

/// Up to here the reduction in f64 keeps enough digits.
static constexpr double kLargestReduced = 134217728.0; // 2^27

/// x = number * pi/2 + rest.
static Reduced reduceByHalfPi(const Arithmetic &a, Value x) {
  constexpr double rounder = 6755399441055744.0; // 1.5 * 2^52
  Value wide = arith::ExtFOp::create(a.b, a.loc, a.f64(), x);
  Value shifted = a.fma(wide, a.d(0.63661977236758134308), a.d(rounder));
  Value n = a.sub(shifted, a.d(rounder));
  Value rest = a.fma(n, a.d(-1.57079632679489655800), wide);
  rest = a.fma(n, a.d(-6.12323399573676603587e-17), rest);
  Type i64 = a.typed(a.b.getI64Type());
  Value bits = arith::BitcastOp::create(a.b, a.loc, i64, shifted);
  return {arith::TruncIOp::create(a.b, a.loc, a.i32(), bits),
          arith::TruncFOp::create(a.b, a.loc, a.f32(), rest)};
}

/// sin(x + quadrants * pi/2).
static Value expandSine(const Arithmetic &a, Value x, int64_t quadrants) {
  auto [n, r] = reduceByHalfPi(a, x);
  Value z = a.mul(r, r);
  Value sine =
      a.horner(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  // Of -0, the sum is +0.
  sine = a.copySign(a.fma(a.mul(sine, z), r, r), r);
  Value cosine = a.horner(
      z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  cosine = a.fma(a.mul(z, z), cosine, a.fma(z, a.f(-0.5), a.f(1)));
  Value quadrant = a.addI(n, a.i(quadrants));
  Value isOdd = arith::CmpIOp::create(a.b, a.loc, arith::CmpIPredicate::ne,
                                      a.andI(quadrant, a.i(1)), a.i(0));
  Value sign = a.shl(a.andI(quadrant, a.i(2)), 30);
  Value y = a.select(isOdd, cosine, sine);
  return a.fromBits(arith::XOrIOp::create(a.b, a.loc, a.bits(y), sign));
}

/// Calls libm for each lane.
template <typename Call>
static Value callPerLane(const Arithmetic &a, Value x) {
  auto vector = dyn_cast<VectorType>(x.getType());
  if (!vector)
    return Call::create(a.b, a.loc, x.getType(), x);
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(a.b, a.loc, value);
  };
  auto loop = scf::ForOp::create(a.b, a.loc, index(0),
                                 index(vector.getNumElements()), index(1), x);
  OpBuilder::InsertionGuard guard(a.b);
  a.b.setInsertionPointToStart(loop.getBody());
  Value lane = arith::IndexCastOp::create(a.b, a.loc, a.b.getI64Type(),
                                          loop.getInductionVar());
  Value scalar = LLVM::ExtractElementOp::create(a.b, a.loc, x, lane);
  Value result = Call::create(a.b, a.loc, scalar.getType(), scalar);
  Value next = LLVM::InsertElementOp::create(
      a.b, a.loc, loop.getRegionIterArg(0), result, lane);
  scf::YieldOp::create(a.b, a.loc, next);
  return loop.getResult(0);
}

/// Arguments too large for the reduction are rare: libm takes the whole vector
/// where there is one.
template <typename Call>
static Value expandPeriodic(const Arithmetic &a, Value x, int64_t quadrants) {
  Value magnitude = math::AbsFOp::create(a.b, a.loc, x);
  Value isLarge = a.less(a.f(kLargestReduced), magnitude);
  if (isa<VectorType>(x.getType()))
    isLarge = vector::ReductionOp::create(a.b, a.loc, vector::CombiningKind::OR,
                                          isLarge);
  auto branch = scf::IfOp::create(a.b, a.loc, x.getType(), isLarge,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(a.b);
  a.b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(a.b, a.loc, callPerLane<Call>(a, x));
  a.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(a.b, a.loc, expandSine(a, x, quadrants));
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
template <typename Op> struct Expand : OpRewritePattern<Op> {
  using Expansion = std::function<Value(const Arithmetic &, Value)>;
  Expand(MLIRContext *context, bool avx512, Expansion expansion)
      : OpRewritePattern<Op>(context), avx512(avx512),
        expansion(std::move(expansion)) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!getElementTypeOrSelf(x).isF32())
      return failure();
    Arithmetic arithmetic{rewriter, op.getLoc(), x.getType(), avx512};
    rewriter.replaceOp(op, expansion(arithmetic, x));
    return success();
  }

  bool avx512;
  Expansion expansion;
};
} // namespace

void populateElementaryFunctionPatterns(RewritePatternSet &patterns,
                                        bool avx512) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expand<math::ExpOp>>(context, avx512, expandExp);
  patterns.add<Expand<math::TanhOp>>(context, avx512, expandTanh);
  patterns.add<Expand<math::ErfOp>>(context, avx512, expandErf);
  patterns.add<Expand<math::ExpM1Op>>(context, avx512, expandExpm1);
  patterns.add<Expand<math::LogOp>>(context, avx512, expandLog);
  patterns.add<Expand<math::Log1pOp>>(context, avx512, expandLog1p);
  patterns.add<Expand<math::SinOp>>(
      context, avx512, [](const Arithmetic &a, Value x) {
        return expandPeriodic<LLVM::SinOp>(a, x, 0);
      });
  patterns.add<Expand<math::CosOp>>(
      context, avx512, [](const Arithmetic &a, Value x) {
        return expandPeriodic<LLVM::CosOp>(a, x, 1);
      });
}

} // namespace tandem
