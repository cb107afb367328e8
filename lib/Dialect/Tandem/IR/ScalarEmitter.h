//===- ScalarEmitter.h - Building ops on scalars ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_IR_SCALAREMITTER_H
#define TANDEM_LIB_DIALECT_TANDEM_IR_SCALAREMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tandem::ir {

/// Builds arith and math ops on scalars at one location, for floats or integers
/// by the type of the operands. Integer scalars have no sign: whether they
/// stand for unsigned ones is known from the dialect's types. Ops on constants
/// are folded; the folder of tensor constants relies on that.
struct ScalarEmitter {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  bool isUnsigned = false;

  template <typename OpTy, typename... Args> mlir::Value make(Args &&...args) {
    return builder.createOrFold<OpTy>(loc, std::forward<Args>(args)...);
  }
  /// Builds a FloatOp or an IntOp, by the type of the first operand.
  template <typename FloatOp, typename IntOp>
  mlir::Value either(mlir::ValueRange operands) {
    if (isFloat(operands[0]))
      return make<FloatOp>(operands);
    return make<IntOp>(operands);
  }

  static bool isFloat(mlir::Value value) {
    return mlir::isa<mlir::FloatType>(value.getType());
  }

  mlir::Value constant(mlir::Type type, double value) {
    if (mlir::isa<mlir::FloatType>(type))
      return make<mlir::arith::ConstantOp>(builder.getFloatAttr(type, value));
    return make<mlir::arith::ConstantOp>(
        builder.getIntegerAttr(type, static_cast<int64_t>(value)));
  }
  mlir::Value constant(mlir::Type type, const llvm::APInt &value) {
    return make<mlir::arith::ConstantOp>(builder.getIntegerAttr(type, value));
  }
  /// A constant of the type of `value`.
  mlir::Value like(mlir::Value value, double number) {
    return constant(value.getType(), number);
  }

  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs) {
    return make<mlir::arith::CmpIOp>(predicate, lhs, rhs);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs) {
    return make<mlir::arith::CmpFOp>(predicate, lhs, rhs);
  }
  mlir::Value select(mlir::Value condition, mlir::Value onTrue,
                     mlir::Value onFalse) {
    return make<mlir::arith::SelectOp>(condition, onTrue, onFalse);
  }

  mlir::Value add(mlir::Value x, mlir::Value y) {
    return either<mlir::arith::AddFOp, mlir::arith::AddIOp>({x, y});
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return either<mlir::arith::SubFOp, mlir::arith::SubIOp>({x, y});
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return either<mlir::arith::MulFOp, mlir::arith::MulIOp>({x, y});
  }
  mlir::Value maximum(mlir::Value x, mlir::Value y) {
    if (isUnsigned)
      return make<mlir::arith::MaxUIOp>(x, y);
    return either<mlir::arith::MaximumFOp, mlir::arith::MaxSIOp>({x, y});
  }
  mlir::Value minimum(mlir::Value x, mlir::Value y) {
    if (isUnsigned)
      return make<mlir::arith::MinUIOp>(x, y);
    return either<mlir::arith::MinimumFOp, mlir::arith::MinSIOp>({x, y});
  }
};

} // namespace tandem::ir

#endif // TANDEM_LIB_DIALECT_TANDEM_IR_SCALAREMITTER_H
