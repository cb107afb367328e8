//===- ViewStrides.h - Where the elements of a view are --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_ANALYSIS_CONTRACTION_VIEWSTRIDES_H
#define TANDEM_LIB_ANALYSIS_CONTRACTION_VIEWSTRIDES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace tandem {

/// A tensor seen through transposes, reshapes and slices of another, which is
/// in memory row-major.
struct View {
  /// `extent` steps. An index i is split by the digits, innermost last, each
  /// with a stride in elements; only the first may go beyond its size's use,
  /// where a slice has cut the dim short.
  struct Digit {
    int64_t size, stride;
  };
  struct Part {
    int64_t extent;
    llvm::SmallVector<Digit, 2> digits;
  };
  /// A dim is a product of parts, innermost last.
  using Dim = llvm::SmallVector<Part, 2>;

  mlir::Value source;
  llvm::SmallVector<Dim, 6> dims;

  /// The stride of a dim with one; nothing where it has more.
  std::optional<int64_t> getStride(unsigned dim) const;
  /// The stride from pair to pair of a dim whose elements are side by side in
  /// pairs, of which the last may be cut short; nothing for others.
  std::optional<int64_t> getPairStride(unsigned dim) const;
};

/// Looks through all views of what is not one; nothing where one has no such
/// form.
std::optional<View> lookThroughViews(mlir::Value value);

/// Splits off the outermost parts of `dim` that make up `extent`; nothing where
/// that would cut through one that is no single digit.
std::optional<View::Dim> takeOuter(View::Dim &dim, int64_t extent);

} // namespace tandem

#endif // TANDEM_LIB_ANALYSIS_CONTRACTION_VIEWSTRIDES_H
