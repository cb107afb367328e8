//===- ElementaryArithmetic.h - What functions expand to --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_ELEMENTARYARITHMETIC_H
#define TANDEM_LIB_TARGET_CPU_ELEMENTARYARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tandem {

/// Arithmetic on scalars or vectors of the shape of a first value.
struct Arithmetic {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type like;
  /// Whether the target has AVX-512.
  bool avx512;

  mlir::Type typed(mlir::Type element) const {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(like))
      return vector.clone(element);
    return element;
  }
  mlir::Type i32() const { return typed(b.getI32Type()); }
  mlir::Type f32() const { return typed(b.getF32Type()); }
  mlir::Type f64() const { return typed(b.getF64Type()); }

  mlir::Value constant(mlir::Type element, mlir::Attribute value) const {
    mlir::Type type = typed(element);
    auto attr = llvm::cast<mlir::TypedAttr>(value);
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      attr = mlir::SplatElementsAttr::get(vector, attr);
    return mlir::arith::ConstantOp::create(b, loc, attr);
  }
  mlir::Value f(double value) const {
    return constant(b.getF32Type(), b.getF32FloatAttr(value));
  }
  mlir::Value d(double value) const {
    return constant(b.getF64Type(), b.getF64FloatAttr(value));
  }
  mlir::Value i(int64_t value) const {
    return constant(b.getI32Type(),
                    b.getI32IntegerAttr(static_cast<int32_t>(value)));
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
  mlir::Value shl(mlir::Value x, int64_t by) const {
    return mlir::arith::ShLIOp::create(b, loc, x, i(by));
  }
  mlir::Value shr(mlir::Value x, int64_t by) const {
    return mlir::arith::ShRSIOp::create(b, loc, x, i(by));
  }
  mlir::Value bits(mlir::Value x) const {
    return mlir::arith::BitcastOp::create(b, loc, i32(), x);
  }
  mlir::Value toFloat(mlir::Value x) const {
    return mlir::arith::SIToFPOp::create(b, loc, f32(), x);
  }
  mlir::Value fromBits(mlir::Value x) const {
    return mlir::arith::BitcastOp::create(b, loc, f32(), x);
  }
  mlir::Value less(mlir::Value x, mlir::Value y) const {
    return mlir::arith::CmpFOp::create(b, loc, mlir::arith::CmpFPredicate::OLT,
                                       x, y);
  }
  mlir::Value equal(mlir::Value x, mlir::Value y) const {
    return mlir::arith::CmpFOp::create(b, loc, mlir::arith::CmpFPredicate::OEQ,
                                       x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x,
                     mlir::Value y) const {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// min(x, bound) and max(x, bound), where NaN stays NaN.
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
  /// Coefficients from the highest power down.
  mlir::Value horner(mlir::Value x, mlir::ArrayRef<double> coefficients) const {
    mlir::Value sum = f(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, f(coefficient));
    return sum;
  }

  /// Whether values fill registers of AVX-512, so that what follows applies.
  bool isWide() const;
  /// x * 2^floor(n), n of f32, rounded once.
  mlir::Value scale(mlir::Value x, mlir::Value n) const;
  /// table[index % size] for each lane; 16 or 32 entries.
  mlir::Value lookUp(mlir::ArrayRef<float> table, mlir::Value index) const;
};

/// log 2 in two parts: the first rounded to f32, and the rest.
inline constexpr double kLog2 = 0.693147182464599609375,
                        kLog2Rest = -1.904654299957767878e-9;
inline constexpr double kLog2OfE = 1.44269504088896341;
/// Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
inline constexpr double kRounder = 12582912.0;
inline constexpr int64_t kRounderBits = 0x4b400000;

/// exp, expm1, tanh and erf of f32.
mlir::Value expandExp(const Arithmetic &a, mlir::Value x);
mlir::Value expandExpm1(const Arithmetic &a, mlir::Value x);
mlir::Value expandTanh(const Arithmetic &a, mlir::Value x);
mlir::Value expandErf(const Arithmetic &a, mlir::Value x);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_ELEMENTARYARITHMETIC_H
