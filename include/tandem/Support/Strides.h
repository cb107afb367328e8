//===- Strides.h - Strides of dense tensors and walks over them -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_STRIDES_H
#define TANDEM_SUPPORT_STRIDES_H

#include "tandem/Support/TensorType.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tandem {

/// Strides by dim, in elements; 0 for dims that a tensor does not have.
using Strides = std::array<int64_t, kMaxRank>;

/// The strides of a dense row-major tensor.
inline Strides rowMajorStrides(const Shape &shape) {
  Strides strides{};
  int64_t stride = 1;
  for (int dim = shape.rank() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  return strides;
}

/// The strides with which an operand is read at the indices of `result` under
/// NumPy broadcasting: 0 along the dims in which it is repeated.
inline Strides broadcastStrides(const Shape &operand, const Shape &result) {
  const Strides own = rowMajorStrides(operand);
  const int lead = result.rank() - operand.rank();
  Strides strides{};
  for (int dim = 0; dim < operand.rank(); ++dim)
    strides[lead + dim] = operand[dim] == 1 ? 0 : own[dim];
  return strides;
}

/// Walks all indices of a shape in row-major order, and keeps the offsets, in
/// elements, of N tensors.
///   for (StridedIndex<2> i(shape, {a, b}); !i.done(); i.next())
///     use(i.offset(0), i.offset(1), i[dim]);
template <size_t N> class StridedIndex {
public:
  StridedIndex(const Shape &shape, const std::array<Strides, N> &strides,
               const std::array<int64_t, N> &start = {})
      : shape(shape), strides(strides), offsets(start),
        remaining(shape.numElements()) {}

  bool done() const { return remaining == 0; }
  /// Moves from the first index to the `count`-th in row-major order.
  void advance(int64_t count) {
    remaining -= count;
    for (int dim = shape.rank() - 1; dim >= 0 && count != 0; --dim) {
      index[dim] = count % shape[dim];
      count /= shape[dim];
      for (size_t n = 0; n < N; ++n)
        offsets[n] += index[dim] * strides[n][dim];
    }
  }
  int64_t offset(size_t n) const { return offsets[n]; }
  int64_t operator[](int dim) const { return index[dim]; }

  void next() {
    --remaining;
    for (int dim = shape.rank() - 1; dim >= 0; --dim) {
      for (size_t n = 0; n < N; ++n)
        offsets[n] += strides[n][dim];
      if (++index[dim] < shape[dim])
        return;
      for (size_t n = 0; n < N; ++n)
        offsets[n] -= strides[n][dim] * shape[dim];
      index[dim] = 0;
    }
  }

private:
  Shape shape;
  std::array<Strides, N> strides;
  std::array<int64_t, N> offsets;
  std::array<int64_t, kMaxRank> index{};
  int64_t remaining;
};

/// Simplifies a walk without changing its order: drops dims of size 1, and
/// merges two neighboring dims if, in all tensors, they can be traversed like
/// one dim.
template <size_t N>
void mergeDims(Shape &shape, std::array<Strides, N> &strides) {
  Shape merged;
  std::array<Strides, N> kept{};
  for (int dim = 0; dim < shape.rank(); ++dim) {
    if (shape[dim] == 1)
      continue;
    const int last = merged.rank() - 1;
    bool fits = last >= 0;
    for (size_t n = 0; n < N && fits; ++n)
      fits = kept[n][last] == strides[n][dim] * shape[dim];
    if (fits)
      merged[last] *= shape[dim];
    else
      merged.push_back(shape[dim]);
    for (size_t n = 0; n < N; ++n)
      kept[n][merged.rank() - 1] = strides[n][dim];
  }
  shape = merged;
  strides = kept;
}

/// Resolves a slice bound as NumPy does: a negative bound counts from the end,
/// and the result is clamped to [0, size].
inline int64_t resolveSliceBound(int64_t bound, int64_t size) {
  if (bound < 0)
    bound += size;
  return bound < 0 ? 0 : bound > size ? size : bound;
}

} // namespace tandem

#endif // TANDEM_SUPPORT_STRIDES_H
