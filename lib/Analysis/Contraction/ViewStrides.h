//===- ViewStrides.h - The strides of a view --------------------*- C++ -*-===//
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

/// A tensor that is a view, through transposes, reshapes and slices, of a
/// row-major tensor in memory.
struct View {
  /// A range of `extent` indices. An index is split into mixed-radix digits,
  /// innermost last, each with a size and a stride in elements. Where a slice
  /// has cut a dim short, `extent` is less than the product of the sizes; this
  /// affects only the first digit.
  struct Digit {
    int64_t size, stride;
  };
  struct Part {
    int64_t extent;
    llvm::SmallVector<Digit, 2> digits;
  };
  /// A dim of the view: a product of parts, innermost last.
  using Dim = llvm::SmallVector<Part, 2>;

  mlir::Value source;
  llvm::SmallVector<Dim, 6> dims;

  /// The stride of a dim, in elements; nothing where a single stride does not
  /// describe it.
  std::optional<int64_t> getStride(unsigned dim) const;
  /// The stride from group to group, in elements, of a dim whose elements lie
  /// side by side in groups of `size`; the last group may be incomplete. Nothing
  /// for other dims.
  std::optional<int64_t> getGroupStride(unsigned dim, int64_t size) const;
};

/// Looks through views from `value` to the tensor that they view: the first one
/// from which on all views can be described in this form.
View lookThroughViews(mlir::Value value);

/// A row-major tensor as a view of itself.
View viewInPlace(mlir::Value value);

/// Splits off the outermost parts of `dim` that make up `extent`; nothing where
/// that would divide a part that has several digits.
std::optional<View::Dim> takeOuter(View::Dim &dim, int64_t extent);

} // namespace tandem

#endif // TANDEM_LIB_ANALYSIS_CONTRACTION_VIEWSTRIDES_H
