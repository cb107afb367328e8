//===- Scan.cpp - Scan kernels ----------------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Level.h"

#include <cmath>
#include <limits>

namespace tandem::eager::TANDEM_LEVEL {
namespace {

template <typename T> struct Sum {
  [[gnu::always_inline]] static T apply(T a, T b) {
    using W = typename Wrapping<T>::Type;
    return T(W(a) + W(b));
  }
};
template <typename T> struct Product {
  [[gnu::always_inline]] static T apply(T a, T b) { return multiply(a, b); }
};
template <typename T> struct Largest {
  [[gnu::always_inline]] static T apply(T a, T b) { return maximum(a, b); }
};
template <typename T> struct Smallest {
  [[gnu::always_inline]] static T apply(T a, T b) { return minimum(a, b); }
};

/// One line, in order.
template <typename F, typename T>
[[gnu::always_inline]] inline void scanInOrder(const T *in, T *out,
                                               int64_t size, int64_t stride) {
  T all = out[0] = in[0];
  for (int64_t i = 1; i < size; ++i)
    out[i * stride] = all = F::apply(all, in[i * stride]);
}

/// The length of the parts of a line. Parts whose distance is a multiple of the
/// distance between lines of memory that share a set of a cache would displace
/// each other.
inline int64_t partSize(int64_t size) {
  constexpr int64_t kSharedSet = 256, kLineOfMemory = 16;
  const int64_t part = size / kScanChains;
  return part % kSharedSet == 0 ? part - kLineOfMemory : part;
}

/// One line of floats as parts of equal length, so that several additions run
/// at a time, and the rest of the line. `stride` is a constant where it is 1 or
/// -1.
template <typename F, typename T>
[[gnu::always_inline]] inline void scanParts(const T *in, T *out, int64_t size,
                                             int64_t stride) {
  const int64_t part = partSize(size);
  T all[kScanChains];
  for (int64_t c = 0; c < kScanChains; ++c)
    out[c * part * stride] = all[c] = in[c * part * stride];
  for (int64_t i = 1; i < part; ++i)
    for (int64_t c = 0; c < kScanChains; ++c) {
      const int64_t at = (c * part + i) * stride;
      out[at] = all[c] = F::apply(all[c], in[at]);
    }
  T before = all[0];
  for (int64_t c = 1; c < kScanChains; ++c) {
    T *to = out + c * part * stride;
    for (int64_t i = 0; i < part; ++i)
      to[i * stride] = F::apply(before, to[i * stride]);
    before = F::apply(before, all[c]);
  }
  for (int64_t i = kScanChains * part; i < size; ++i)
    out[i * stride] = before = F::apply(before, in[i * stride]);
}

template <typename F, typename T>
void scanLine(const T *in, T *out, int64_t size, int64_t stride) {
  // Shorter parts do not repay the second pass.
  constexpr int64_t kLeast = 16 * kScanChains;
  if (std::is_integral_v<T> || size < kLeast)
    scanInOrder<F>(in, out, size, stride);
  else if (stride == 1)
    scanParts<F>(in, out, size, 1);
  else if (stride == -1)
    scanParts<F>(in, out, size, -1);
  else
    scanParts<F>(in, out, size, stride);
}

template <typename F, typename T>
[[gnu::always_inline]] inline void combineRow(const T *__restrict before,
                                              const T *__restrict x,
                                              T *__restrict y, int64_t n) {
  for (int64_t j = 0; j < n; ++j)
    y[j] = F::apply(before[j], x[j]);
}

template <typename T, typename F>
void scan(const void *in, void *out, int64_t size, int64_t n, int64_t stride) {
  const T *x = static_cast<const T *>(in);
  T *y = static_cast<T *>(out);
  if (n == 1)
    return scanLine<F>(x, y, size, stride);
  for (int64_t j = 0; j < n; ++j)
    y[j] = x[j];
  for (int64_t i = 1; i < size; ++i)
    combineRow<F>(y + (i - 1) * stride, x + i * stride, y + i * stride, n);
}

/// The largest element, and the sum of the exponentials of the distances to it.
/// Equal infinities have no distance.
struct LogSumExp {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;

  void add(double x) {
    if (x == largest) {
      sum += 1;
    } else if (x < largest) {
      sum += std::exp(x - largest);
    } else {
      sum = sum * std::exp(largest - x) + 1;
      largest = x;
    }
  }
  double get() const { return largest + std::log(sum); }
};

template <typename T>
void logSumExp(const void *in, void *out, int64_t size, int64_t stride,
               bool isExclusive) {
  const T *x = static_cast<const T *>(in);
  T *y = static_cast<T *>(out);
  LogSumExp all;
  for (int64_t i = 0; i < size; ++i) {
    if (isExclusive)
      y[i * stride] = static_cast<T>(all.get());
    all.add(x[i * stride]);
    if (!isExclusive)
      y[i * stride] = static_cast<T>(all.get());
  }
}

} // namespace

ScanKernel findScan(ScanKind kind, DType dtype) {
  return forNumber<ScanKernel>(dtype, [&]<typename T>() -> ScanKernel {
    switch (kind) {
    case ScanKind::sum:
      return scan<T, Sum<T>>;
    case ScanKind::prod:
      return scan<T, Product<T>>;
    case ScanKind::max:
      return scan<T, Largest<T>>;
    case ScanKind::min:
      return scan<T, Smallest<T>>;
    case ScanKind::log_sum_exp:
      break;
    }
    return nullptr;
  });
}

LogSumExpKernel findLogSumExp(DType dtype) {
  return forFloat<LogSumExpKernel>(
      dtype, []<typename T>() -> LogSumExpKernel { return logSumExp<T>; });
}

} // namespace tandem::eager::TANDEM_LEVEL
