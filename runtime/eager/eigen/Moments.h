//===- Moments.h - Sums and squares of distances ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_MOMENTS_H
#define TANDEM_RUNTIME_EAGER_EIGEN_MOMENTS_H

#include "kernels/Kernels.h"

#include <algorithm>

namespace tandem::eager {

/// The elements of a block of a line: 16 KiB of f64.
inline constexpr int64_t kMomentsBlock = 2048;

/// The sums of elements and of squares of distances from their mean of several
/// results, each of `count` elements.
struct Moments {
  double *sum, *squares;
  int64_t count = 0;

  void merge(const MomentsKernels &kernels, const Moments &more, int64_t n) {
    if (count == 0) {
      std::copy_n(more.sum, n, sum);
      std::copy_n(more.squares, n, squares);
    } else if (more.count != 0) {
      kernels.merge(sum, squares, static_cast<double>(count), more.sum,
                    more.squares, static_cast<double>(more.count), n);
    }
    count += more.count;
  }

  /// Adds n elements that lie side by side to one result, in blocks.
  template <typename T>
  void addLine(const MomentsKernels &kernels, const T *in, int64_t n) {
    for (int64_t at = 0; at < n; at += kMomentsBlock) {
      double blockSum, blockSquares;
      const Moments block{&blockSum, &blockSquares,
                          std::min(kMomentsBlock, n - at)};
      kernels.ofLine(in + at, block.count, &blockSum, &blockSquares);
      merge(kernels, block, 1);
    }
  }
};

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_MOMENTS_H
