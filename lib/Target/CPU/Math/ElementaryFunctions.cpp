//===- ElementaryFunctions.cpp - log, log1p, sin and cos ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The polynomials for f32 are from the Cephes library for single precision (S.
// L. Moshier, netlib.org/cephes: logf.c, sinf.c) and are evaluated with fused
// multiply-adds. The polynomials for f64 are minimax fits (Remez's algorithm)
// in the forms of FDLIBM (netlib.org/fdlibm: e_log.c, k_sin.c, k_cos.c). The
// argument reductions are the usual ones (W. J. Cody and W. Waite, Software
// Manual for the Elementary Functions, 1980), without branches.
//
//===----------------------------------------------------------------------===//

#include "Math/ElementaryFunctions.h"

#include "Math/ElementaryArithmetic.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;

namespace tandem {

//===----------------------------------------------------------------------===//
// log and log1p
//===----------------------------------------------------------------------===//

namespace {
/// x = 2^exponent (1 + f), 1 + f in [sqrt(1/2), sqrt(2)).
struct SplitBits {
  Value exponent; // An integer.
  Value f;
};
} // namespace

/// Splits `x`, a normal number.
static SplitBits split(const Arithmetic &a, Value x) {
  const int64_t sqrtHalf = a.isF64() ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  const int64_t fraction = (int64_t(1) << a.fractionBits()) - 1;
  Value above = a.subI(a.bits(x), a.i(sqrtHalf));
  Value m = a.fromBits(a.addI(a.andI(above, a.i(fraction)), a.i(sqrtHalf)));
  return {a.shr(above, a.fractionBits()), a.sub(m, a.f(1))};
}

Split splitPositive(const Arithmetic &a, Value x) {
  constexpr double least32 = std::numeric_limits<float>::min(),
                   least64 = std::numeric_limits<double>::min();
  // Subnormals become normal.
  Value isSmall = a.less(x, a.f(a.isF64() ? least64 : least32));
  Value scaled = a.mul(x, a.f(std::ldexp(1.0, a.fractionBits())));
  auto [exponent, f] = split(a, a.select(isSmall, scaled, x));
  Value offset = a.select(isSmall, a.f(-a.fractionBits()), a.f(0));
  return {a.add(a.toFloat(exponent), offset), f};
}

/// log(2^e (1 + f)) for f32.
static Value logOfParts32(const Arithmetic &a, Value e, Value f) {
  // log 2 in two parts: products of the first with small integers are exact.
  constexpr double high = 0.693359375, low = -2.12194440e-4;
  Value square = a.mul(f, f);
  Value y = a.horner(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                         -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                         2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  y = a.mul(a.mul(y, f), square);
  y = a.fma(e, a.f(low), y);
  y = a.fma(square, a.f(-0.5), y);
  return a.fma(e, a.f(high), a.add(f, y));
}

/// log(2^e (1 + f)) for f64. With s = f / (2 + f), log(1 + f) is 2 s + s^3
/// P(s^2), or f - f^2/2 + s (f^2/2 + s^2 P(s^2)), whose first term is exact.
static Value logOfParts64(const Arithmetic &a, Value e, Value f) {
  constexpr double high = 6.93147180369123816490e-01,
                   low = 1.90821492927058770002e-10;
  Value s = a.div(f, a.add(a.f(2), f));
  Value z = a.mul(s, s);
  Value half = a.mul(a.mul(f, a.f(0.5)), f);
  Value tail =
      a.horner(z, {0.14810677346535345, 0.15313149470890927,
                   0.18183572084013433, 0.22222199081405267,
                   0.28571428729365383, 0.3999999999951953, 0.666666666666671});
  Value y = a.fma(s, a.fma(z, tail, half), a.mul(e, a.f(low)));
  return a.fma(e, a.f(high), a.sub(f, a.sub(half, y)));
}

static Value logOfParts(const Arithmetic &a, Value e, Value f) {
  return a.isF64() ? logOfParts64(a, e, f) : logOfParts32(a, e, f);
}

/// Infinity and NaN are their own logarithms.
Value logWithin(const Arithmetic &a, Value x, Value y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  y = a.select(a.less(x, a.f(infinity)), y, x);
  y = a.select(a.less(x, a.f(0)), a.f(std::nan("")), y);
  return a.select(a.equal(x, a.f(0)), a.f(-infinity), y);
}

static Value expandLog(const Arithmetic &a, Value x) {
  auto [e, f] = splitPositive(a, x);
  return logWithin(a, x, logOfParts(a, e, f));
}

/// log(u + c), where u is 1 + x rounded, and c is the rounding error. c is
/// scaled like f and added to it, so that f is x for small x. Within 1.5 ULP.
///
/// `rest`, which may be null, is added to x.
static Value log1pOf(const Arithmetic &a, Value x, Value rest) {
  Value u = a.add(a.f(1), x);
  // The rounding error can be computed exactly: it is the smaller one of 1 and
  // x, minus the part of this number that u contains.
  Value c = a.select(a.less(x, a.f(1)), a.sub(x, a.sub(u, a.f(1))),
                     a.sub(a.f(1), a.sub(u, x)));
  if (rest)
    c = a.add(c, rest);
  auto [exponent, f] = split(a, u);
  // 2^-exponent, or 0 if c is negligible.
  Value scaleBits = a.shl(a.subI(a.i(a.bias()), exponent), a.fractionBits());
  Value scale =
      a.fromBits(arith::MaxSIOp::create(a.b, a.loc, scaleBits, a.i(0)));
  Value y = logOfParts(a, a.toFloat(exponent), a.fma(c, scale, f));
  return a.copySign(logWithin(a, u, y), x);
}

static Value expandLog1p(const Arithmetic &a, Value x) {
  return log1pOf(a, x, /*rest=*/{});
}

/// log(1 + exp(x)) within 1.6 ULP. Passes on the rounding error of exp(x),
/// which counts twice if exp(x) is just above a power of 2, the result below.
static Value expandLog1pOfExp(const Arithmetic &a, Value x) {
  auto [exp, rest] = expandExpWithRest(a, x);
  return log1pOf(a, exp, rest);
}

//===----------------------------------------------------------------------===//
// sin and cos
//===----------------------------------------------------------------------===//

/// The largest magnitude for which the reduction keeps enough digits.
static double largestReduced(const Arithmetic &a) {
  return a.isF64() ? 134217728.0 : 131072.0; // 2^27, 2^17
}

namespace {
/// x = number * pi/2 + rest.
struct ReducedAngle {
  Value number; // An integer, in the low bits.
  Value rest;
};
} // namespace

/// The parts of pi/2 are rounded down to the format, so that the rest of -0 is
/// -0. Subtracting the first part's multiple is exact (a multiple of its last
/// place, less than 1), and so is the second part's if the operands cancel.
static ReducedAngle reduceByHalfPi(const Arithmetic &a, Value x) {
  static constexpr double of32[] = {0x1.921fb4p+0, 0x1.4442dp-24,
                                    0x1.846988p-48},
                          of64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c06p-54,
                                    0x1.c1cd129024e08p-107};
  Value shifted = a.fma(x, a.f(0.63661977236758134308), a.f(a.rounder()));
  Value n = a.sub(shifted, a.f(a.rounder()));
  Value rest = x;
  for (double part : a.isF64() ? of64 : of32)
    rest = a.fma(n, a.f(-part), rest);
  return {a.bits(shifted), rest};
}

/// (sin(r) / r - 1) / r^2 as a function of r^2, for |r| <= pi/4.
static Value sineTail(const Arithmetic &a, Value square) {
  if (!a.isF64())
    return a.horner(square,
                    {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  return a.horner(square, {1.5894710581635063e-10, -2.50507345710695e-08,
                           2.755731365185318e-06, -0.00019841269830144393,
                           0.008333333333323662, -0.1666666666666664});
}

/// cos(r) as a function of r^2, for |r| <= pi/4.
static Value cosineOfSquare(const Arithmetic &a, Value square) {
  if (!a.isF64())
    return a.horner(square, {2.443315711809948e-5, -1.388731625493765e-3,
                             4.166664568298827e-2, -0.5, 1});
  return a.horner(square,
                  {-1.1367981879283299e-11, 2.087589773865943e-09,
                   -2.75573157386131e-07, 2.4801587294628004e-05,
                   -0.001388888888888284, 0.04166666666666665, -0.5, 1});
}

/// sin(x + quadrants * pi/2).
static Value expandSine(const Arithmetic &a, Value x, int64_t quadrants) {
  auto [n, r] = reduceByHalfPi(a, x);
  Value z = a.mul(r, r);
  // The sum is +0 for an input of -0.
  Value sine = a.copySign(a.fma(a.mul(sineTail(a, z), z), r, r), r);
  Value quadrant = a.addI(n, a.i(quadrants));
  Value isOdd = arith::CmpIOp::create(a.b, a.loc, arith::CmpIPredicate::ne,
                                      a.andI(quadrant, a.i(1)), a.i(0));
  // Move the second lowest bit of the quadrant to the sign bit.
  const int64_t width = a.isF64() ? 64 : 32;
  Value sign = a.andI(a.shl(quadrant, width - 2), a.i(llvm::minIntN(width)));
  Value y = a.select(isOdd, cosineOfSquare(a, z), sine);
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

/// Arguments that are too large for the reduction are rare. If a vector has
/// one, libm computes all lanes.
template <typename Call>
static Value expandPeriodic(const Arithmetic &a, Value x, int64_t quadrants) {
  Value magnitude = math::AbsFOp::create(a.b, a.loc, x);
  Value isLarge = a.less(a.f(largestReduced(a)), magnitude);
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

static bool isExpanded(Type type) {
  return isa<Float32Type, Float64Type>(getElementTypeOrSelf(type));
}

namespace {
template <typename Op> struct Expand : OpRewritePattern<Op> {
  using Expansion = std::function<Value(const Arithmetic &, Value)>;
  Expand(MLIRContext *context, bool avx512, Expansion expansion)
      : OpRewritePattern<Op>(context), avx512(avx512),
        expansion(std::move(expansion)) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!isExpanded(x.getType()))
      return failure();
    Arithmetic arithmetic{rewriter, op.getLoc(), x.getType(), avx512};
    rewriter.replaceOp(op, expansion(arithmetic, x));
    return success();
  }

  bool avx512;
  Expansion expansion;
};

struct ExpandPow : OpRewritePattern<math::PowFOp> {
  ExpandPow(MLIRContext *context, bool avx512)
      : OpRewritePattern(context), avx512(avx512) {}
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isExpanded(op.getType()))
      return failure();
    Arithmetic arithmetic{rewriter, op.getLoc(), op.getType(), avx512};
    rewriter.replaceOp(op, expandPow(arithmetic, op.getLhs(), op.getRhs()));
    return success();
  }
  bool avx512;
};

/// Expands 1 + f(x), where f is erf or tanh, as a whole, as gelu needs it.
/// Special values: NaN stays, -inf gives 0, inf gives 2. No sum cancels to 0.
template <typename Op> struct ExpandOnePlus : OpRewritePattern<arith::AddFOp> {
  using Expansion = Value (*)(const Arithmetic &, Value);
  ExpandOnePlus(MLIRContext *context, bool avx512, Expansion expansion)
      : OpRewritePattern(context), avx512(avx512), expansion(expansion) {}

  /// Returns the operand of the function to which `op` adds 1, or null.
  static Value match(Operation *op) {
    if (!isa<arith::AddFOp>(op) || !isExpanded(op->getResult(0).getType()))
      return {};
    for (unsigned i : {0, 1})
      if (auto function = op->getOperand(i).getDefiningOp<Op>())
        if (matchPattern(op->getOperand(1 - i), m_OneFloat()))
          return function.getOperand();
    return {};
  }
  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = match(op);
    if (!x)
      return failure();
    Arithmetic arithmetic{rewriter, op.getLoc(), op.getType(), avx512};
    rewriter.replaceOp(op, expansion(arithmetic, x));
    return success();
  }

  bool avx512;
  Expansion expansion;
};

/// Expands f(x), unless all its uses are sums that ExpandOnePlus expands.
template <typename Op> struct ExpandUnlessOnePlus : Expand<Op> {
  using Expand<Op>::Expand;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op->use_empty() &&
        llvm::all_of(op->getUsers(), ExpandOnePlus<Op>::match))
      return failure();
    return Expand<Op>::matchAndRewrite(op, rewriter);
  }
};

/// Expands log1p(x), and log1p(exp(y)) as a whole if only log1p uses exp(y).
/// Special values: NaN and inf are preserved, and -inf gives +0.
struct ExpandLog1p : OpRewritePattern<math::Log1pOp> {
  ExpandLog1p(MLIRContext *context, bool avx512)
      : OpRewritePattern(context), avx512(avx512) {}
  LogicalResult matchAndRewrite(math::Log1pOp op,
                                PatternRewriter &rewriter) const override {
    if (!isExpanded(op.getType()))
      return failure();
    Arithmetic arithmetic{rewriter, op.getLoc(), op.getType(), avx512};
    auto exp = op.getOperand().getDefiningOp<math::ExpOp>();
    rewriter.replaceOp(op, exp ? expandLog1pOfExp(arithmetic, exp.getOperand())
                               : expandLog1p(arithmetic, op.getOperand()));
    return success();
  }
  bool avx512;
};

struct ExpandUnlessOfLog1p : Expand<math::ExpOp> {
  using Expand::Expand;
  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->use_empty() &&
        llvm::all_of(op->getUsers(), llvm::IsaPred<math::Log1pOp>))
      return failure();
    return Expand::matchAndRewrite(op, rewriter);
  }
};
} // namespace

void populateElementaryFunctionPatterns(RewritePatternSet &patterns,
                                        bool avx512) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandUnlessOfLog1p>(context, avx512, expandExp);
  patterns.add<ExpandUnlessOnePlus<math::TanhOp>>(context, avx512, expandTanh);
  patterns.add<ExpandOnePlus<math::TanhOp>>(context, avx512, expandOnePlusTanh);
  patterns.add<ExpandUnlessOnePlus<math::ErfOp>>(context, avx512, expandErf);
  patterns.add<ExpandOnePlus<math::ErfOp>>(context, avx512, expandOnePlusErf);
  patterns.add<ExpandPow>(context, avx512);
  patterns.add<Expand<math::ExpM1Op>>(context, avx512, expandExpm1);
  patterns.add<Expand<math::LogOp>>(context, avx512, expandLog);
  patterns.add<ExpandLog1p>(context, avx512);
  patterns.add<Expand<math::AsinOp>>(context, avx512, expandAsin);
  patterns.add<Expand<math::AcosOp>>(context, avx512, expandAcos);
  patterns.add<Expand<math::AtanOp>>(context, avx512, expandAtan);
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
