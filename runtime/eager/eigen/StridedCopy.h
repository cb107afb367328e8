//===- StridedCopy.h - Copies between strided views -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_STRIDEDCOPY_H
#define TANDEM_RUNTIME_EAGER_EIGEN_STRIDEDCOPY_H

#include "../Strides.h"
#include "kernels/Kernels.h"

namespace tandem::eager {

/// Copies elements of 1, 2, 4 or 8 bytes: out at i * outStrides = in at
/// i * inStrides, for every index i of a shape. An in stride of 0 repeats. On
/// many threads where there is much to copy.
class StridedCopy {
public:
  /// Strides and starts are in elements.
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

  /// Dims around the innermost (and around both that a transpose exchanges).
  Shape outer;
  /// In bytes, of in and out.
  std::array<Strides, 2> strides;
  std::array<int64_t, 2> start, innerStride{};
  int64_t inner = 1, width;
  Inner kind;
  /// The dim that is contiguous in `in`, of a transpose.
  int64_t columns = 1, columnStride = 0;
  TransposeKernel kernel;
};

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_STRIDEDCOPY_H
