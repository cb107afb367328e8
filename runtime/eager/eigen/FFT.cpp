//===- FFT.cpp - Fourier transforms along a dim -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several lines at a time, each in a lane of vectors, or one line at a time as
// the columns and then the rows of a matrix, if it is long or if there are few
// lines. Tables of powers of roots are computed in f64 when the op is prepared.
//
// Eigen's own FFT, which is kissfft, has no vectors, and scratch memory in its
// plans that threads cannot share. It takes 2.0 to 3.8 times as long on one
// thread of an AMD EPYC with AVX-512.
//
//===----------------------------------------------------------------------===//

#include "../FFTLines.h"
#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// exp(-2 pi i power / length). The angle is at most pi / 4 in magnitude before
/// its sine and cosine are taken, which keeps their digits.
std::complex<double> rootOfUnity(int64_t power, int64_t length) {
  const int64_t quarter = (4 * power + length / 2) / length;
  const double angle = std::numbers::pi / 2 *
                       static_cast<double>(4 * power - quarter * length) /
                       static_cast<double>(length);
  const double c = std::cos(angle), s = std::sin(angle);
  switch (quarter % 4) {
  case 0:
    return {c, -s};
  case 1:
    return {-s, -c};
  case 2:
    return {-c, s};
  default:
    return {s, c};
  }
}

/// The factors of a length, fours first; nothing if one is too large.
std::optional<std::vector<int64_t>> radicesOf(int64_t length) {
  std::vector<int64_t> radices;
  for (int64_t radix : {4, 2, 3, 5})
    for (; length % radix == 0; length /= radix)
      radices.push_back(radix);
  for (int64_t radix = 7; radix <= kLargestRadix; radix += 2)
    for (; length % radix == 0; length /= radix)
      radices.push_back(radix);
  return length == 1 ? std::optional(radices) : std::nullopt;
}

/// Owns tables of complex numbers, as arrays of their parts.
template <typename T> class Tables {
public:
  using Numbers = std::vector<std::complex<double>>;

  const void *add(const Numbers &numbers) {
    std::vector<T> &table = tables.emplace_back();
    table.reserve(2 * numbers.size());
    for (std::complex<double> number : numbers) {
      table.push_back(static_cast<T>(number.real()));
      table.push_back(static_cast<T>(number.imag()));
    }
    return table.data();
  }

  /// All prime factors of the length are small.
  FFTStages stages(int64_t length) {
    FFTStages stages;
    stages.length = length;
    int64_t left = length;
    const std::vector<int64_t> radices = *radicesOf(length);
    for (int64_t radix : radices) {
      Numbers twiddles, roots;
      for (int64_t q = 0; q < left / radix; ++q)
        for (int64_t r = 1; r < radix; ++r)
          twiddles.push_back(rootOfUnity(q * r, left));
      for (int64_t r = 0; r < radix; ++r)
        roots.push_back(rootOfUnity(r, radix));
      stages.stage[stages.count++] = {radix, add(twiddles), add(roots)};
      left /= radix;
    }
    return stages;
  }

private:
  std::vector<std::vector<T>> tables;
};

/// Memory for `bytes` bytes, aligned as vectors are.
class Buffer {
public:
  explicit Buffer(int64_t bytes) : memory(bytes + kAlignment) {}

  void *data() {
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    return memory.data() + (kAlignment - address % kAlignment) % kAlignment;
  }

private:
  static constexpr int64_t kAlignment = 64;
  std::vector<char> memory;
};

/// exp(-pi i k k / size), k < size.
Tables<double>::Numbers chirpOf(int64_t size) {
  Tables<double>::Numbers chirp;
  int64_t square = 0; // k k modulo 2 size
  for (int64_t k = 0; k < size; ++k) {
    chirp.push_back(rootOfUnity(square, 2 * size));
    square = (square + 2 * k + 1) % (2 * size);
  }
  return chirp;
}

/// FFTLine::spectrum.
Tables<double>::Numbers spectrumOf(const Tables<double>::Numbers &chirp,
                                   int64_t length) {
  Tables<double>::Numbers spectrum(length), other(length);
  const auto size = static_cast<int64_t>(chirp.size());
  for (int64_t k = 0; k < size; ++k)
    spectrum[k] = spectrum[(length - k) % length] =
        std::conj(chirp[k]) / static_cast<double>(length);
  Tables<double> tables;
  kernels()
      .fft(DType::f64)
      ->transform(tables.stages(length), spectrum.data(), other.data());
  return spectrum;
}

/// The smaller of the two divisors of a length whose quotient is the smallest.
int64_t middleDivisor(int64_t length) {
  auto divisor = static_cast<int64_t>(std::sqrt(static_cast<double>(length)));
  while (length % divisor != 0)
    --divisor;
  return divisor;
}

template <typename T> class FFTOp final : public PreparedOp {
public:
  FFTOp(const FFTLines &lines, const FFTKernels &kernels)
      : lines(lines), kernels(kernels) {
    line.kind = lines.kind;
    line.length = lines.length;
    line.inSize = lines.inSize;
    line.outSize = lines.outSize;
    addInnerTransform();
    if (isMatrix())
      addMatrix();
  }

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    const T *in = operands[0].as<T>();
    T *out = results[0].as<T>();
    if (isMatrix())
      runMatrices(in, out);
    else
      runLines(in, out);
    return {};
  }

private:
  static constexpr int64_t kNumberBytes = 2 * sizeof(T);
  /// Two buffers of vectors of 64 bytes for a longer transform would not stay
  /// in a cache of 1 MiB.
  static constexpr int64_t kLongest = 2048;
  /// Shorter lines have too few columns.
  static constexpr int64_t kShortestMatrix = 256;

  bool isMatrix() const {
    return line.stages.length > kLongest ||
           (line.stages.length >= kShortestMatrix &&
            lines.count() < kernels.lanes / 2);
  }

  void addInnerTransform() {
    const bool isReal = lines.readsReal() || lines.writesReal();
    line.isHalf = isReal && lines.length % 2 == 0;
    line.size = line.isHalf ? lines.length / 2 : lines.length;
    if (line.isHalf) {
      typename Tables<T>::Numbers roots;
      for (int64_t k = 0; k <= line.size; ++k)
        roots.push_back(rootOfUnity(k, lines.length));
      line.halfRoots = tables.add(roots);
    }
    line.isBluestein = !radicesOf(line.size);
    if (!line.isBluestein) {
      line.stages = tables.stages(line.size);
      return;
    }
    const auto length = static_cast<int64_t>(
        std::bit_ceil(static_cast<uint64_t>(2 * line.size - 1)));
    const auto chirp = chirpOf(line.size);
    line.chirp = tables.add(chirp);
    line.spectrum = tables.add(spectrumOf(chirp, length));
    line.stages = tables.stages(length);
  }

  void addMatrix() {
    const int64_t length = line.stages.length;
    matrix.rows = middleDivisor(length);
    matrix.columns = length / matrix.rows;
    matrix.ofColumn = tables.stages(matrix.rows);
    matrix.ofRow = tables.stages(matrix.columns);
    typename Tables<T>::Numbers twiddles;
    for (int64_t column = 0; column < matrix.columns; ++column)
      for (int64_t row = 0; row < matrix.rows; ++row)
        twiddles.push_back(rootOfUnity(column * row, length));
    matrix.twiddles = tables.add(twiddles);
  }

  /// Lines from `first` on, in order.
  FFTLinePlaces placesOf(int64_t first, int64_t count) const {
    const int64_t inParts = lines.readsReal() ? 1 : 2,
                  outParts = lines.writesReal() ? 1 : 2;
    FFTLinePlaces places;
    places.count = count;
    places.fromStride = lines.inner * inParts;
    places.toStride = lines.inner * outParts;
    for (int64_t l = 0; l < count; ++l) {
      const int64_t outer = (first + l) / lines.inner,
                    inner = (first + l) % lines.inner;
      places.from[l] = (outer * lines.inSize * lines.inner + inner) * inParts;
      places.to[l] = (outer * lines.outSize * lines.inner + inner) * outParts;
    }
    return places;
  }

  /// The most numbers of a line in any step.
  int64_t mostNumbers() const {
    return std::max({line.stages.length, line.size + 1,
                     lines.readsReal() ? 0 : line.inSize,
                     lines.writesReal() ? 0 : line.outSize});
  }
  /// The work of one inner transform, in elements of a simple kernel.
  static int64_t workOf(const FFTStages &stages) {
    return 2 * stages.length * (stages.count + 1);
  }

  void runLines(const T *in, T *out) const {
    const int64_t count = lines.count(), lanes = kernels.lanes;
    const int64_t bytes = mostNumbers() * lanes * kNumberBytes;
    parallelFor(countParts(count, lanes), grainFor(lanes * workOf(line.stages)),
                [&](int64_t begin, int64_t end) {
                  Buffer buffer(bytes), other(bytes);
                  for (int64_t i = begin; i < end; ++i)
                    kernels.lines(
                        line,
                        placesOf(i * lanes, std::min(lanes, count - i * lanes)),
                        in, out, buffer.data(), other.data());
                });
  }

  void runMatrices(const T *in, T *out) const {
    Buffer numbers(mostNumbers() * kNumberBytes),
        other(mostNumbers() * kNumberBytes);
    for (int64_t i = 0; i < lines.count(); ++i) {
      const FFTLinePlaces places = placesOf(i, 1);
      const double factor = kernels.load(line, places, in, numbers.data());
      runMatrix(numbers.data(), other.data());
      if (line.isBluestein) {
        kernels.convolve(line, numbers.data());
        runMatrix(numbers.data(), other.data());
      }
      kernels.store(line, places, factor, numbers.data(), out);
    }
  }

  /// Transforms the numbers of a line in place.
  void runMatrix(void *numbers, void *other) const {
    forLanes(matrix.columns, matrix.ofColumn, [&](int64_t first, auto... both) {
      kernels.columns(matrix, first, numbers, other, both...);
    });
    forLanes(matrix.rows, matrix.ofRow, [&](int64_t first, auto... both) {
      kernels.rows(matrix, first, other, numbers, both...);
    });
  }

  /// Calls `body` for groups of `count` columns with two buffers.
  template <typename Body>
  void forLanes(int64_t count, const FFTStages &stages,
                const Body &body) const {
    const int64_t lanes = kernels.lanes;
    const int64_t bytes = stages.length * lanes * kNumberBytes;
    parallelFor(countParts(count, lanes), grainFor(lanes * workOf(stages)),
                [&](int64_t begin, int64_t end) {
                  Buffer buffer(bytes), other(bytes);
                  for (int64_t i = begin; i < end; ++i)
                    body(i * lanes, buffer.data(), other.data());
                });
  }

  FFTLines lines;
  const FFTKernels &kernels;
  Tables<T> tables;
  FFTLine line{};
  FFTMatrix matrix{};
};

} // namespace

Prepared eager::prepareFFT(const Signature &signature) {
  const DType dtype = signature.result().dtype;
  const FFTKernels *found = kernels().fft(dtype);
  if (!found)
    return nullptr;
  const FFTLines lines(signature.op, signature.operands[0], signature.result());
  if (dtype == DType::f32)
    return std::make_unique<FFTOp<float>>(lines, *found);
  return std::make_unique<FFTOp<double>>(lines, *found);
}
