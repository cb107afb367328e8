//===- Normalize.cpp - Batch norm and softmax kernels -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include <Eigen/Core>

namespace tandem::eager::TANDEM_LEVEL {
namespace {

template <typename T, bool repeated>
void normalize(const void *in, const void *mean, const void *scale,
               const void *offset, void *out, int64_t n) {
  const T *__restrict x = static_cast<const T *>(in);
  const T *__restrict m = static_cast<const T *>(mean);
  const T *__restrict s = static_cast<const T *>(scale);
  const T *__restrict o = static_cast<const T *>(offset);
  T *__restrict y = static_cast<T *>(out);
  for (int64_t i = 0; i < n; ++i)
    y[i] =
        (x[i] - at<repeated>(m, i)) * at<repeated>(s, i) + at<repeated>(o, i);
}

template <typename T>
void normalizeScale(const void *scale, const void *variance, double epsilon,
                    void *out, int64_t n) {
  const T *s = static_cast<const T *>(scale);
  const T *v = static_cast<const T *>(variance);
  T *y = static_cast<T *>(out);
  for (int64_t i = 0; i < n; ++i)
    y[i] = s[i] / __builtin_sqrt(v[i] + epsilon);
}

template <typename T> using Array = Eigen::Array<T, Eigen::Dynamic, 1>;

template <typename T> void softmaxLine(const T *in, T *out, int64_t n) {
  const Eigen::Map<const Array<T>> x(in, n);
  Eigen::Map<Array<T>> y(out, n);
  const T max = x.template maxCoeff<Eigen::PropagateNaN>();
  forRegisters<T>(n, [=](int64_t i, int64_t size) {
    storeLanes<T>(Exp::apply(loadLanes(in + i, size) - max), out + i, size);
  });
  y *= T(1) / y.sum();
}

/// Interleaved lines, side by side in vectors.
template <typename T>
void softmaxLines(const T *in, T *out, int64_t n, int64_t stride,
                  int64_t lines) {
  T max[kSoftmaxLines], sum[kSoftmaxLines];
  for (int64_t j = 0; j < lines; ++j)
    max[j] = in[j], sum[j] = 0;
  for (int64_t i = 1; i < n; ++i)
    for (int64_t j = 0; j < lines; ++j)
      max[j] = maximum(max[j], in[i * stride + j]);
  Eigen::Map<Array<T>> s(sum, lines);
  for (int64_t i = 0; i < n; ++i) {
    const T *x = in + i * stride;
    T *y = out + i * stride;
    forRegisters<T>(lines, [&](int64_t j, int64_t size) {
      const Register<T> centered =
          loadLanes(x + j, size) - loadLanes(max + j, size);
      storeLanes<T>(Exp::apply(centered), y + j, size);
    });
    s += Eigen::Map<Array<T>>(y, lines);
  }
  s = T(1) / s;
  for (int64_t i = 0; i < n; ++i)
    Eigen::Map<Array<T>>(out + i * stride, lines) *= s;
}

template <typename T>
void softmax(const void *in, void *out, int64_t n, int64_t stride,
             int64_t lines) {
  const T *x = static_cast<const T *>(in);
  T *y = static_cast<T *>(out);
  if (stride == 1)
    softmaxLine(x, y, n);
  else
    softmaxLines(x, y, n, stride, lines);
}

template <typename T>
void softmaxBackwardLine(const T *y, const T *g, T *out, int64_t n) {
  const Eigen::Map<const Array<T>> result(y, n), gradient(g, n);
  const T sum = (result * gradient).sum();
  Eigen::Map<Array<T>>(out, n) = result * (gradient - sum);
}

/// Interleaved lines, side by side in vectors.
template <typename T>
void softmaxBackwardLines(const T *y, const T *g, T *out, int64_t n,
                          int64_t stride, int64_t lines) {
  T sum[kSoftmaxLines] = {};
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < lines; ++j)
      sum[j] += y[i * stride + j] * g[i * stride + j];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < lines; ++j)
      out[i * stride + j] = y[i * stride + j] * (g[i * stride + j] - sum[j]);
}

template <typename T>
void softmaxBackward(const void *result, const void *gradient, void *out,
                     int64_t n, int64_t stride, int64_t lines) {
  const T *y = static_cast<const T *>(result);
  const T *g = static_cast<const T *>(gradient);
  if (stride == 1)
    softmaxBackwardLine(y, g, static_cast<T *>(out), n);
  else
    softmaxBackwardLines(y, g, static_cast<T *>(out), n, stride, lines);
}

} // namespace

NormalizeKernel findNormalize(DType dtype, bool repeated) {
  return forFloat<NormalizeKernel>(dtype, [&]<typename T>() -> NormalizeKernel {
    return repeated ? normalize<T, true> : normalize<T, false>;
  });
}

ScaleKernel findNormalizeScale(DType dtype) {
  return forFloat<ScaleKernel>(
      dtype, []<typename T>() -> ScaleKernel { return normalizeScale<T>; });
}

SoftmaxKernel findSoftmax(DType dtype) {
  return forFloat<SoftmaxKernel>(
      dtype, []<typename T>() -> SoftmaxKernel { return softmax<T>; });
}

SoftmaxBackwardKernel findSoftmaxBackward(DType dtype) {
  return forFloat<SoftmaxBackwardKernel>(
      dtype,
      []<typename T>() -> SoftmaxBackwardKernel { return softmaxBackward<T>; });
}

} // namespace tandem::eager::TANDEM_LEVEL
