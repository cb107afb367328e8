//===- ResizeGroups.h - Resizing one dim after another ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_RESIZEGROUPS_H
#define TANDEM_RUNTIME_EAGER_EIGEN_RESIZEGROUPS_H

#include "Prepare.h"
#include "ResizePlan.h"

namespace tandem::eager {

/// Resizes one dim of tensors in memory, of `outer` times the size of the dim
/// times `inner` elements.
struct ResizePass {
  int64_t from, to, outer, inner;
  /// If `inner` is small: a table of elements for `lines` of the `outer` lines
  /// of from * inner elements. Otherwise a table of positions for one line.
  RowSegment table;
  int64_t lines = 1;

  bool isExpanded() const { return inner < ResizePlan::kMaxExpanded; }
  int64_t resultElements() const { return outer * to * inner; }
};

/// A resize that computes all resized dims of a few thousand elements, one dim
/// after another, while these are in caches. This is faster than the rows of
/// ResizePlan if rows are short, or if more than two dims are resized, because
/// then a row has few elements for each row that it is a sum of.
struct ResizeGroups {
  /// Returns nothing if ResizePlan is faster, or if there are positions without
  /// taps or with the extrapolation value.
  static std::optional<ResizeGroups> of(const OpSignature &signature);

  DType computed = DType::f32;
  /// The number of groups, and the elements of each in the operand and in the
  /// result.
  int64_t groups = 1, operandElements = 1, resultElements = 1;
  std::vector<ResizePass> passes;
};

/// Prepares a resize of groups; null if ResizePlan is faster or the only way.
Prepared prepareResizeOfGroups(const OpSignature &signature);

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_RESIZEGROUPS_H
