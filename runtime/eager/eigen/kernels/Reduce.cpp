//===- Reduce.cpp - Reduction kernels ---------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Level.h"

#include <Eigen/Core>

namespace tandem::eager::TANDEM_LEVEL {
namespace {

template <typename T> using U = typename Wrapping<T>::Type;

template <typename T>
using Row = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

/// The sum of few elements, in double.
template <typename T>
[[gnu::always_inline]] inline double sumWide(const T *x, int64_t n) {
  constexpr int64_t lanes = 8;
  double sums[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      sums[lane] += double(x[i + lane]);
  for (int64_t lane = 0; i + lane < n; ++lane)
    sums[lane] += double(x[i + lane]);
  for (int64_t half = lanes / 2; half != 0; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane)
      sums[lane] += sums[lane + half];
  return sums[0];
}

/// Lanes are summed in T in blocks, and all else in double. A row that is
/// shorter than the lanes is rounded only once.
template <typename T> void sumFloats(const void *in, void *out, int64_t n) {
  constexpr int64_t lanes = 256 / sizeof(T), block = kSumBlock * lanes;
  const T *x = static_cast<const T *>(in);
  double sum = 0;
  int64_t i = 0;
  while (n - i >= lanes) {
    T ofLane[lanes] = {};
    const int64_t end = i + (n - i < block ? (n - i) / lanes * lanes : block);
    for (; i < end; i += lanes)
      for (int64_t lane = 0; lane < lanes; ++lane)
        ofLane[lane] += x[i + lane];
    sum += sumWide(ofLane, lanes);
  }
  *static_cast<T *>(out) = static_cast<T>(sum + sumWide(x + i, n - i));
}

template <typename T> void sumRow(const void *in, void *out, int64_t n) {
  if constexpr (isFloating<T>)
    sumFloats<T>(in, out, n);
  else
    *static_cast<U<T> *>(out) =
        Row<U<T>>(static_cast<const U<T> *>(in), n).sum();
}

template <typename T> void prodRow(const void *in, void *out, int64_t n) {
  const T *x = static_cast<const T *>(in);
  T product = 1;
  if constexpr (isFloating<T>)
    product = Row<T>(x, n).prod();
  else
    for (int64_t i = 0; i < n; ++i)
      product = multiply(product, x[i]);
  *static_cast<T *>(out) = product;
}

/// Independent accumulators, so that one chain of maxima does not wait for the
/// last.
template <typename T, T (*combine)(T, T)>
void extremeRow(const void *in, void *out, int64_t n) {
  constexpr int64_t lanes = 256 / sizeof(T);
  const T *x = static_cast<const T *>(in);
  T best = x[0];
  int64_t i = 0;
  if (n >= lanes) {
    T acc[lanes];
    for (int64_t lane = 0; lane < lanes; ++lane)
      acc[lane] = x[lane];
    for (i = lanes; i + lanes <= n; i += lanes)
      for (int64_t lane = 0; lane < lanes; ++lane)
        acc[lane] = combine(acc[lane], x[i + lane]);
    for (int64_t half = lanes / 2; half != 0; half /= 2)
      for (int64_t lane = 0; lane < half; ++lane)
        acc[lane] = combine(acc[lane], acc[lane + half]);
    best = acc[0];
  }
  for (; i < n; ++i)
    best = combine(best, x[i]);
  *static_cast<T *>(out) = best;
}

/// Runs of columns whose accumulators stay in registers down all rows.
template <typename T, typename F>
void accumulateLoop(void *acc, const void *in, int64_t n, int64_t rows,
                    int64_t stride) {
  constexpr int64_t run = 512 / sizeof(T);
  T *a = static_cast<T *>(acc);
  const T *x = static_cast<const T *>(in);
  int64_t i = 0;
  for (; i + run <= n; i += run) {
    T sum[run];
    for (int64_t k = 0; k < run; ++k)
      sum[k] = a[i + k];
    for (int64_t j = 0; j < rows; ++j)
      for (int64_t k = 0; k < run; ++k)
        sum[k] = F{}(sum[k], x[j * stride + i + k]);
    for (int64_t k = 0; k < run; ++k)
      a[i + k] = sum[k];
  }
  T *__restrict rest = a + i;
  for (int64_t j = 0; j < rows; ++j)
    for (int64_t k = 0; k < n - i; ++k)
      rest[k] = F{}(rest[k], x[j * stride + i + k]);
}

/// sum[k] += x[j * stride + k] for j < rows, k < n.
template <typename T>
[[gnu::always_inline]] inline void accumulateRows(T *__restrict sum, const T *x,
                                                  int64_t n, int64_t rows,
                                                  int64_t stride) {
  for (int64_t j = 0; j < rows; ++j)
    for (int64_t k = 0; k < n; ++k)
      sum[k] += x[j * stride + k];
}

/// Sums of floats: rows are summed in T in blocks that are short enough for
/// errors of equal sign not to add up, and blocks in double.
template <typename T>
void accumulateSum(void *acc, const void *in, int64_t n, int64_t rows,
                   int64_t stride) {
  constexpr int64_t run = 512 / sizeof(T), block = kSumBlock;
  double *a = static_cast<double *>(acc);
  const T *x = static_cast<const T *>(in);
  for (int64_t j = 0; j < rows; j += block) {
    const T *from = x + j * stride;
    const int64_t count = rows - j < block ? rows - j : block;
    for (int64_t i = 0; i < n; i += run) {
      T sum[run] = {};
      // The sums stay in registers if their number is known at compile time.
      if (n - i >= run)
        accumulateRows<T>(sum, from + i, run, count, stride);
      else
        accumulateRows<T>(sum, from + i, n - i, count, stride);
      for (int64_t k = 0; k < (n - i < run ? n - i : run); ++k)
        a[i + k] += sum[k];
    }
  }
}

template <typename T>
void maxOfRows(const void *const *rows, int64_t count, void *out, int64_t n) {
  constexpr int64_t run = 128 / sizeof(T);
  T *__restrict y = static_cast<T *>(out);
  int64_t i = 0;
  for (; i + run <= n; i += run) {
    T max[run];
    for (int64_t k = 0; k < run; ++k)
      max[k] = static_cast<const T *>(rows[0])[i + k];
    for (int64_t j = 1; j < count; ++j)
      for (int64_t k = 0; k < run; ++k)
        max[k] = maximum(max[k], static_cast<const T *>(rows[j])[i + k]);
    for (int64_t k = 0; k < run; ++k)
      y[i + k] = max[k];
  }
  for (; i < n; ++i) {
    T max = static_cast<const T *>(rows[0])[i];
    for (int64_t j = 1; j < count; ++j)
      max = maximum(max, static_cast<const T *>(rows[j])[i]);
    y[i] = max;
  }
}

template <typename T, typename F> AccumulateKernel accumulateKernel(F) {
  return accumulateLoop<T, F>;
}

/// The largest of each block first, then its place in the first block that has
/// it.
template <typename T> int64_t argmaxRow(const void *in, int64_t n) {
  constexpr int64_t block = 128;
  const T *x = static_cast<const T *>(in);
  int64_t where = 0;
  T best{};
  for (int64_t i = 0; i < n; i += block) {
    T largest;
    extremeRow<T, maximum<T>>(x + i, &largest, n - i < block ? n - i : block);
    if (i == 0 || largest > best || largest != largest) {
      where = i;
      best = largest;
    }
    if (best != best)
      break;
  }
  while (!(x[where] == best || x[where] != x[where]))
    ++where;
  return where;
}

template <typename T>
void argmaxColumns(void *best, int64_t *at, const void *in, int64_t index,
                   int64_t n) {
  T *__restrict b = static_cast<T *>(best);
  const T *__restrict x = static_cast<const T *>(in);
  int64_t *__restrict where = at;
  for (int64_t i = 0; i < n; ++i) {
    const bool wins = (x[i] > b[i]) | ((x[i] != x[i]) & (b[i] == b[i]));
    b[i] = wins ? x[i] : b[i];
    where[i] = wins ? index : where[i];
  }
}

/// `known` is the stride, or 0 where it is known at run time alone.
template <typename T, int known>
void windowMaxLoop(const T *__restrict x, T *__restrict y, int64_t n,
                   int64_t taps, int64_t stride, int64_t dilation) {
  const int64_t step = known ? known : stride;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i * step];
  for (int64_t tap = 1; tap < taps; ++tap)
    for (int64_t i = 0; i < n; ++i)
      y[i] = maximum(y[i], x[i * step + tap * dilation]);
}

template <typename T>
void windowMax(const void *in, void *out, int64_t n, int64_t taps,
               int64_t stride, int64_t dilation) {
  const auto loop = stride == 1   ? windowMaxLoop<T, 1>
                    : stride == 2 ? windowMaxLoop<T, 2>
                                  : windowMaxLoop<T, 0>;
  loop(static_cast<const T *>(in), static_cast<T *>(out), n, taps, stride,
       dilation);
}

} // namespace

WindowMaxKernel findWindowMax(DType dtype) {
  return forNumber<WindowMaxKernel>(
      dtype, []<typename T>() -> WindowMaxKernel { return windowMax<T>; });
}

RowReduceKernel findReduceRow(ReduceKind kind, DType dtype) {
  return forNumber<RowReduceKernel>(dtype,
                                    [&]<typename T>() -> RowReduceKernel {
                                      switch (kind) {
                                      case ReduceKind::prod:
                                        return prodRow<T>;
                                      case ReduceKind::max:
                                        return extremeRow<T, maximum<T>>;
                                      case ReduceKind::min:
                                        return extremeRow<T, minimum<T>>;
                                      default:
                                        return sumRow<T>;
                                      }
                                    });
}

AccumulateKernel findAccumulateSum(DType dtype) {
  return forFloat<AccumulateKernel>(
      dtype, []<typename T>() -> AccumulateKernel { return accumulateSum<T>; });
}

AccumulateKernel findAccumulate(ReduceKind kind, DType dtype) {
  return forNumber<AccumulateKernel>(
      dtype, [&]<typename T>() -> AccumulateKernel {
        switch (kind) {
        case ReduceKind::prod:
          return accumulateKernel<T>(
              [](T a, T b) -> T { return multiply(a, b); });
        case ReduceKind::max:
          return accumulateKernel<T>([](T a, T b) { return maximum(a, b); });
        case ReduceKind::min:
          return accumulateKernel<T>([](T a, T b) { return minimum(a, b); });
        default:
          return accumulateKernel<T>(
              [](T a, T b) -> T { return U<T>(a) + U<T>(b); });
        }
      });
}

MaxOfRowsKernel findMaxOfRows(DType dtype) {
  return forNumber<MaxOfRowsKernel>(
      dtype, []<typename T>() -> MaxOfRowsKernel { return maxOfRows<T>; });
}

ArgmaxKernel findArgmax(DType dtype) {
  return forNumber<ArgmaxKernel>(
      dtype, []<typename T>() -> ArgmaxKernel { return argmaxRow<T>; });
}

ArgmaxAccumulateKernel findArgmaxAccumulate(DType dtype) {
  return forNumber<ArgmaxAccumulateKernel>(
      dtype,
      []<typename T>() -> ArgmaxAccumulateKernel { return argmaxColumns<T>; });
}

} // namespace tandem::eager::TANDEM_LEVEL
