//===- FFT.cpp - Fourier transforms -----------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FFTStages.h"

namespace tandem::eager::TANDEM_LEVEL {
namespace {

using fb::FFTKind;

bool isInverse(const FFTLine &line) {
  return line.kind == FFTKind::ifft || line.kind == FFTKind::irfft;
}

//===----------------------------------------------------------------------===//
// Between tensors and numbers
//===----------------------------------------------------------------------===//

/// Calls `body` for each number of each line: numbers that are near each other
/// in memory one after another.
template <typename Body>
[[gnu::always_inline]] inline void
forNumbers(int64_t numbers, int64_t lines, int64_t stride, const Body &body) {
  if (stride > 2) {
    for (int64_t k = 0; k < numbers; ++k)
      for (int64_t l = 0; l < lines; ++l)
        body(k, l);
    return;
  }
  for (int64_t l = 0; l < lines; ++l)
    for (int64_t k = 0; k < numbers; ++k)
      body(k, l);
}

/// Reads lines as complex numbers, pairs of real ones if `isHalf`, with the
/// parts exchanged for an inverse transform.
template <typename T, typename V>
void readLines(const FFTLine &line, const FFTLinePlaces &places, const T *in,
               Numbers<T, V> x) {
  const int64_t stride = places.fromStride;
  const auto forAll = [&](int64_t numbers, const auto &body) {
    forNumbers(numbers, places.count, stride, body);
  };
  if (line.kind != FFTKind::rfft) {
    const int64_t first = isInverse(line) ? 1 : 0;
    return forAll(line.inSize, [&](int64_t k, int64_t l) {
      const T *from = in + places.from[l] + k * stride;
      x.part(k, first, l) = from[0];
      x.part(k, 1 - first, l) = from[1];
    });
  }
  if (line.isHalf)
    return forAll(line.size, [&](int64_t k, int64_t l) {
      const T *from = in + places.from[l] + 2 * k * stride;
      x.part(k, 0, l) = from[0];
      x.part(k, 1, l) = from[stride];
    });
  forAll(line.size, [&](int64_t k, int64_t l) {
    x.part(k, 0, l) = in[places.from[l] + k * stride];
    x.part(k, 1, l) = 0;
  });
}

/// Writes the numbers of lines, or pairs of real ones.
template <typename T, typename V>
void writeLines(const FFTLine &line, const FFTLinePlaces &places,
                Numbers<T, V> x, T *out) {
  const int64_t stride = places.toStride;
  const auto forAll = [&](int64_t numbers, const auto &body) {
    forNumbers(numbers, places.count, stride, body);
  };
  if (line.kind != FFTKind::irfft) {
    const int64_t first = isInverse(line) ? 1 : 0;
    return forAll(line.outSize, [&](int64_t k, int64_t l) {
      T *to = out + places.to[l] + k * stride;
      to[0] = x.part(k, first, l);
      to[1] = x.part(k, 1 - first, l);
    });
  }
  if (line.isHalf)
    return forAll(line.size, [&](int64_t k, int64_t l) {
      T *to = out + places.to[l] + 2 * k * stride;
      to[0] = x.part(k, 1, l);
      to[stride] = x.part(k, 0, l);
    });
  forAll(line.size, [&](int64_t k, int64_t l) {
    out[places.to[l] + k * stride] = x.part(k, 1, l);
  });
}

/// The power of two by which x is multiplied to have a magnitude of about 1. It
/// is 1 for numbers of moderate magnitude.
template <typename T> T scaleOf(T largest) {
  constexpr T kUsual = sizeof(T) == 4 ? T(0x1p30) : T(0x1p300);
  constexpr int kMost = sizeof(T) == 4 ? 120 : 1000;
  if (largest == 0 || (largest < kUsual && largest > 1 / kUsual))
    return 1;
  int exponent = __builtin_ilogb(largest);
  exponent = exponent > kMost ? kMost : exponent < -kMost ? -kMost : exponent;
  return static_cast<T>(__builtin_ldexp(1, -exponent));
}

/// Scales each line by a power of two, so that no intermediate result overflows
/// or is flushed to zero, and makes lines NaN that have an element that is
/// infinite or NaN. Sets `factor` to what results are multiplied by.
template <typename T, typename V>
void scaleLines(int64_t size, Numbers<T, V> x, T *factor) {
  constexpr int64_t kWidth = Numbers<T, V>::kWidth;
  V largest{}, check{};
  for (int64_t k = 0; k < size; ++k) {
    const Complex<V> number = x[k];
    const V re = number.re < 0 ? -number.re : number.re,
            im = number.im < 0 ? -number.im : number.im;
    largest = largest > re ? largest : re;
    largest = largest > im ? largest : im;
    check += (number.re - number.re) + (number.im - number.im);
  }
  T most[kWidth], checks[kWidth], scale[kWidth];
  __builtin_memcpy(most, &largest, sizeof most);
  __builtin_memcpy(checks, &check, sizeof checks);
  bool isUsual = true;
  for (int64_t l = 0; l < kWidth; ++l) {
    const bool isFinite = checks[l] == 0;
    scale[l] = isFinite ? scaleOf(most[l]) : __builtin_nan("");
    factor[l] = isFinite ? 1 / scale[l] : __builtin_nan("");
    isUsual &= scale[l] == 1;
  }
  if (isUsual)
    return;
  V scales;
  __builtin_memcpy(&scales, scale, sizeof scales);
  for (int64_t k = 0; k < size; ++k)
    x.set(k, {x[k].re * scales, x[k].im * scales});
}

//===----------------------------------------------------------------------===//
// Lines as an op has them, and the inner transform
//===----------------------------------------------------------------------===//

/// Converts the half of the elements that an irfft reads to numbers whose
/// inverse transform is the pairs of the result. Real and imaginary parts are
/// exchanged.
template <typename T, typename V>
void mergeHalf(const FFTLine &line, Numbers<T, V> x) {
  const int64_t half = line.size;
  const Complex<V> first = x[0], last = x[half];
  // The imaginary parts do not count. They are in the real parts here, because
  // the parts are exchanged.
  x.set(0, {first.im - last.im, first.im + last.im});
  for (int64_t k = 1; 2 * k <= half; ++k) {
    const Complex<V> a = x[k].exchanged(), b = x[half - k].exchanged();
    const Complex<T> root = entry<T>(line.halfRoots, k).conjugate();
    // sum + i root difference, and the conjugate for half - k.
    const Complex<V> sum = a + b.conjugate();
    const Complex<V> turned = ((a - b.conjugate()) * root).turned();
    x.set(half - k, (sum + turned).conjugate().exchanged());
    x.set(k, (sum - turned).exchanged());
  }
}

/// The elements of an irfft of odd length that follow from those that are
/// there. Parts are exchanged.
template <typename T, typename V>
void addConjugates(const FFTLine &line, Numbers<T, V> x) {
  x.set(0, {V{}, x[0].im});
  for (int64_t k = 1; k < line.inSize; ++k)
    x.set(line.length - k, x[k].exchanged().conjugate().exchanged());
}

/// The transform of pairs of real numbers to the half of the transform of all.
template <typename T, typename V>
void splitHalf(const FFTLine &line, Numbers<T, V> x) {
  const int64_t half = line.size;
  const Complex<V> first = x[0];
  x.set(0, {first.re + first.im, V{}});
  x.set(half, {first.re - first.im, V{}});
  for (int64_t k = 1; 2 * k <= half; ++k) {
    const Complex<V> a = x[k], b = x[half - k];
    const Complex<V> sum = a + b.conjugate();
    const Complex<V> turned =
        ((a - b.conjugate()) * entry<T>(line.halfRoots, k)).turned();
    const T scale = T(0.5);
    const Complex<V> low = sum + turned, high = (sum - turned).conjugate();
    x.set(half - k, {high.re * scale, high.im * scale});
    x.set(k, {low.re * scale, low.im * scale});
  }
}

/// Makes the numbers of the inner transform, and for Bluestein those of its
/// convolution, of those that have been read.
template <typename T, typename V>
void prepare(const FFTLine &line, Numbers<T, V> x) {
  if (line.kind == FFTKind::irfft)
    line.isHalf ? mergeHalf(line, x) : addConjugates(line, x);
  if (!line.isBluestein)
    return;
  for (int64_t k = 0; k < line.size; ++k)
    x.set(k, x[k] * entry<T>(line.chirp, k));
  for (int64_t k = line.size; k < line.stages.length; ++k)
    x.set(k, {});
}

/// Between the two transforms of Bluestein's convolution, the second of which
/// is an inverse one.
template <typename T, typename V>
void convolve(const FFTLine &line, Numbers<T, V> x) {
  for (int64_t k = 0; k < line.stages.length; ++k)
    x.set(k, (x[k] * entry<T>(line.spectrum, k)).exchanged());
}

/// Makes the numbers of the result of those of the inner transform.
template <typename T, typename V>
void finish(const FFTLine &line, Numbers<T, V> x, V factor) {
  if (line.isBluestein)
    for (int64_t k = 0; k < line.size; ++k)
      x.set(k, x[k].exchanged() * entry<T>(line.chirp, k));
  if (line.kind == FFTKind::rfft && line.isHalf)
    splitHalf(line, x);
  const int64_t count = line.kind == FFTKind::rfft ? line.outSize : line.size;
  for (int64_t k = 0; k < count; ++k)
    x.set(k, {x[k].re * factor, x[k].im * factor});
}

/// The number of numbers that readLines writes.
int64_t countRead(const FFTLine &line) {
  return line.kind == FFTKind::rfft ? line.size : line.inSize;
}

template <typename T> T inverseScale(const FFTLine &line) {
  return isInverse(line) ? T(1) / T(line.length) : T(1);
}

template <typename T>
void transformLines(const FFTLine &line, const FFTLinePlaces &places,
                    const void *in, void *out, void *buffer, void *other) {
  using V = Register<T>;
  constexpr int64_t kWidth = Numbers<T, V>::kWidth;
  Numbers<T, V> x(buffer), y(other);
  if (places.count < kWidth)
    for (int64_t k = 0; k < countRead(line); ++k)
      x.set(k, {});
  readLines(line, places, static_cast<const T *>(in), x);
  T factors[kWidth];
  scaleLines(countRead(line), x, factors);
  for (T &factor : factors)
    factor *= inverseScale<T>(line);
  V factor;
  __builtin_memcpy(&factor, factors, sizeof factor);
  prepare(line, x);
  const auto run = [&] {
    const Numbers<T, V> result = runStages(line.stages, x, y);
    if (line.stages.count % 2 != 0)
      y = x;
    x = result;
  };
  run();
  if (line.isBluestein) {
    convolve(line, x);
    run();
  }
  finish(line, x, factor);
  writeLines(line, places, x, static_cast<T *>(out));
}

//===----------------------------------------------------------------------===//
// One long line
//===----------------------------------------------------------------------===//

template <typename T>
double load(const FFTLine &line, const FFTLinePlaces &places, const void *in,
            void *buffer) {
  const Numbers<T, T> x(buffer);
  readLines(line, places, static_cast<const T *>(in), x);
  T factor;
  scaleLines(countRead(line), x, &factor);
  prepare(line, x);
  return factor;
}

template <typename T>
void store(const FFTLine &line, const FFTLinePlaces &places, double factor,
           void *buffer, void *out) {
  const Numbers<T, T> x(buffer);
  finish(line, x, T(factor) * inverseScale<T>(line));
  writeLines(line, places, x, static_cast<T *>(out));
}

template <typename T> void convolveLine(const FFTLine &line, void *numbers) {
  convolve(line, Numbers<T, T>(numbers));
}

/// Reads `count` numbers side by side as those of different lines.
template <typename T, typename V>
[[gnu::always_inline]] inline void readRow(const T *from, int64_t count,
                                           Numbers<T, V> x, int64_t k) {
  constexpr int64_t kWidth = Numbers<T, V>::kWidth;
  T parts[2][kWidth] = {};
  if (count == kWidth)
    for (int64_t l = 0; l < kWidth; ++l) {
      parts[0][l] = from[2 * l];
      parts[1][l] = from[2 * l + 1];
    }
  else
    for (int64_t l = 0; l < count; ++l) {
      parts[0][l] = from[2 * l];
      parts[1][l] = from[2 * l + 1];
    }
  Complex<V> number;
  __builtin_memcpy(&number, parts, sizeof number);
  x.set(k, number);
}

/// Transforms columns of a matrix with `columns` columns, as many as a register
/// has elements, from `first` on. The columns have the length of `stages`.
/// `*count` becomes the number of columns that there are.
template <typename T>
Numbers<T, Register<T>>
transformBlock(const FFTStages &stages, int64_t columns, int64_t first,
               const void *in, void *buffer, void *other, int64_t *count) {
  using V = Register<T>;
  constexpr int64_t kWidth = Numbers<T, V>::kWidth;
  const Numbers<T, V> x(buffer);
  const int64_t rest = columns - first;
  *count = rest < kWidth ? rest : kWidth;
  const T *from = static_cast<const T *>(in) + 2 * first;
  for (int64_t row = 0; row < stages.length; ++row)
    readRow(from + 2 * row * columns, *count, x, row);
  return runStages(stages, x, Numbers<T, V>(other));
}

/// Transforms columns from `first` on, multiplies them by their twiddles and
/// writes them as rows of `out`.
template <typename T>
void transformColumns(const FFTMatrix &matrix, int64_t first, const void *in,
                      void *out, void *buffer, void *other) {
  int64_t count = 0;
  const auto y = transformBlock<T>(matrix.ofColumn, matrix.columns, first, in,
                                   buffer, other, &count);
  const Numbers<T, T> to(out), twiddles(const_cast<void *>(matrix.twiddles));
  for (int64_t l = 0; l < count; ++l)
    for (int64_t row = 0; row < matrix.rows; ++row) {
      const int64_t at = (first + l) * matrix.rows + row;
      const Complex<T> number{y.part(row, 0, l), y.part(row, 1, l)};
      to.set(at, number * twiddles[at]);
    }
}

/// Transforms the rows of the matrix from `first` on, which are columns of
/// `in`, and writes every matrix.rows-th number of the result.
template <typename T>
void transformRows(const FFTMatrix &matrix, int64_t first, const void *in,
                   void *out, void *buffer, void *other) {
  int64_t count = 0;
  const auto y = transformBlock<T>(matrix.ofRow, matrix.rows, first, in, buffer,
                                   other, &count);
  T *to = static_cast<T *>(out) + 2 * first;
  for (int64_t k = 0; k < matrix.columns; ++k)
    for (int64_t l = 0; l < count; ++l) {
      to[2 * (k * matrix.rows + l)] = y.part(k, 0, l);
      to[2 * (k * matrix.rows + l) + 1] = y.part(k, 1, l);
    }
}

template <typename T>
void transform(const FFTStages &stages, void *numbers, void *other) {
  const Numbers<T, T> x(numbers), y(other);
  runStages(stages, x, y);
  if (stages.count % 2 != 0)
    for (int64_t k = 0; k < stages.length; ++k)
      x.set(k, y[k]);
}

template <typename T>
constexpr FFTKernels kFFTKernels = {Numbers<T, Register<T>>::kWidth,
                                    transformLines<T>,
                                    load<T>,
                                    transformColumns<T>,
                                    transformRows<T>,
                                    convolveLine<T>,
                                    store<T>,
                                    transform<T>};

} // namespace

const FFTKernels *findFFT(DType dtype) {
  if (dtype == DType::f32)
    return &kFFTKernels<float>;
  return dtype == DType::f64 ? &kFFTKernels<double> : nullptr;
}

} // namespace tandem::eager::TANDEM_LEVEL
