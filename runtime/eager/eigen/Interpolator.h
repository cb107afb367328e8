//===- Interpolator.h - Inner loops of resize -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_INTERPOLATOR_H
#define TANDEM_RUNTIME_EAGER_EIGEN_INTERPOLATOR_H

#include "ResizePlan.h"

namespace tandem::eager {

/// The inner loops of an op on elements of type `dtype`, which are computed in
/// type `computed`.
struct Interpolator {
  Interpolator(DType computed, const OpSignature &signature);

  /// Resizes a row of computed elements, which begins at the source of `table`.
  /// A position has `block` elements; if `isExpanded`, the table has them.
  void resize(const char *in, const RowSegment &table, bool isExpanded,
              int64_t block, char *out) const;
  /// Converts a computed row to elements of the result.
  void finish(char *row, int64_t count, char *out) const;

  DType dtype, computed;
  int64_t width, wideWidth;
  InterpolationKernels inner;
  UnaryKernel widen = nullptr, narrow = nullptr;
  bool truncates;

private:
  void resizeBlocks(const char *in, const RowSegment &table,
                    const char *weights, int64_t block, char *out) const;
};

/// A buffer for elements of the type `computed`.
using WideBuffer = std::vector<uint64_t>;

inline char *bytesOf(WideBuffer &buffer, int64_t elements, int64_t width) {
  buffer.resize((elements * width + 7) / 8);
  return reinterpret_cast<char *>(buffer.data());
}

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_INTERPOLATOR_H
