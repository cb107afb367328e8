//===- ByteProduct.h - Matrix products of 8-bit integers --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions and matrix products are computed as products of two matrices.
// Row i of the left matrix has the data for position i of the result, and
// column j of the right matrix has the weights of output channel j. All
// elements are widened to 16 bits, because the instruction that multiplies
// pairs of elements and adds the two products never saturates then.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_BYTES_BYTEPRODUCT_H
#define TANDEM_RUNTIME_EAGER_EIGEN_BYTES_BYTEPRODUCT_H

#include "../Parallel.h"
#include "../Prepare.h"
#include "../kernels/Kernels.h"

#include <algorithm>
#include <vector>

namespace tandem::eager {

/// The rows that a task computes at a time.
inline constexpr int64_t kRowsOfTask = 16;

/// The sizes of one product: m rows and n columns of k elements, each padded
/// with zeros to a whole number of vectors.
struct ProductSizes {
  int64_t m, n, k;

  int64_t paddedK() const { return countParts(k, kByteDepth) * kByteDepth; }
};

/// Widens `count` elements that are `stride` apart.
template <typename T>
void widen(const T *from, int64_t stride, int64_t count, int16_t *to) {
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i];
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i * stride];
}

/// Widens n columns of k elements. Elements of a column are `depthStride`
/// apart, and columns `stride`. Columns may be side by side in memory, so a few
/// elements of many columns are read before those behind them.
inline void widenColumns(const int8_t *from, int64_t n, int64_t stride,
                         int64_t k, int64_t depthStride, int16_t *to,
                         int64_t toStride) {
  constexpr int64_t kColumns = 64, kDepth = 16;
  parallelFor(
      countParts(n, kColumns), grainFor(kColumns * k),
      [&](int64_t begin, int64_t end) {
        const int64_t last = std::min(end * kColumns, n);
        for (int64_t first = begin * kColumns; first < last; first += kColumns)
          for (int64_t p = 0; p < k; p += kDepth)
            for (int64_t j = first; j < std::min(first + kColumns, last); ++j)
              widen(from + j * stride + p * depthStride, depthStride,
                    std::min(kDepth, k - p), to + j * toStride + p);
      });
}

/// Multiplies rows by `columns`, some rows at a time. `fill(first, count,
/// rows)` writes the elements of `count` rows, beginning with row `first`, to
/// `rows`, which has zeros before. `store(first, count, sums)` gets the n sums
/// of each of these rows.
template <typename Fill, typename Store>
void multiplyBytes(const ProductSizes &sizes, const int16_t *columns, Fill fill,
                   Store store) {
  const int64_t k = sizes.paddedK(), n = sizes.n;
  parallelFor(
      countParts(sizes.m, kRowsOfTask), grainFor(kRowsOfTask * n * k / 16),
      [&](int64_t begin, int64_t end) {
        std::vector<int16_t> rows(kRowsOfTask * k);
        std::vector<int32_t> sums(kRowsOfTask * n);
        for (int64_t block = begin; block < end; ++block) {
          const int64_t first = block * kRowsOfTask,
                        count = std::min(kRowsOfTask, sizes.m - first);
          std::fill(rows.begin(), rows.end(), int16_t(0));
          fill(first, count, rows.data());
          kernels().byteDots()(rows.data(), columns, sums.data(), count, n, k);
          store(first, count, sums.data());
        }
      });
}

/// `Op` for the type of the data.
template <template <typename> typename Op, typename Sizes>
Prepared makeForBytes(DType data, const Sizes &sizes) {
  if (data == DType::ui8)
    return std::make_unique<Op<uint8_t>>(sizes);
  return std::make_unique<Op<int8_t>>(sizes);
}

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_BYTES_BYTEPRODUCT_H
