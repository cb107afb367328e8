//===- LayerNorm.cpp - Inner loops of layer norms -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

namespace tandem::eager::TANDEM_LEVEL {
namespace {

/// The statistics of a line in the type of its elements.
template <typename T> struct Line {
  T mean, inverseDeviation;

  explicit Line(LineStatistics line)
      : mean(static_cast<T>(line.mean)),
        inverseDeviation(static_cast<T>(line.inverseDeviation)) {}

  [[gnu::always_inline]] T normalize(T x) const {
    return (x - mean) * inverseDeviation;
  }
};

template <typename T>
void normalizeLine(const void *in, LineStatistics statistics, const void *scale,
                   const void *offset, void *out, int64_t n) {
  const T *__restrict x = static_cast<const T *>(in);
  const T *__restrict s = static_cast<const T *>(scale);
  const T *__restrict o = static_cast<const T *>(offset);
  T *__restrict y = static_cast<T *>(out);
  const Line<T> line(statistics);
  for (int64_t i = 0; i < n; ++i)
    y[i] = line.normalize(x[i]) * s[i] + o[i];
}

template <typename T>
void gradientOfLine(const void *gradient, const void *in, const void *scale,
                    LineStatistics statistics, void *out, int64_t n) {
  const T *__restrict g = static_cast<const T *>(gradient);
  const T *__restrict x = static_cast<const T *>(in);
  const T *__restrict s = static_cast<const T *>(scale);
  T *__restrict y = static_cast<T *>(out);
  const Line<T> line(statistics);
  T sums[kSumLanes] = {}, dots[kSumLanes] = {};
  forLanes(n, [&](int64_t i, int64_t lane) {
    const T h = g[i] * s[i];
    sums[lane] += h;
    dots[lane] += h * line.normalize(x[i]);
  });
  const T mean = sumLanes(sums) / T(n), slope = sumLanes(dots) / T(n);
  for (int64_t i = 0; i < n; ++i)
    y[i] = (g[i] * s[i] - mean - line.normalize(x[i]) * slope) *
           line.inverseDeviation;
}

template <typename T>
void addGradients(const void *gradient, const void *in,
                  LineStatistics statistics, void *ofScale, void *ofOffset,
                  int64_t n) {
  const T *__restrict g = static_cast<const T *>(gradient);
  const T *__restrict x = static_cast<const T *>(in);
  T *__restrict products = static_cast<T *>(ofScale);
  T *__restrict sums = static_cast<T *>(ofOffset);
  const Line<T> line(statistics);
  for (int64_t i = 0; i < n; ++i) {
    products[i] += g[i] * line.normalize(x[i]);
    sums[i] += g[i];
  }
}

template <typename T>
constexpr LayerNormKernels kKernels = {normalizeLine<T>, gradientOfLine<T>,
                                       addGradients<T>};

} // namespace

const LayerNormKernels *findLayerNorm(DType dtype) {
  if (dtype == DType::f32)
    return &kKernels<float>;
  return dtype == DType::f64 ? &kKernels<double> : nullptr;
}

} // namespace tandem::eager::TANDEM_LEVEL
