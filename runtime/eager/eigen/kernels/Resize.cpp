//===- Resize.cpp - Inner loops of interpolation --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Level.h"

#include <cmath>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace tandem::eager::TANDEM_LEVEL {
namespace {

constexpr int64_t kGroup = PickedElements::kGroup;

//===----------------------------------------------------------------------===//
// Nearest elements
//===----------------------------------------------------------------------===//

template <typename T>
void pick(const void *in, const PickedElements &picked, void *out) {
  const T *from = static_cast<const T *>(in);
  T *to = static_cast<T *>(out);
  for (int64_t i = 0; i < picked.n; ++i)
    to[i] = from[picked.index[i]];
}

#ifdef __AVX512F__
/// Returns the lanes of a group's elements in the vector that begins at `base`.
[[gnu::always_inline]] inline __m512i lanesOf(const int32_t *index,
                                              int32_t base) {
  return _mm512_sub_epi32(_mm512_loadu_si512(index), _mm512_set1_epi32(base));
}

/// Loads one vector and permutes it instead of reading each element.
template <>
void pick<uint32_t>(const void *in, const PickedElements &picked, void *out) {
  const uint32_t *from = static_cast<const uint32_t *>(in);
  uint32_t *to = static_cast<uint32_t *>(out);
  for (int64_t i = 0; i < picked.n; i += kGroup) {
    const int32_t base = picked.bases[i / kGroup];
    if (base >= 0 && picked.n - i >= kGroup) {
      _mm512_storeu_si512(
          to + i, _mm512_permutexvar_epi32(lanesOf(picked.index + i, base),
                                           _mm512_loadu_si512(from + base)));
      continue;
    }
    for (int64_t k = i; k < i + kGroup && k < picked.n; ++k)
      to[k] = from[picked.index[k]];
  }
}
#endif

//===----------------------------------------------------------------------===//
// Along a row
//===----------------------------------------------------------------------===//

/// Sums the taps of `n` neighboring results, at most a group. A number of taps
/// that is known (`numTaps` > 0) is unrolled.
template <int numTaps, typename T>
[[gnu::always_inline]] inline void
gatherGroup(const T *__restrict__ in, const int32_t *__restrict__ index,
            const T *__restrict__ weights, T *__restrict__ out, int64_t n,
            int64_t taps, int64_t stride) {
  T sums[kGroup];
  for (int64_t i = 0; i < n; ++i)
    sums[i] = weights[i] * in[index[i]];
  const int64_t count = numTaps ? numTaps : taps;
  for (int64_t k = 1; k < count; ++k)
    for (int64_t i = 0; i < n; ++i)
      sums[i] += weights[k * stride + i] * in[index[k * stride + i]];
  for (int64_t i = 0; i < n; ++i)
    out[i] = sums[i];
}

#ifdef __AVX512F__
/// Sums the taps of a group whose elements are all in one vector.
[[gnu::always_inline]] inline void
permuteGroup(const float *in, const int32_t *index, const float *weights,
             int32_t base, float *out, int64_t taps, int64_t stride) {
  const __m512 elements = _mm512_loadu_ps(in + base);
  __m512 sum =
      _mm512_mul_ps(_mm512_loadu_ps(weights),
                    _mm512_permutexvar_ps(lanesOf(index, base), elements));
  for (int64_t k = 1; k < taps; ++k)
    sum = _mm512_fmadd_ps(
        _mm512_loadu_ps(weights + k * stride),
        _mm512_permutexvar_ps(lanesOf(index + k * stride, base), elements),
        sum);
  _mm512_storeu_ps(out, sum);
}
#endif

template <int numTaps, typename T>
void sumGroups(const T *in, const PickedElements &picked, const T *weights,
               int64_t taps, T *out) {
  const int64_t n = picked.n;
  for (int64_t i = 0; i < n; i += kGroup) {
    const int32_t *index = picked.index + i;
    const bool isWhole = n - i >= kGroup;
#ifdef __AVX512F__
    if constexpr (sizeof(T) == 4)
      if (const int32_t base = picked.bases[i / kGroup]; isWhole && base >= 0) {
        permuteGroup(in, index, weights + i, base, out + i,
                     numTaps ? numTaps : taps, n);
        continue;
      }
#endif
    if (isWhole)
      gatherGroup<numTaps>(in, index, weights + i, out + i, kGroup, taps, n);
    else
      gatherGroup<numTaps>(in, index, weights + i, out + i, n - i, taps, n);
  }
}

template <typename T>
void alongRow(const void *in, const PickedElements &picked, const void *weights,
              int64_t taps, void *out) {
  const T *from = static_cast<const T *>(in),
          *factors = static_cast<const T *>(weights);
  T *to = static_cast<T *>(out);
  switch (taps) {
  case 2:
    return sumGroups<2>(from, picked, factors, taps, to);
  case 4:
    return sumGroups<4>(from, picked, factors, taps, to);
  default:
    return sumGroups<0>(from, picked, factors, taps, to);
  }
}

//===----------------------------------------------------------------------===//
// Across rows
//===----------------------------------------------------------------------===//

/// Sums a fixed number of rows. `isFirst`: `out` has no sums of rows before.
template <int count, bool isFirst, typename T>
void sumRows(const void *const *rows, const T *__restrict__ weights,
             T *__restrict__ out, int64_t n) {
  const T *row[count];
  T weight[count];
  for (int k = 0; k < count; ++k) {
    row[k] = static_cast<const T *>(rows[k]);
    weight[k] = weights[k];
  }
  for (int64_t i = 0; i < n; ++i) {
    T sum = isFirst ? weight[0] * row[0][i] : out[i] + weight[0] * row[0][i];
#pragma GCC unroll 4
    for (int k = 1; k < count; ++k)
      sum += weight[k] * row[k][i];
    out[i] = sum;
  }
}

template <bool isFirst, typename T>
void sumUpToFour(const void *const *rows, const T *weights, int64_t count,
                 T *out, int64_t n) {
  switch (count) {
  case 1:
    return sumRows<1, isFirst>(rows, weights, out, n);
  case 2:
    return sumRows<2, isFirst>(rows, weights, out, n);
  case 3:
    return sumRows<3, isFirst>(rows, weights, out, n);
  default:
    return sumRows<4, isFirst>(rows, weights, out, n);
  }
}

template <typename T>
void acrossRows(const void *const *rows, const void *weights, int64_t count,
                void *out, int64_t n) {
  const T *factors = static_cast<const T *>(weights);
  T *sums = static_cast<T *>(out);
  sumUpToFour<true>(rows, factors, count < 4 ? count : 4, sums, n);
  for (int64_t k = 4; k < count; k += 4)
    sumUpToFour<false>(rows + k, factors + k, count - k < 4 ? count - k : 4,
                       sums, n);
}

template <bool truncates> void roundAll(double *x, int64_t n, double grid) {
  const double step = 1 / grid; // A power of two.
  for (int64_t i = 0; i < n; ++i) {
    const double rounded = __builtin_nearbyint(x[i] * grid) * step;
    x[i] = truncates ? __builtin_trunc(rounded) : __builtin_nearbyint(rounded);
  }
}

void roundRow(void *row, int64_t n, double grid, bool truncates) {
  double *x = static_cast<double *>(row);
  truncates ? roundAll<true>(x, n, grid) : roundAll<false>(x, n, grid);
}

} // namespace

PickKernel findPick(int64_t width) {
  switch (width) {
  case 1:
    return pick<uint8_t>;
  case 2:
    return pick<uint16_t>;
  case 4:
    return pick<uint32_t>;
  default:
    return pick<uint64_t>;
  }
}

InterpolationKernels findInterpolation(DType dtype) {
  if (dtype == DType::f32)
    return {alongRow<float>, acrossRows<float>, nullptr};
  return {alongRow<double>, acrossRows<double>, roundRow};
}

} // namespace tandem::eager::TANDEM_LEVEL
