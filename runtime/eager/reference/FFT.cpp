//===- FFT.cpp - Reference: Fourier transforms ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FFTLines.h"
#include "Evaluate.h"
#include "Wide.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

using namespace tandem;
using namespace tandem::reference;
using eager::FFTLines;

namespace {

/// A complex number. The reference computes in long double, so that its errors
/// are small relative to those of f64.
struct Complex {
  long double re = 0, im = 0;

  Complex operator+(Complex b) const { return {re + b.re, im + b.im}; }
  Complex operator*(Complex b) const {
    return {re * b.re - im * b.im, re * b.im + im * b.re};
  }
  Complex conjugate() const { return {re, -im}; }
};

/// exp(-2 pi i power / length). Multiples of a quarter of a turn are exact.
Complex rootOfUnity(int64_t power, int64_t length) {
  const int64_t quarter = (4 * power + length / 2) / length;
  const long double angle = std::numbers::pi_v<long double> / 2 *
                            (4 * power - quarter * length) / length;
  Complex root{std::cos(angle), -std::sin(angle)};
  for (int64_t i = 0; i < quarter; ++i)
    root = {root.im, -root.re};
  return root;
}

/// The transform of a fixed length, by the definition for prime lengths and by
/// the decomposition into transforms of the smallest prime factor for others
/// (Cooley and Tukey, Math. Comp. 19, 1965): about n (p1 + p2 + ...) products
/// for the prime factors p of n.
class Transform {
public:
  explicit Transform(int64_t length) : length(length), roots(length) {
    for (int64_t j = 0; j < length; ++j)
      roots[j] = rootOfUnity(j, length);
  }

  std::vector<Complex> run(const std::vector<Complex> &line) const {
    std::vector<Complex> result(length), scratch(length);
    run(line.data(), 1, length, result.data(), scratch.data());
    return result;
  }

private:
  /// Transforms the `size` elements that are `stride` = length / size apart.
  void run(const Complex *from, int64_t stride, int64_t size, Complex *to,
           Complex *scratch) const {
    if (size == 1) {
      *to = *from;
      return;
    }
    const int64_t parts = smallestFactor(size), part = size / parts;
    for (int64_t r = 0; r < parts; ++r)
      run(from + r * stride, stride * parts, part, scratch + r * part,
          to + r * part);
    for (int64_t k = 0; k < size; ++k) {
      Complex sum;
      for (int64_t r = 0; r < parts; ++r)
        sum =
            sum + scratch[r * part + k % part] * roots[(r * k) % size * stride];
      to[k] = sum;
    }
  }

  static int64_t smallestFactor(int64_t number) {
    for (int64_t factor = 2; factor * factor <= number; ++factor)
      if (number % factor == 0)
        return factor;
    return number;
  }

  int64_t length;
  std::vector<Complex> roots;
};

/// The elements of a line as complex numbers; for an irfft, with the elements
/// that follow from those that are there.
std::vector<Complex> readLine(const FFTLines &lines,
                              const std::vector<double> &from, int64_t outer,
                              int64_t inner) {
  std::vector<Complex> line(lines.length);
  const int64_t n = lines.length;
  for (int64_t k = 0; k < lines.inSize; ++k) {
    const int64_t at = (outer * lines.inSize + k) * lines.inner + inner;
    const Complex x = lines.readsReal()
                          ? Complex{from[at], 0}
                          : Complex{from[2 * at], from[2 * at + 1]};
    line[k] = x;
    if (!lines.writesReal())
      continue;
    if (k == (n - k) % n) // Its own conjugate; a NaN stays.
      line[k].im *= 0;
    else
      line[n - k] = x.conjugate();
  }
  return line;
}

bool isFinite(Complex x) { return std::isfinite(x.re) && std::isfinite(x.im); }

/// The inverse is the conjugate of the transform of the conjugate, divided by
/// the length.
std::vector<Complex> transformLine(const FFTLines &lines,
                                   const Transform &transform,
                                   std::vector<Complex> line) {
  constexpr long double nan = std::numeric_limits<long double>::quiet_NaN();
  if (!std::all_of(line.begin(), line.end(), isFinite))
    return std::vector<Complex>(lines.length, {nan, nan});
  if (!lines.isInverse())
    return transform.run(line);
  for (Complex &x : line)
    x = x.conjugate();
  line = transform.run(line);
  for (Complex &x : line)
    x = {x.re / lines.length, -x.im / lines.length};
  return line;
}

} // namespace

void reference::evaluateFFT(const OpDesc &op, Operands operands,
                            Tensor &result) {
  const FFTLines lines(op, operands[0].type(), result.type());
  const Transform transform(lines.length);
  const std::vector<double> from = widen<double>(operands[0]);
  std::vector<double> values(result.shape().numElements());
  for (int64_t i = 0; i < lines.outer; ++i)
    for (int64_t j = 0; j < lines.inner; ++j) {
      const std::vector<Complex> line =
          transformLine(lines, transform, readLine(lines, from, i, j));
      for (int64_t k = 0; k < lines.outSize; ++k) {
        const int64_t at = (i * lines.outSize + k) * lines.inner + j;
        if (lines.writesReal()) {
          values[at] = static_cast<double>(line[k].re);
        } else {
          values[2 * at] = static_cast<double>(line[k].re);
          values[2 * at + 1] = static_cast<double>(line[k].im);
        }
      }
    }
  narrow(values, result);
}
