//===- Moments.cpp - Inner loops of means and variances -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes over a block that caches hold: its sum, and the squares of the
// distances from its mean. For f64, the sum of the distances, which is 0 but
// for the rounding of the mean, corrects the squares (T. Chan, G. Golub and R.
// LeVeque, Algorithms for computing the sample variance, The American
// Statistician 37, 1983). The mean of f32 in f64 needs no correction.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

namespace tandem::eager::TANDEM_LEVEL {
namespace {

template <typename T> constexpr bool isCorrected = sizeof(T) == sizeof(double);

[[gnu::always_inline]] inline double corrected(double squares, double rest,
                                               double count) {
  const double result = squares - rest * rest / count;
  return result < 0 ? 0 : result;
}

template <typename T>
void momentsOfLine(const void *in, int64_t n, double *sum, double *squares) {
  const T *x = static_cast<const T *>(in);
  double sums[kSumLanes] = {}, rest[kSumLanes] = {}, square[kSumLanes] = {};
  forLanes(n, [&](int64_t i, int64_t lane) { sums[lane] += double(x[i]); });
  *sum = sumLanes(sums);
  const double mean = *sum / double(n);
  forLanes(n, [&](int64_t i, int64_t lane) {
    const double distance = double(x[i]) - mean;
    if constexpr (isCorrected<T>)
      rest[lane] += distance;
    square[lane] += distance * distance;
  });
  *squares = corrected(sumLanes(square), sumLanes(rest), double(n));
}

/// The sums of a run of columns stay in registers.
template <typename T, int64_t known>
[[gnu::always_inline]] inline void
momentsOfRun(const void *const *rows, int64_t count, double *sum,
             double *squares, int64_t first, int64_t size) {
  constexpr int64_t run = kSumLanes;
  const int64_t n = known != 0 ? known : size;
  double total[run] = {}, rest[run] = {}, square[run] = {}, mean[run];
  for (int64_t j = 0; j < count; ++j)
    for (int64_t k = 0; k < n; ++k)
      total[k] += double(static_cast<const T *>(rows[j])[first + k]);
  for (int64_t k = 0; k < n; ++k)
    mean[k] = total[k] / double(count);
  for (int64_t j = 0; j < count; ++j)
    for (int64_t k = 0; k < n; ++k) {
      const double distance =
          double(static_cast<const T *>(rows[j])[first + k]) - mean[k];
      if constexpr (isCorrected<T>)
        rest[k] += distance;
      square[k] += distance * distance;
    }
  for (int64_t k = 0; k < n; ++k) {
    sum[first + k] = total[k];
    squares[first + k] = corrected(square[k], rest[k], double(count));
  }
}

template <typename T>
void momentsOfRows(const void *const *rows, int64_t count, double *sum,
                   double *squares, int64_t n) {
  constexpr int64_t run = kSumLanes;
  int64_t i = 0;
  for (; i + run <= n; i += run)
    momentsOfRun<T, run>(rows, count, sum, squares, i, run);
  if (i < n)
    momentsOfRun<T, 0>(rows, count, sum, squares, i, n - i);
}

/// With a = count and b = more elements: the distance d of the means adds
/// d^2 a b / (a + b) to the squares.
void mergeMoments(double *sum, double *squares, double count,
                  const double *moreSum, const double *moreSquares, double more,
                  int64_t n) {
  const double weight = count * more / (count + more);
  for (int64_t i = 0; i < n; ++i) {
    const double distance = moreSum[i] / more - sum[i] / count;
    squares[i] += moreSquares[i] + distance * distance * weight;
    sum[i] += moreSum[i];
  }
}

} // namespace

MomentsKernels findMoments(DType dtype) {
  if (dtype == DType::f32)
    return {momentsOfLine<float>, momentsOfRows<float>, mergeMoments};
  if (dtype == DType::f64)
    return {momentsOfLine<double>, momentsOfRows<double>, mergeMoments};
  return {};
}

} // namespace tandem::eager::TANDEM_LEVEL
