//===- Kernels.h - Vectorized inner loops -----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The eager tier's inner loops over contiguous elements. They are compiled once
// for each level of x86-64, and the host's level is chosen at start-up. Each
// runs on the calling thread.
//
// The sources in this folder are compiled with instructions that the host may
// lack. No function of theirs may be shared with the rest of the program, or
// the linker could keep the wrong copy: everything is in a namespace of the
// level, Eigen's too (see CMakeLists.txt), and the standard library is used
// only for what is inlined or compiled elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_EIGEN_KERNELS_H
#define TANDEM_RUNTIME_EAGER_EIGEN_KERNELS_H

#include "tandem/Support/OpKinds.h"

#include <cstdint>

namespace tandem::eager {

using fb::ComparePredicate;
using fb::DType;
using fb::ReduceKind;
using fb::ScanKind;

/// out[i] = f(in[i]) for i < n.
using UnaryKernel = void (*)(const void *in, void *out, int64_t n);
/// out[i] = f(a[i], b[i]).
using BinaryKernel = void (*)(const void *a, const void *b, void *out,
                              int64_t n);
/// out[i] = f(a[i], b[i], c[i]).
using TernaryKernel = void (*)(const void *a, const void *b, const void *c,
                               void *out, int64_t n);

/// One element from n contiguous ones (n >= 1).
using RowReduceKernel = void (*)(const void *in, void *out, int64_t n);
/// acc[i] = f(acc[i], in[j * stride + i]) for j < rows in order, i < n; the
/// stride is in elements.
using AccumulateKernel = void (*)(void *acc, const void *in, int64_t n,
                                  int64_t rows, int64_t stride);
/// The number of rows of floats that are summed in their own type before the
/// sum is added to an f64 accumulator.
inline constexpr int64_t kSumBlock = 32;
/// Inclusive scans of n interleaved lines, in order: element i of line j is at
/// i * stride + j in both tensors, in elements. The stride may be negative. One
/// line of floats is scanned in `kScanChains` parts of equal length and a rest,
/// and what is before a part is combined with its elements afterwards.
using ScanKernel = void (*)(const void *in, void *out, int64_t size, int64_t n,
                            int64_t stride);
inline constexpr int64_t kScanChains = 8;
/// The same for log_sum_exp, in f64 and in order. With `isExclusive`, element i
/// is the combination of the elements before it.
using LogSumExpKernel = void (*)(const void *in, void *out, int64_t size,
                                 int64_t stride, bool isExclusive);
/// out[i] = the maximum of rows[j][i], j < count.
using MaxOfRowsKernel = void (*)(const void *const *rows, int64_t count,
                                 void *out, int64_t n);
/// The first index of the largest of n >= 1 elements; a NaN wins.
using ArgmaxKernel = int64_t (*)(const void *in, int64_t n);
/// Sets best[i] = in[i] and at[i] = index where in[i] is larger than best[i] or
/// is the first NaN.
using ArgmaxAccumulateKernel = void (*)(void *best, int64_t *at, const void *in,
                                        int64_t index, int64_t n);

/// out[i] = (in[i] - mean[i]) * scale[i] + offset[i].
using NormalizeKernel = void (*)(const void *in, const void *mean,
                                 const void *scale, const void *offset,
                                 void *out, int64_t n);
/// scale[i] = scale[i] / sqrt(variance[i] + epsilon), in `out`.
using ScaleKernel = void (*)(const void *scale, const void *variance,
                             double epsilon, void *out, int64_t n);
/// Softmax of `n` elements in `lines` interleaved lines: element i of line j is
/// at i * stride + j; lines <= kSoftmaxLines.
using SoftmaxKernel = void (*)(const void *in, void *out, int64_t n,
                               int64_t stride, int64_t lines);
inline constexpr int64_t kSoftmaxLines = 256;
/// out = y * (g - sum(g * y)) along lines as those of SoftmaxKernel, for the
/// result y of a softmax and its gradient g.
using SoftmaxBackwardKernel = void (*)(const void *y, const void *g, void *out,
                                       int64_t n, int64_t stride,
                                       int64_t lines);

/// The statistics of a line: its mean, and one over its deviation.
struct LineStatistics {
  double mean, inverseDeviation;
};

/// The kernels of layer norms, on n elements of a line of float or double. x is
/// (in - mean) * inverseDeviation.
struct LayerNormKernels {
  /// out[i] = x[i] * scale[i] + offset[i].
  void (*normalize)(const void *in, LineStatistics line, const void *scale,
                    const void *offset, void *out, int64_t n);
  /// With h = gradient * scale, and means over the line:
  /// out[i] = (h[i] - mean(h) - x[i] * mean(h * x)) * inverseDeviation.
  void (*gradient)(const void *gradient, const void *in, const void *scale,
                   LineStatistics line, void *out, int64_t n);
  /// Adds gradient * x to ofScale, and gradient to ofOffset.
  void (*addGradients)(const void *gradient, const void *in,
                       LineStatistics line, void *ofScale, void *ofOffset,
                       int64_t n);
};

/// out[j * outStride + i] = in[i * inStride + j], i < rows, j < columns.
using TransposeKernel = void (*)(const void *in, void *out, int64_t rows,
                                 int64_t columns, int64_t inStride,
                                 int64_t outStride);

/// result (m x n) = lhs (m x k) * rhs (k x n), row-major or transposed.
using MatmulKernel = void (*)(const void *lhs, const void *rhs, void *result,
                              int64_t m, int64_t n, int64_t k,
                              bool transposeLhs, bool transposeRhs,
                              int64_t resultStride);

/// The least number of elements of which rows of a ByteDotsKernel have a
/// multiple.
inline constexpr int64_t kByteDepth = 32;
/// sums[i * n + j] = the sum of rows[i * k + p] * columns[j * k + p], p < k,
/// for i < m and j < n. Elements are of magnitudes up to 255; k is a multiple
/// of kByteDepth.
using ByteDotsKernel = void (*)(const int16_t *rows, const int16_t *columns,
                                int32_t *sums, int64_t m, int64_t n, int64_t k);

/// sums[i] += data[i * stride] * factors[i * factorStride] for i < n. The data
/// is of 8 bits; the factors are of magnitudes up to 128.
using ByteProductsKernel = void (*)(const void *data, int64_t stride,
                                    const int16_t *factors,
                                    int64_t factorStride, int32_t *sums,
                                    int64_t n);

/// out[i] = the maximum of in[i * stride + j * dilation], j < taps.
using WindowMaxKernel = void (*)(const void *in, void *out, int64_t n,
                                 int64_t taps, int64_t stride,
                                 int64_t dilation);

/// The number of a tap that no window has.
inline constexpr int64_t kNoTap = 1 << 16;

/// The kernels of pools with indices and of the gradients of pools. Buffers of
/// taps have an integer as wide as an element for each element. Among equal
/// elements, the one with the lowest tap is the largest; a NaN is larger than
/// all numbers.
struct PoolKernels {
  /// out[i] = the largest of rows[j][i], j < count, and index[i] = taps[j] of
  /// it. `taps` is in ascending order.
  void (*maxRows)(const void *const *rows, const uint8_t *taps, int64_t count,
                  void *out, uint8_t *index, int64_t n);
  /// Sets best[i] = row[i] and taps[i] = tap where row[i] is larger.
  void (*maxDown)(void *best, void *taps, const void *row, int64_t tap,
                  int64_t n);
  /// taps[i] = tap.
  void (*fillTaps)(void *taps, int64_t tap, int64_t n);
  /// out[i] = the largest of best[i * stride + j * dilation], j < window, and
  /// index[i] = taps[...] + j of it, or 0 if that is kNoTap or more. `chosen`
  /// is a buffer of n taps.
  void (*maxAlong)(const void *best, const void *taps, void *out, void *chosen,
                   uint8_t *index, int64_t n, int64_t window, int64_t stride,
                   int64_t dilation);
  /// out[i] = the sum of rows[j][i] over those j with index[j][i] = taps[j].
  void (*sumChosenRows)(const void *const *rows, const uint8_t *const *index,
                        const uint8_t *taps, int64_t count, void *out,
                        int64_t n);
  /// out[i] = the sum of rows[j][i] * factors[j].
  void (*sumScaledRows)(const void *const *rows, const double *factors,
                        int64_t count, void *out, int64_t n);
  /// sums[i] += row[i] where index[i] = tap.
  void (*addChosen)(void *sums, const void *row, const uint8_t *index,
                    uint8_t tap, int64_t n);
  /// sums[i] += row[i] * factors[i].
  void (*addScaled)(void *sums, const void *row, const void *factors,
                    int64_t n);
  /// out[i] = phases[i % count * distance + i / count] for i < n.
  void (*interleave)(const void *phases, int64_t distance, int64_t count,
                     void *out, int64_t n);
};

/// The kernels of moments. A block has the sum of its elements, and the sum of
/// the squares of their distances from their mean.
struct MomentsKernels {
  /// Computes the block of n >= 1 contiguous elements.
  void (*ofLine)(const void *in, int64_t n, double *sum, double *squares);
  /// Computes, for each i < n, the block of rows[j][i], j < count.
  void (*ofRows)(const void *const *rows, int64_t count, double *sum,
                 double *squares, int64_t n);
  /// Adds a block of `more` elements to one of `count`, for each i < n.
  void (*merge)(double *sum, double *squares, double count,
                const double *moreSum, const double *moreSquares, double more,
                int64_t n);
};

/// out[i] = word i of a random op (include/tandem/Support/Philox.h), i < n.
using RandomKernel = void (*)(uint64_t key, uint64_t counter, uint32_t *out,
                              int64_t n);

/// Indices of elements that resize reads: index[k * n + i] for tap k of result
/// i < n. Results are in groups of kGroup. If bases[g] is not negative, all
/// indices of group g lie in [bases[g], bases[g] + kGroup), and all elements
/// there may be read.
struct PickedElements {
  static constexpr int64_t kGroup = 16;
  const int32_t *index, *bases;
  int64_t n;
};
/// out[i] = in[index[i]] for i < n.
using PickKernel = void (*)(const void *in, const PickedElements &picked,
                            void *out);

/// The kernels of resize, on elements of float or double.
struct InterpolationKernels {
  /// out[i] = the sum of weights[k * n + i] * in[index[k * n + i]], k < taps,
  /// for i < n.
  void (*alongRow)(const void *in, const PickedElements &picked,
                   const void *weights, int64_t taps, void *out);
  /// out[i] = the sum of weights[k] * rows[k][i], k < count, for i < n.
  void (*acrossRows)(const void *const *rows, const void *weights,
                     int64_t count, void *out, int64_t n);
  /// roundResized of each element. Null for float.
  void (*round)(void *row, int64_t n, double grid, bool truncates);
};

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

/// The largest factor of a length whose transform is computed by its
/// definition.
inline constexpr int64_t kLargestRadix = 61;
inline constexpr int kMaxStages = 48;
/// The most lines that a kernel transforms at a time: those of a 64-byte vector
/// of f32.
inline constexpr int64_t kMaxLines = 16;

/// A fast transform of `length` complex numbers, all of whose prime factors are
/// at most kLargestRadix, in stages (Stockham's ordering: Van Loan,
/// Computational Frameworks for the Fast Fourier Transform, section 1.7).
/// Tables hold complex numbers, of the type of the kernel.
struct FFTStages {
  int64_t length = 1;
  int count = 0;
  struct {
    int64_t radix;
    /// exp(-2 pi i q r / size) at q * (radix - 1) + r - 1, for q < size / radix
    /// and 0 < r < radix, where `size` is the length that is left.
    const void *twiddles;
    /// exp(-2 pi i r / radix), r < radix.
    const void *roots;
  } stage[kMaxStages];
};

/// A transform of lines as an op has it, in terms of a transform of complex
/// numbers. The numbers of a line of the operand become the `size` numbers of
/// the inner transform, and those become the numbers of a line of the result.
/// All powers of roots are exp(-2 pi i ...): inverse transforms exchange real
/// and imaginary parts.
struct FFTLine {
  fb::FFTKind kind;
  int64_t length, inSize, outSize;
  int64_t size;
  /// Whether pairs of real numbers are the numbers of the inner transform; then
  /// `halfRoots` holds exp(-2 pi i k / length), k <= size.
  bool isHalf;
  const void *halfRoots;
  /// The inner transform as a convolution (L. Bluestein, A linear filtering
  /// approach to the computation of discrete Fourier transform, IEEE Trans.
  /// Audio Electroacoust. 18, 1970): `chirp` holds exp(-pi i k k / size), and
  /// `spectrum` the transform of its conjugates, divided by `stages.length`.
  bool isBluestein;
  const void *chirp, *spectrum;
  /// The stages for `size` numbers or, with Bluestein, for a power of two.
  FFTStages stages;
};

/// The offsets and strides of lines, in elements of the tensors.
struct FFTLinePlaces {
  int64_t count = 0; // at most the number of lanes
  int64_t from[kMaxLines], to[kMaxLines];
  int64_t fromStride, toStride;
};

/// A long transform of one line, as transforms of the columns and of the rows
/// of a matrix (D. Bailey, FFTs in external or hierarchical memory, J.
/// Supercomputing 4, 1990). `twiddles` holds exp(-2 pi i j k / (rows *
/// columns)) at j * rows + k, for column j and row k.
struct FFTMatrix {
  int64_t rows, columns;
  FFTStages ofColumn, ofRow;
  const void *twiddles;
};

/// Kernels of one type. Buffers hold vectors of `lanes` elements, each of which
/// belongs to a line: the real parts of a number of all lines, then its
/// imaginary parts.
struct FFTKernels {
  int64_t lanes;
  /// Transforms lines. The two buffers have as many numbers as the larger of
  /// the lines and of the stages.
  void (*lines)(const FFTLine &line, const FFTLinePlaces &places,
                const void *in, void *out, void *buffer, void *other);
  /// The same in steps, for one line whose inner transform is an FFTMatrix. The
  /// buffers hold numbers of one line. `load` returns the factor that `store`
  /// is given.
  double (*load)(const FFTLine &line, const FFTLinePlaces &places,
                 const void *in, void *buffer);
  void (*columns)(const FFTMatrix &matrix, int64_t first, const void *in,
                  void *out, void *buffer, void *other);
  void (*rows)(const FFTMatrix &matrix, int64_t first, const void *in,
               void *out, void *buffer, void *other);
  void (*convolve)(const FFTLine &line, void *numbers);
  void (*store)(const FFTLine &line, const FFTLinePlaces &places, double factor,
                void *buffer, void *out);
  /// Transforms complex numbers of one line in place, with a second buffer.
  void (*transform)(const FFTStages &stages, void *numbers, void *other);
};

/// The kernels of one level of x86-64. Each function returns null where there
/// is no kernel. Bit i of a mask says that operand i is a single element, which
/// is repeated.
struct KernelTable {
  const char *name;
  UnaryKernel (*unary)(UnaryKind kind, DType dtype, bool approximate);
  UnaryKernel (*cast)(DType from, DType to);
  BinaryKernel (*binary)(BinaryKind kind, DType dtype, unsigned mask);
  BinaryKernel (*compare)(ComparePredicate predicate, DType dtype,
                          unsigned mask);
  TernaryKernel (*select)(int64_t width, unsigned mask);
  TernaryKernel (*clamp)(DType dtype, unsigned mask);
  RowReduceKernel (*reduceRow)(ReduceKind kind, DType dtype);
  AccumulateKernel (*accumulate)(ReduceKind kind, DType dtype);
  /// For sums of floats, whose accumulators are doubles.
  AccumulateKernel (*accumulateSum)(DType dtype);
  ScanKernel (*scan)(ScanKind kind, DType dtype);
  LogSumExpKernel (*logSumExp)(DType dtype);
  MaxOfRowsKernel (*maxOfRows)(DType dtype);
  ArgmaxKernel (*argmax)(DType dtype);
  ArgmaxAccumulateKernel (*argmaxAccumulate)(DType dtype);
  /// Null for types other than f32 and f64.
  const FFTKernels *(*fft)(DType dtype);
  /// With `repeated`, mean, scale and offset are one element each.
  NormalizeKernel (*normalize)(DType dtype, bool repeated);
  ScaleKernel (*normalizeScale)(DType dtype);
  SoftmaxKernel (*softmax)(DType dtype);
  SoftmaxBackwardKernel (*softmaxBackward)(DType dtype);
  TransposeKernel (*transpose)(int64_t width);
  MatmulKernel (*matmul)(DType dtype);
  ByteDotsKernel (*byteDots)();
  /// The kernel for data of i8 or ui8.
  ByteProductsKernel (*byteProducts)(DType dtype);
  WindowMaxKernel (*windowMax)(DType dtype);
  /// Null for types other than f32 and f64.
  const PoolKernels *(*pool)(DType dtype);
  MomentsKernels (*moments)(DType dtype);
  /// Null for types other than f32 and f64.
  const LayerNormKernels *(*layerNorm)(DType dtype);
  RandomKernel (*random)();
  PickKernel (*pick)(int64_t width);
  InterpolationKernels (*interpolation)(DType dtype);
};

/// The table for the host's level of x86-64: "avx512" (x86-64-v4), "avx2"
/// (x86-64-v3) or "baseline". TANDEM_X86_LEVEL, in the environment, names one
/// of these as the highest to use.
const KernelTable &kernels();

#define TANDEM_DECLARE_LEVEL(level)                                            \
  namespace level {                                                            \
  UnaryKernel findUnary(UnaryKind kind, DType dtype, bool approximate);        \
  UnaryKernel findCast(DType from, DType to);                                  \
  BinaryKernel findBinary(BinaryKind kind, DType dtype, unsigned mask);        \
  BinaryKernel findCompare(ComparePredicate predicate, DType dtype,            \
                           unsigned mask);                                     \
  TernaryKernel findSelect(int64_t width, unsigned mask);                      \
  TernaryKernel findClamp(DType dtype, unsigned mask);                         \
  RowReduceKernel findReduceRow(ReduceKind kind, DType dtype);                 \
  AccumulateKernel findAccumulate(ReduceKind kind, DType dtype);               \
  AccumulateKernel findAccumulateSum(DType dtype);                             \
  ScanKernel findScan(ScanKind kind, DType dtype);                             \
  LogSumExpKernel findLogSumExp(DType dtype);                                  \
  MaxOfRowsKernel findMaxOfRows(DType dtype);                                  \
  ArgmaxKernel findArgmax(DType dtype);                                        \
  ArgmaxAccumulateKernel findArgmaxAccumulate(DType dtype);                    \
  const FFTKernels *findFFT(DType dtype);                                      \
  NormalizeKernel findNormalize(DType dtype, bool repeated);                   \
  ScaleKernel findNormalizeScale(DType dtype);                                 \
  SoftmaxKernel findSoftmax(DType dtype);                                      \
  SoftmaxBackwardKernel findSoftmaxBackward(DType dtype);                      \
  TransposeKernel findTranspose(int64_t width);                                \
  MatmulKernel findMatmul(DType dtype);                                        \
  ByteDotsKernel findByteDots();                                               \
  ByteProductsKernel findByteProducts(DType dtype);                            \
  WindowMaxKernel findWindowMax(DType dtype);                                  \
  const PoolKernels *findPool(DType dtype);                                    \
  MomentsKernels findMoments(DType dtype);                                     \
  const LayerNormKernels *findLayerNorm(DType dtype);                          \
  RandomKernel findRandom();                                                   \
  PickKernel findPick(int64_t width);                                          \
  InterpolationKernels findInterpolation(DType dtype);                         \
  }
TANDEM_DECLARE_LEVEL(baseline)
TANDEM_DECLARE_LEVEL(avx2)
TANDEM_DECLARE_LEVEL(avx512)

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_EIGEN_KERNELS_H
