//===- StridedCopy.h - Copies between strided views -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_STRIDEDCOPY_H
#define TANDEM_RUNTIME_EAGER_EIGEN_STRIDEDCOPY_H

#include "kernels/Kernels.h"
#include "tandem/Support/Strides.h"

namespace tandem::eager {

/// Copies elements of 1, 2, 4 or 8 bytes between strided views: for every index
/// i of a shape, the element of `in` at i * inStrides to the element of `out`
/// at i * outStrides. An input stride of 0 repeats elements. Runs on several
/// threads where there is much to copy. Immutable; any number of threads may
/// call run.
class StridedCopy {
public:
  /// Strides and starts are in elements, `width` is the size of an element in
  /// bytes.
  StridedCopy(const Shape &shape, const Strides &inStrides, int64_t inStart,
              const Strides &outStrides, int64_t outStart, int64_t width);

  void run(const void *in, void *out) const;

private:
  enum class Inner { contiguous, repeat, transpose, strided };

  Inner choose();
  void runContiguous(const char *in, char *out) const;
  void runTransposed(const char *in, char *out) const;
  void runRows(const char *in, char *out) const;
  void copyRow(const char *in, char *out) const;

  /// The dims outside the innermost one (for a transpose, outside the two that
  /// it exchanges).
  Shape outer;
  /// Strides and starts of the input and the output, in bytes.
  std::array<Strides, 2> strides;
  std::array<int64_t, 2> start, innerStride{};
  int64_t inner = 1, width;
  Inner kind;
  /// For a transpose, the dim that is contiguous in the input.
  int64_t columns = 1, columnStride = 0;
  TransposeKernel kernel;
};

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_STRIDEDCOPY_H
