//===- IndexExprs.h - Affine expressions with known ranges ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CONVERSION_TANDEMTOLINALG_INDEXEXPRS_H
#define TANDEM_LIB_CONVERSION_TANDEMTOLINALG_INDEXEXPRS_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tandem {

/// An affine expression as a sum: constant + coefficients * dims + other terms
/// (floordiv, mod, symbols and multiples of them).
struct LinearForm {
  int64_t constant = 0;
  llvm::SmallVector<int64_t> coefficients;
  llvm::SmallVector<mlir::AffineExpr> others;
  bool isLinear() const { return others.empty(); }
};

LinearForm toLinearForm(mlir::AffineExpr expr, unsigned numDims);
mlir::AffineExpr fromLinearForm(const LinearForm &form,
                                mlir::MLIRContext *context);

/// The sizes of dims and symbols, whose values are in [0, size), and arithmetic
/// that simplifies expressions with them.
struct IndexRanges {
  llvm::SmallVector<int64_t> dims, symbols;

  struct Range {
    int64_t low, high; // inclusive
  };
  /// The bounds of an expression; nothing for kinds of expressions that are not
  /// used here.
  std::optional<Range> get(mlir::AffineExpr expr) const;

  /// `expr floordiv divisor` and `expr mod divisor` for divisor >= 1,
  /// simplified with the known ranges.
  mlir::AffineExpr floorDiv(mlir::AffineExpr expr, int64_t divisor) const;
  mlir::AffineExpr mod(mlir::AffineExpr expr, int64_t divisor) const;

private:
  /// Splits expr = divisor * quotient + rest with 0 <= rest < divisor.
  bool split(mlir::AffineExpr expr, int64_t divisor, mlir::AffineExpr &quotient,
             mlir::AffineExpr &rest) const;
};

/// The row-major strides of a shape, in elements.
llvm::SmallVector<int64_t> getStrides(llvm::ArrayRef<int64_t> shape);

/// The index in a tensor of shape `to` of the element with index `index` in
/// shape `from`. Both shapes must have equally many elements, in row-major
/// order.
llvm::SmallVector<mlir::AffineExpr, 4>
reshapeIndex(const IndexRanges &ranges, llvm::ArrayRef<mlir::AffineExpr> index,
             llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
             mlir::MLIRContext *context);

} // namespace tandem

#endif // TANDEM_LIB_CONVERSION_TANDEMTOLINALG_INDEXEXPRS_H
