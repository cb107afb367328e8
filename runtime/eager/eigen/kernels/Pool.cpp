//===- Pool.cpp - Inner loops of pools with indices and of gradients ------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Level.h"

// Rows have only a few vectors. If the loop were interleaved to handle several
// vectors at a time, most elements would be left to the scalar remainder loop.
#define TANDEM_SHORT_LOOP _Pragma("clang loop interleave(disable)")

namespace tandem::eager::TANDEM_LEVEL {
namespace {

/// An integer as wide as T, for the numbers of taps: so that the comparisons of
/// elements select numbers without a conversion.
template <typename T>
using TapOf = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

/// Whether `x` displaces `best` as the largest element.
template <typename T> [[gnu::always_inline]] inline bool wins(T x, T best) {
  return (x > best) | ((x != x) & (best == best));
}

//===----------------------------------------------------------------------===//
// The largest elements and their taps
//===----------------------------------------------------------------------===//

template <typename T, int64_t known>
[[gnu::always_inline]] inline void
maxRowsRun(const void *const *rows, const uint8_t *taps, int64_t count, T *out,
           uint8_t *index, int64_t first, int64_t size) {
  const int64_t n = known != 0 ? known : size;
  T best[128 / sizeof(T)];
  TapOf<T> at[128 / sizeof(T)];
  for (int64_t k = 0; k < n; ++k) {
    best[k] = static_cast<const T *>(rows[0])[first + k];
    at[k] = taps[0];
  }
  for (int64_t j = 1; j < count; ++j) {
    const T *row = static_cast<const T *>(rows[j]) + first;
    const TapOf<T> tap = taps[j];
    for (int64_t k = 0; k < n; ++k) {
      const bool isLarger = wins(row[k], best[k]);
      best[k] = isLarger ? row[k] : best[k];
      at[k] = isLarger ? tap : at[k];
    }
  }
  for (int64_t k = 0; k < n; ++k) {
    out[first + k] = best[k];
    index[first + k] = static_cast<uint8_t>(at[k]);
  }
}

template <typename T>
void maxRows(const void *const *rows, const uint8_t *taps, int64_t count,
             void *out, uint8_t *index, int64_t n) {
  constexpr int64_t run = 128 / sizeof(T);
  T *to = static_cast<T *>(out);
  int64_t i = 0;
  for (; i + run <= n; i += run)
    maxRowsRun<T, run>(rows, taps, count, to, index, i, run);
  if (i < n)
    maxRowsRun<T, 0>(rows, taps, count, to, index, i, n - i);
}

template <typename T>
void maxDown(void *best, void *taps, const void *row, int64_t tap, int64_t n) {
  T *__restrict to = static_cast<T *>(best);
  TapOf<T> *__restrict at = static_cast<TapOf<T> *>(taps);
  const T *__restrict x = static_cast<const T *>(row);
  TANDEM_SHORT_LOOP
  for (int64_t i = 0; i < n; ++i) {
    const bool isLarger = wins(x[i], to[i]);
    to[i] = isLarger ? x[i] : to[i];
    at[i] = isLarger ? TapOf<T>(tap) : at[i];
  }
}

template <typename T> void fillTaps(void *taps, int64_t tap, int64_t n) {
  TapOf<T> *at = static_cast<TapOf<T> *>(taps);
  for (int64_t i = 0; i < n; ++i)
    at[i] = TapOf<T>(tap);
}

/// `known` is the stride, or 0 where it is known at run time alone. Among equal
/// elements, the one with the lowest tap wins.
template <typename T, int known>
void maxAlongLoop(const T *__restrict x, const TapOf<T> *__restrict at,
                  T *__restrict out, TapOf<T> *__restrict chosen, int64_t n,
                  int64_t taps, int64_t stride, int64_t dilation) {
  const int64_t step = known ? known : stride;
  for (int64_t i = 0; i < n; ++i) {
    out[i] = x[i * step];
    chosen[i] = at[i * step];
  }
  for (int64_t j = 1; j < taps; ++j) {
    TANDEM_SHORT_LOOP
    for (int64_t i = 0; i < n; ++i) {
      const T y = x[i * step + j * dilation];
      const TapOf<T> tap = at[i * step + j * dilation] + TapOf<T>(j);
      const bool isEqual = (y == out[i]) | ((y != y) & (out[i] != out[i]));
      const bool isChosen = wins(y, out[i]) | (isEqual & (tap < chosen[i]));
      out[i] = isChosen ? y : out[i];
      chosen[i] = isChosen ? tap : chosen[i];
    }
  }
}

template <typename T>
void maxAlong(const void *best, const void *taps, void *out, void *chosen,
              uint8_t *index, int64_t n, int64_t window, int64_t stride,
              int64_t dilation) {
  const auto loop = stride == 1   ? maxAlongLoop<T, 1>
                    : stride == 2 ? maxAlongLoop<T, 2>
                                  : maxAlongLoop<T, 0>;
  TapOf<T> *at = static_cast<TapOf<T> *>(chosen);
  loop(static_cast<const T *>(best), static_cast<const TapOf<T> *>(taps),
       static_cast<T *>(out), at, n, window, stride, dilation);
  for (int64_t i = 0; i < n; ++i) // A window in padding has no tap.
    index[i] = static_cast<uint8_t>(at[i] >= kNoTap ? 0 : at[i]);
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

template <typename T, int64_t known>
[[gnu::always_inline]] inline void
sumChosenRun(const void *const *rows, const uint8_t *const *index,
             const uint8_t *taps, int64_t count, T *out, int64_t first,
             int64_t size) {
  const int64_t n = known != 0 ? known : size;
  T sum[128 / sizeof(T)] = {};
  for (int64_t j = 0; j < count; ++j) {
    const T *row = static_cast<const T *>(rows[j]) + first;
    const uint8_t *chosen = index[j] + first;
    const uint8_t tap = taps[j];
    for (int64_t k = 0; k < n; ++k)
      sum[k] += chosen[k] == tap ? row[k] : T(0);
  }
  for (int64_t k = 0; k < n; ++k)
    out[first + k] = sum[k];
}

template <typename T>
void sumChosenRows(const void *const *rows, const uint8_t *const *index,
                   const uint8_t *taps, int64_t count, void *out, int64_t n) {
  constexpr int64_t run = 128 / sizeof(T);
  T *to = static_cast<T *>(out);
  int64_t i = 0;
  for (; i + run <= n; i += run)
    sumChosenRun<T, run>(rows, index, taps, count, to, i, run);
  if (i < n)
    sumChosenRun<T, 0>(rows, index, taps, count, to, i, n - i);
}

template <typename T, int64_t known>
[[gnu::always_inline]] inline void
sumScaledRun(const void *const *rows, const double *factors, int64_t count,
             T *out, int64_t first, int64_t size) {
  const int64_t n = known != 0 ? known : size;
  T sum[128 / sizeof(T)] = {};
  for (int64_t j = 0; j < count; ++j) {
    const T *row = static_cast<const T *>(rows[j]) + first;
    const T factor = static_cast<T>(factors[j]);
    for (int64_t k = 0; k < n; ++k)
      sum[k] += row[k] * factor;
  }
  for (int64_t k = 0; k < n; ++k)
    out[first + k] = sum[k];
}

template <typename T>
void sumScaledRows(const void *const *rows, const double *factors,
                   int64_t count, void *out, int64_t n) {
  constexpr int64_t run = 128 / sizeof(T);
  T *to = static_cast<T *>(out);
  int64_t i = 0;
  for (; i + run <= n; i += run)
    sumScaledRun<T, run>(rows, factors, count, to, i, run);
  if (i < n)
    sumScaledRun<T, 0>(rows, factors, count, to, i, n - i);
}

template <typename T>
void addChosen(void *sums, const void *row, const uint8_t *index, uint8_t tap,
               int64_t n) {
  T *__restrict sum = static_cast<T *>(sums);
  const T *__restrict x = static_cast<const T *>(row);
  const uint8_t *__restrict chosen = index;
  TANDEM_SHORT_LOOP
  for (int64_t i = 0; i < n; ++i)
    sum[i] += chosen[i] == tap ? x[i] : T(0);
}

template <typename T>
void addScaled(void *sums, const void *row, const void *factors, int64_t n) {
  T *__restrict sum = static_cast<T *>(sums);
  const T *__restrict x = static_cast<const T *>(row);
  const T *__restrict factor = static_cast<const T *>(factors);
  TANDEM_SHORT_LOOP
  for (int64_t i = 0; i < n; ++i)
    sum[i] += x[i] * factor[i];
}

/// Two phases, one of each: the usual stride.
template <typename T>
void interleave(const void *phases, int64_t distance, int64_t count, void *out,
                int64_t n) {
  const T *__restrict from = static_cast<const T *>(phases);
  T *__restrict to = static_cast<T *>(out);
  int64_t i = 0;
  if (count == 2)
    for (; 2 * i + 1 < n; ++i) {
      to[2 * i] = from[i];
      to[2 * i + 1] = from[distance + i];
    }
  for (i *= 2; i < n; ++i)
    to[i] = from[i % count * distance + i / count];
}

} // namespace

const PoolKernels *findPool(DType dtype) {
  return forFloat<const PoolKernels *>(
      dtype, []<typename T>() -> const PoolKernels * {
        static constexpr PoolKernels kernels = {
            maxRows<T>,   maxDown<T>,       fillTaps<T>,
            maxAlong<T>,  sumChosenRows<T>, sumScaledRows<T>,
            addChosen<T>, addScaled<T>,     interleave<T>};
        return &kernels;
      });
}

} // namespace tandem::eager::TANDEM_LEVEL
