//===- ElementaryFunctions.cpp - exp, log, tanh, sin and cos --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The polynomials are those of the Cephes library for single precision (S. L.
// Moshier, netlib.org/cephes: expf.c, logf.c, sinf.c), evaluated with fused
// multiply-adds. The reductions are the usual ones (W. J. Cody and W. Waite,
// Software Manual for the Elementary Functions, 1980), without branches.
//
//===----------------------------------------------------------------------===//

#include "ElementaryFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;

namespace tandem {

namespace {

/// Arithmetic on scalars or vectors of the shape of a first value.
struct Arithmetic {
  OpBuilder &b;
  Location loc;
  Type like;

  Type typed(Type element) const {
    if (auto vector = dyn_cast<VectorType>(like))
      return vector.clone(element);
    return element;
  }
  Type i32() const { return typed(b.getI32Type()); }
  Type f32() const { return typed(b.getF32Type()); }
  Type f64() const { return typed(b.getF64Type()); }

  Value constant(Type element, Attribute value) const {
    Type type = typed(element);
    auto attr = cast<TypedAttr>(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = SplatElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value f(double value) const {
    return constant(b.getF32Type(), b.getF32FloatAttr(value));
  }
  Value d(double value) const {
    return constant(b.getF64Type(), b.getF64FloatAttr(value));
  }
  Value i(int64_t value) const {
    return constant(b.getI32Type(),
                    b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }

  Value add(Value x, Value y) const {
    return arith::AddFOp::create(b, loc, x, y);
  }
  Value sub(Value x, Value y) const {
    return arith::SubFOp::create(b, loc, x, y);
  }
  Value mul(Value x, Value y) const {
    return arith::MulFOp::create(b, loc, x, y);
  }
  Value div(Value x, Value y) const {
    return arith::DivFOp::create(b, loc, x, y);
  }
  /// x * y + z, rounded once.
  Value fma(Value x, Value y, Value z) const {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value addI(Value x, Value y) const {
    return arith::AddIOp::create(b, loc, x, y);
  }
  Value subI(Value x, Value y) const {
    return arith::SubIOp::create(b, loc, x, y);
  }
  Value andI(Value x, Value y) const {
    return arith::AndIOp::create(b, loc, x, y);
  }
  Value shl(Value x, int64_t by) const {
    return arith::ShLIOp::create(b, loc, x, i(by));
  }
  Value shr(Value x, int64_t by) const {
    return arith::ShRSIOp::create(b, loc, x, i(by));
  }
  Value bits(Value x) const {
    return arith::BitcastOp::create(b, loc, i32(), x);
  }
  Value fromBits(Value x) const {
    return arith::BitcastOp::create(b, loc, f32(), x);
  }
  Value less(Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
  }
  Value equal(Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// min(x, bound) and max(x, bound), where NaN stays NaN.
  Value atMost(Value x, double bound) const {
    Value limit = f(bound);
    return select(less(limit, x), limit, x);
  }
  Value atLeast(Value x, double bound) const {
    Value limit = f(bound);
    return select(less(x, limit), limit, x);
  }
  /// Coefficients from the highest power down.
  Value horner(Value x, ArrayRef<double> coefficients) const {
    Value sum = f(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, f(coefficient));
    return sum;
  }
};

} // namespace

/// log 2 in two parts: products of the first with small integers are exact.
static constexpr double kLog2High = 0.693359375, kLog2Low = -2.12194440e-4;
static constexpr double kLog2OfE = 1.44269504088896341;
/// Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
static constexpr double kRounder = 12582912.0;
static constexpr int64_t kRounderBits = 0x4b400000;

namespace {
/// x = number * log 2 + rest.
struct Reduced {
  Value number; // i32
  Value rest;
};
} // namespace

static Reduced reduceByLog2(const Arithmetic &a, Value x) {
  Value shifted = a.fma(x, a.f(kLog2OfE), a.f(kRounder));
  Value n = a.sub(shifted, a.f(kRounder));
  Value rest = a.fma(n, a.f(-kLog2High), x);
  rest = a.fma(n, a.f(-kLog2Low), rest);
  return {a.subI(a.bits(shifted), a.i(kRounderBits)), rest};
}

/// (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2.
static Value expTail(const Arithmetic &a, Value r) {
  return a.horner(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                      4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
}

/// x * 2^n, rounded once where the result is subnormal.
static Value scale(const Arithmetic &a, Value x, Value n, bool byInstruction) {
  if (byInstruction && isa<VectorType>(x.getType()))
    return LLVM::CallIntrinsicOp::create(a.b, a.loc, x.getType(),
                                         a.b.getStringAttr("llvm.ldexp"),
                                         ValueRange{x, n})
        .getResult(0);
  // In two steps: 2^n itself may be out of range.
  Value half = a.shr(n, 1);
  Value rest = a.subI(n, half);
  auto power = [&](Value exponent) {
    return a.fromBits(a.shl(a.addI(exponent, a.i(127)), 23));
  };
  return a.mul(a.mul(x, power(half)), power(rest));
}

static Value expandExp(const Arithmetic &a, Value x, bool byInstruction) {
  // Beyond these the result is infinity and zero.
  x = a.atLeast(a.atMost(x, 89), -104);
  auto [n, r] = reduceByLog2(a, x);
  Value y = a.fma(a.fma(expTail(a, r), r, a.f(1)), r, a.f(1));
  return scale(a, y, n, byInstruction);
}

/// E / (E + 2) with E = exp(2 |x|) - 1 = 2^n (exp(r) - 1) + 2^n - 1, which is
/// accurate for small and large x alike.
static Value expandTanh(const Arithmetic &a, Value x) {
  Value magnitude = math::AbsFOp::create(a.b, a.loc, x);
  Value twice = a.atMost(a.add(magnitude, magnitude), 18.1);
  auto [n, r] = reduceByLog2(a, twice);
  Value expm1 = a.fma(a.mul(r, r), expTail(a, r), r);
  Value power = a.fromBits(a.addI(a.shl(n, 23), a.i(0x3f800000)));
  Value e = a.fma(power, expm1, a.sub(power, a.f(1)));
  Value y = a.div(e, a.add(e, a.f(2)));
  return math::CopySignOp::create(a.b, a.loc, y, x);
}

static Value expandLog(const Arithmetic &a, Value x) {
  // Subnormals become normal.
  constexpr float least = std::numeric_limits<float>::min();
  Value isSmall = a.less(x, a.f(least));
  Value normal = a.select(isSmall, a.mul(x, a.f(8388608.0)), x);
  Value offset = a.select(isSmall, a.f(-23), a.f(0));
  // normal = 2^e m with m in [sqrt(1/2), sqrt(2)).
  constexpr int64_t sqrtHalf = 0x3f3504f3;
  Value above = a.subI(a.bits(normal), a.i(sqrtHalf));
  Value m = a.fromBits(a.addI(a.andI(above, a.i(0x7fffff)), a.i(sqrtHalf)));
  Value e = a.add(
      arith::SIToFPOp::create(a.b, a.loc, a.f32(), a.shr(above, 23)), offset);
  Value f = a.sub(m, a.f(1));
  Value square = a.mul(f, f);
  Value y = a.horner(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                         -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                         2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  y = a.mul(a.mul(y, f), square);
  y = a.fma(e, a.f(kLog2Low), y);
  y = a.fma(square, a.f(-0.5), y);
  y = a.fma(e, a.f(kLog2High), a.add(f, y));
  // log(inf) and log(NaN) are their arguments.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  y = a.select(a.less(x, a.f(infinity)), y, x);
  y = a.select(a.less(x, a.f(0)), a.f(std::nan("")), y);
  return a.select(a.equal(x, a.f(0)), a.f(-infinity), y);
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
  sine = a.fma(a.mul(sine, z), r, r);
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
  Expand(MLIRContext *context, Expansion expansion)
      : OpRewritePattern<Op>(context), expansion(std::move(expansion)) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!getElementTypeOrSelf(x).isF32())
      return failure();
    Arithmetic arithmetic{rewriter, op.getLoc(), x.getType()};
    rewriter.replaceOp(op, expansion(arithmetic, x));
    return success();
  }

  Expansion expansion;
};
} // namespace

void populateElementaryFunctionPatterns(RewritePatternSet &patterns,
                                        bool scaleByInstruction) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expand<math::ExpOp>>(context, [=](const Arithmetic &a, Value x) {
    return expandExp(a, x, scaleByInstruction);
  });
  patterns.add<Expand<math::TanhOp>>(context, expandTanh);
  patterns.add<Expand<math::LogOp>>(context, expandLog);
  patterns.add<Expand<math::SinOp>>(context, [](const Arithmetic &a, Value x) {
    return expandPeriodic<LLVM::SinOp>(a, x, 0);
  });
  patterns.add<Expand<math::CosOp>>(context, [](const Arithmetic &a, Value x) {
    return expandPeriodic<LLVM::CosOp>(a, x, 1);
  });
}

} // namespace tandem
