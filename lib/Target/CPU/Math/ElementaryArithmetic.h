//===- ElementaryArithmetic.h - Arithmetic of math functions ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_MATH_ELEMENTARYARITHMETIC_H
#define TANDEM_LIB_TARGET_CPU_MATH_ELEMENTARYARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tandem {

/// Builds arithmetic on scalars or vectors of f32 or f64, and on integers of
/// the same width, for the expansion of math functions.
struct Arithmetic {
  mlir::OpBuilder &b;
  mlir::Location loc;
  /// The type of the values. All other types have its shape.
  mlir::Type like;
  /// Whether the target has AVX-512.
  bool avx512;

  mlir::Type typed(mlir::Type element) const {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(like))
      return vector.clone(element);
    return element;
  }
  /// The same arithmetic on values with another element type.
  Arithmetic as(mlir::Type element) const {
    return {b, loc, typed(element), avx512};
  }
  bool isF64() const { return mlir::getElementTypeOrSelf(like).isF64(); }
  mlir::Type integers() const {
    return typed(b.getIntegerType(isF64() ? 64 : 32));
  }

  /// The properties of the floating-point format.
  int64_t fractionBits() const { return isF64() ? 52 : 23; }
  int64_t bias() const { return isF64() ? 1023 : 127; }
  /// Adding 1.5 * 2^fractionBits leaves the nearest integer in the low bits.
  double rounder() const { return isF64() ? 0x1.8p52 : 0x1.8p23; }
  int64_t rounderBits() const {
    return (2 * (bias() + fractionBits()) + 1) << (fractionBits() - 1);
  }
  /// log 2 in two parts: rounded to the format, and the remainder.
  double log2() const {
    return isF64() ? 0.6931471805599453 : 0.693147182464599609375;
  }
  double log2Rest() const {
    return isF64() ? 2.3190468138462996e-17 : -1.904654299957767878e-9;
  }

  mlir::Value constant(mlir::Type element, mlir::Attribute value) const {
    mlir::Type type = typed(element);
    auto attr = llvm::cast<mlir::TypedAttr>(value);
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      attr = mlir::SplatElementsAttr::get(vector, attr);
    return mlir::arith::ConstantOp::create(b, loc, attr);
  }
  mlir::Value f(double value) const {
    mlir::Type type = mlir::getElementTypeOrSelf(like);
    return constant(type, b.getFloatAttr(type, value));
  }
  mlir::Value i(int64_t value) const {
    mlir::Type type = mlir::getElementTypeOrSelf(integers());
    return constant(type, b.getIntegerAttr(type, value));
  }

  mlir::Value add(mlir::Value x, mlir::Value y) const {
    return mlir::arith::AddFOp::create(b, loc, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) const {
    return mlir::arith::SubFOp::create(b, loc, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) const {
    return mlir::arith::MulFOp::create(b, loc, x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) const {
    return mlir::arith::DivFOp::create(b, loc, x, y);
  }
  /// x * y + z, rounded once.
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) const {
    return mlir::math::FmaOp::create(b, loc, x, y, z);
  }
  mlir::Value addI(mlir::Value x, mlir::Value y) const {
    return mlir::arith::AddIOp::create(b, loc, x, y);
  }
  mlir::Value subI(mlir::Value x, mlir::Value y) const {
    return mlir::arith::SubIOp::create(b, loc, x, y);
  }
  mlir::Value andI(mlir::Value x, mlir::Value y) const {
    return mlir::arith::AndIOp::create(b, loc, x, y);
  }
  mlir::Value orI(mlir::Value x, mlir::Value y) const {
    return mlir::arith::OrIOp::create(b, loc, x, y);
  }
  mlir::Value shl(mlir::Value x, int64_t by) const {
    return mlir::arith::ShLIOp::create(b, loc, x, i(by));
  }
  mlir::Value shr(mlir::Value x, int64_t by) const {
    return mlir::arith::ShRSIOp::create(b, loc, x, i(by));
  }
  mlir::Value bits(mlir::Value x) const {
    return mlir::arith::BitcastOp::create(b, loc, integers(), x);
  }
  mlir::Value fromBits(mlir::Value x) const {
    return mlir::arith::BitcastOp::create(b, loc, like, x);
  }
  /// Converts a small integer to a float. (AVX2 has no such instruction for 64
  /// bits.)
  mlir::Value toFloat(mlir::Value x) const {
    if (!isF64())
      return mlir::arith::SIToFPOp::create(b, loc, like, x);
    return sub(fromBits(addI(x, i(rounderBits()))), f(rounder()));
  }
  /// 2^n for an integer n for which the result is a normal number. Only the low
  /// bits of n are used.
  mlir::Value powerOfTwo(mlir::Value n) const {
    return fromBits(shl(addI(n, i(bias())), fractionBits()));
  }
  mlir::Value less(mlir::Value x, mlir::Value y) const {
    return mlir::arith::CmpFOp::create(b, loc, mlir::arith::CmpFPredicate::OLT,
                                       x, y);
  }
  mlir::Value equal(mlir::Value x, mlir::Value y) const {
    return mlir::arith::CmpFOp::create(b, loc, mlir::arith::CmpFPredicate::OEQ,
                                       x, y);
  }
  /// x != y, which is true where either is NaN.
  mlir::Value notEqual(mlir::Value x, mlir::Value y) const {
    return mlir::arith::CmpFOp::create(b, loc, mlir::arith::CmpFPredicate::UNE,
                                       x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x,
                     mlir::Value y) const {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// min(x, bound) and max(x, bound); NaN stays NaN.
  mlir::Value atMost(mlir::Value x, double bound) const {
    mlir::Value limit = f(bound);
    return select(less(limit, x), limit, x);
  }
  mlir::Value atLeast(mlir::Value x, double bound) const {
    mlir::Value limit = f(bound);
    return select(less(x, limit), limit, x);
  }
  mlir::Value abs(mlir::Value x) const {
    return mlir::math::AbsFOp::create(b, loc, x);
  }
  mlir::Value copySign(mlir::Value magnitude, mlir::Value sign) const {
    return mlir::math::CopySignOp::create(b, loc, magnitude, sign);
  }
  /// Evaluates a polynomial by Horner's rule; coefficients begin with that of
  /// the highest power.
  mlir::Value horner(mlir::Value x, mlir::ArrayRef<double> coefficients) const {
    mlir::Value sum = f(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, f(coefficient));
    return sum;
  }

  /// Like horner(), but by Estrin's scheme, which combines pairs of terms, then
  /// pairs of pairs. This takes a few more multiplications, but not every
  /// multiplication waits for the previous one.
  mlir::Value estrin(mlir::Value x, mlir::ArrayRef<double> coefficients) const;

  /// Whether values fill AVX-512 registers, so that the following functions use
  /// AVX-512 instructions.
  bool isWide() const;
  /// x * 2^floor(n), rounded once. n has the type of x.
  mlir::Value scale(mlir::Value x, mlir::Value n) const;
  /// Returns x with every NaN replaced by the default NaN of x86, whose low
  /// bits are zeros.
  mlir::Value canonicalNaN(mlir::Value x) const;
  /// table[index % size] for each lane of f32. The table has 16 or 32 entries.
  mlir::Value lookUp(mlir::ArrayRef<float> table, mlir::Value index) const;
};

inline constexpr double kLog2OfE = 1.44269504088896341;

/// Expand functions of f32 and f64.
mlir::Value expandExp(const Arithmetic &a, mlir::Value x);
mlir::Value expandExpm1(const Arithmetic &a, mlir::Value x);
mlir::Value expandTanh(const Arithmetic &a, mlir::Value x);
mlir::Value expandErf(const Arithmetic &a, mlir::Value x);
mlir::Value expandAsin(const Arithmetic &a, mlir::Value x);
mlir::Value expandAcos(const Arithmetic &a, mlir::Value x);
mlir::Value expandAtan(const Arithmetic &a, mlir::Value x);
/// 1 + erf(x) and 1 + tanh(x).
mlir::Value expandOnePlusErf(const Arithmetic &a, mlir::Value x);
mlir::Value expandOnePlusTanh(const Arithmetic &a, mlir::Value x);
/// exp(x + rest) for f64, where rest is at most a few units in the last place
/// of x if both are finite.
mlir::Value expandExpOfSum(const Arithmetic &a, mlir::Value x,
                           mlir::Value rest);
mlir::Value expandPow(const Arithmetic &a, mlir::Value x, mlir::Value y);

/// exp(x) within 1.1 ULP, and an approximation of its rounding error.
struct ExpWithRest {
  mlir::Value exp, rest;
};
ExpWithRest expandExpWithRest(const Arithmetic &a, mlir::Value x);

/// x = 2^exponent (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)). The exponent is a
/// float.
struct Split {
  mlir::Value exponent, f;
};
/// Splits a positive finite number.
Split splitPositive(const Arithmetic &a, mlir::Value x);
/// Selects y where x is positive and finite, and the special value of log(x)
/// elsewhere.
mlir::Value logWithin(const Arithmetic &a, mlir::Value x, mlir::Value y);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MATH_ELEMENTARYARITHMETIC_H
