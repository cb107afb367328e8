//===- FFTStages.h - Stages of Fourier transforms ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transforms of several lines at a time, whose numbers are vectors with one
// element of each line, or of one line. Nothing here is from the standard
// library's containers, because functions that are compiled for one level must
// not be linked into another.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_KERNELS_FFTSTAGES_H
#define TANDEM_RUNTIME_EAGER_EIGEN_KERNELS_FFTSTAGES_H

#include "Functions.h"

namespace tandem::eager::TANDEM_LEVEL {

template <typename V> struct Complex {
  V re, im;

  [[gnu::always_inline]] friend Complex operator+(Complex a, Complex b) {
    return {a.re + b.re, a.im + b.im};
  }
  [[gnu::always_inline]] friend Complex operator-(Complex a, Complex b) {
    return {a.re - b.re, a.im - b.im};
  }
  /// The product with a number of all lines.
  template <typename T>
  [[gnu::always_inline]] friend Complex operator*(Complex a, Complex<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  /// The product with -i.
  [[gnu::always_inline]] Complex turned() const { return {im, -re}; }
  [[gnu::always_inline]] Complex conjugate() const { return {re, -im}; }
  [[gnu::always_inline]] Complex exchanged() const { return {im, re}; }
};

/// Numbers of lines of elements of type T, side by side in vectors; of one line
/// if V is T.
template <typename T, typename V> class Numbers {
public:
  static constexpr int64_t kWidth = sizeof(V) / sizeof(T);

  explicit Numbers(void *data) : data(static_cast<T *>(data)) {}

  [[gnu::always_inline]] Complex<V> operator[](int64_t k) const {
    Complex<V> x;
    __builtin_memcpy(&x, data + 2 * k * kWidth, sizeof x);
    return x;
  }
  [[gnu::always_inline]] void set(int64_t k, Complex<V> x) const {
    __builtin_memcpy(data + 2 * k * kWidth, &x, sizeof x);
  }
  /// A part of number k of a line.
  [[gnu::always_inline]] T &part(int64_t k, int64_t part, int64_t line) const {
    return data[(2 * k + part) * kWidth + line];
  }

private:
  T *data;
};

template <typename T>
[[gnu::always_inline]] inline Complex<T> entry(const void *table, int64_t i) {
  return static_cast<const Complex<T> *>(table)[i];
}

/// y = the transform of x of `radix` numbers.
template <typename V, typename T>
[[gnu::always_inline]] inline void transform2(const Complex<V> *x,
                                              Complex<V> *y) {
  y[0] = x[0] + x[1];
  y[1] = x[0] - x[1];
}
template <typename V, typename T>
[[gnu::always_inline]] inline void transform4(const Complex<V> *x,
                                              Complex<V> *y) {
  const Complex<V> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3],
                   d = (x[1] - x[3]).turned();
  y[0] = a + c;
  y[1] = b + d;
  y[2] = a - c;
  y[3] = b - d;
}
/// An odd radix: numbers t and radix - t are multiplied by conjugate roots.
template <typename V, typename T>
[[gnu::always_inline]] inline void
transformOdd(int64_t radix, const void *roots, const Complex<V> *x,
             Complex<V> *y) {
  const int64_t half = radix / 2;
  Complex<V> sum[kLargestRadix / 2 + 1], difference[kLargestRadix / 2 + 1];
  y[0] = x[0];
  for (int64_t t = 1; t <= half; ++t) {
    sum[t] = x[t] + x[radix - t];
    difference[t] = (x[t] - x[radix - t]).turned();
    y[0] = y[0] + sum[t];
  }
  for (int64_t r = 1; r <= half; ++r) {
    Complex<V> even = x[0], odd{};
    int64_t power = 0;
    for (int64_t t = 1; t <= half; ++t) {
      power += r;
      if (power >= radix)
        power -= radix;
      const Complex<T> root = entry<T>(roots, power);
      even = {even.re + sum[t].re * root.re, even.im + sum[t].im * root.re};
      odd = {odd.re - difference[t].re * root.im,
             odd.im - difference[t].im * root.im};
    }
    y[r] = even + odd;
    y[radix - r] = even - odd;
  }
}

/// One stage, from the numbers x to the numbers y. `left` is the length that is
/// left, and `done` the product of the radices before. `radix` is a constant
/// for small radices, and `isLast` where no twiddle differs from 1.
template <typename T, typename V, bool isLast>
[[gnu::always_inline]] inline void
runStage(int64_t radix, const void *twiddles, const void *roots, int64_t left,
         int64_t done, Numbers<T, V> x, Numbers<T, V> y) {
  const int64_t apart = left / radix;
  Complex<V> a[kLargestRadix], b[kLargestRadix];
  for (int64_t q = 0; q < apart; ++q)
    for (int64_t k = 0; k < done; ++k) {
      for (int64_t r = 0; r < radix; ++r)
        a[r] = x[k + done * (q + r * apart)];
      if (radix == 2)
        transform2<V, T>(a, b);
      else if (radix == 4)
        transform4<V, T>(a, b);
      else
        transformOdd<V, T>(radix, roots, a, b);
      y.set(k + done * radix * q, b[0]);
      for (int64_t r = 1; r < radix; ++r)
        y.set(k + done * (radix * q + r),
              isLast ? b[r]
                     : b[r] * entry<T>(twiddles, q * (radix - 1) + r - 1));
    }
}

template <typename T, typename V, bool isLast>
void runStage(const FFTStages &stages, int i, int64_t left, int64_t done,
              Numbers<T, V> x, Numbers<T, V> y) {
  const auto &[radix, twiddles, roots] = stages.stage[i];
  switch (radix) {
  case 2:
    return runStage<T, V, isLast>(2, twiddles, roots, left, done, x, y);
  case 3:
    return runStage<T, V, isLast>(3, twiddles, roots, left, done, x, y);
  case 4:
    return runStage<T, V, isLast>(4, twiddles, roots, left, done, x, y);
  case 5:
    return runStage<T, V, isLast>(5, twiddles, roots, left, done, x, y);
  default:
    return runStage<T, V, isLast>(radix, twiddles, roots, left, done, x, y);
  }
}

/// Transforms the numbers of `x`, with `y` as a second buffer. Returns the one
/// of both that holds the result.
template <typename T, typename V>
Numbers<T, V> runStages(const FFTStages &stages, Numbers<T, V> x,
                        Numbers<T, V> y) {
  int64_t left = stages.length, done = 1;
  for (int i = 0; i < stages.count; ++i) {
    const int64_t radix = stages.stage[i].radix;
    if (left == radix)
      runStage<T, V, true>(stages, i, left, done, x, y);
    else
      runStage<T, V, false>(stages, i, left, done, x, y);
    left /= radix;
    done *= radix;
    const Numbers<T, V> result = y;
    y = x;
    x = result;
  }
  return x;
}

} // namespace tandem::eager::TANDEM_LEVEL

#endif // TANDEM_RUNTIME_EAGER_EIGEN_KERNELS_FFTSTAGES_H
