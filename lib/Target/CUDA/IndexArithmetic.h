//===- IndexArithmetic.h - Affine expressions as arithmetic -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_INDEXARITHMETIC_H
#define TANDEM_LIB_TARGET_CUDA_INDEXARITHMETIC_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace tandem::codegen {

/// Emits index arithmetic as arith ops that do not overflow. It tracks the
/// bounds of the values that it creates, so that floor division and modulo
/// become plain division and remainder wherever the operand cannot be negative.
class IndexArithmetic {
public:
  explicit IndexArithmetic(mlir::OpBuilder &builder) : builder(builder) {}

  /// Declares that `lower` <= `value` <= `upper`.
  void setBounds(mlir::Value value, int64_t lower, int64_t upper);

  mlir::Value constant(mlir::Location loc, int64_t value);
  mlir::Value add(mlir::Location loc, mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Location loc, mlir::Value lhs, mlir::Value rhs);

  /// Emits the value of `expr`. `operands` are the values of its dims, followed
  /// by those of its symbols.
  mlir::Value apply(mlir::Location loc, mlir::AffineExpr expr, unsigned numDims,
                    mlir::ValueRange operands);

  /// Whether some value may not fit in 32 bits.
  bool needsWideIndex() const { return wide; }

private:
  struct Range {
    int64_t lower, upper;
  };

  mlir::Value emit(mlir::Location loc, mlir::AffineExpr expr, unsigned numDims,
                   mlir::ValueRange operands);
  mlir::Value divide(mlir::Location loc, mlir::AffineBinaryOpExpr expr,
                     unsigned numDims, mlir::ValueRange operands);
  /// The range of the values that `expr` may take; none where the range of an
  /// operand is not known.
  std::optional<Range> range(mlir::AffineExpr expr, unsigned numDims,
                             mlir::ValueRange operands) const;
  std::optional<Range> range(mlir::Value value) const;
  /// The range of `range` combined with the positive constant `by`, by an
  /// expression of kind `kind` (not Add).
  static Range scaledRange(mlir::AffineExprKind kind, Range range, int64_t by);

  mlir::OpBuilder &builder;
  mlir::DenseMap<mlir::Value, Range> ranges;
  bool wide = false;
};

} // namespace tandem::codegen

#endif // TANDEM_LIB_TARGET_CUDA_INDEXARITHMETIC_H
