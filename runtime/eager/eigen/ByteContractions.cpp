//===- ByteContractions.cpp - conv and matmul of 8-bit integers -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is a product of matrices here: row i has the elements that
// result i of each output is a sum over, and column j has the weights of output
// j. Both are widened to 16 bits, so that an instruction that multiplies and
// adds pairs never saturates.
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Prepare.h"
#include "kernels/Kernels.h"

#include "tandem/Support/Strides.h"

#include <algorithm>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// The rows that a task computes at a time.
constexpr int64_t kRowsOfTask = 16;

/// The sizes of one product: m rows and n columns of k elements, each padded
/// with zeros to a whole number of vectors.
struct ProductSizes {
  int64_t m, n, k;

  int64_t paddedK() const { return countParts(k, kByteDepth) * kByteDepth; }
};

/// Widens `count` elements that are `stride` apart.
template <typename T>
void widen(const T *from, int64_t stride, int64_t count, int16_t *to) {
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i];
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = from[i * stride];
}

/// Widens n columns of k elements. Elements of a column are `depthStride`
/// apart, and columns `stride`. Columns may be side by side in memory, so a few
/// elements of many columns are read before those behind them.
void widenColumns(const int8_t *from, int64_t n, int64_t stride, int64_t k,
                  int64_t depthStride, int16_t *to, int64_t toStride) {
  constexpr int64_t kColumns = 64, kDepth = 16;
  parallelFor(
      countParts(n, kColumns), grainFor(kColumns * k),
      [&](int64_t begin, int64_t end) {
        const int64_t last = std::min(end * kColumns, n);
        for (int64_t first = begin * kColumns; first < last; first += kColumns)
          for (int64_t p = 0; p < k; p += kDepth)
            for (int64_t j = first; j < std::min(first + kColumns, last); ++j)
              widen(from + j * stride + p * depthStride, depthStride,
                    std::min(kDepth, k - p), to + j * toStride + p);
      });
}

/// Computes the product of rows, which `fillRow(row, to)` writes into zeros,
/// with `columns`, and calls `store(row, sums)` with the n sums of each row.
template <typename FillRow, typename Store>
void multiplyBytes(const ProductSizes &sizes, const int16_t *columns,
                   FillRow fillRow, Store store) {
  const int64_t k = sizes.paddedK(), n = sizes.n;
  parallelFor(
      countParts(sizes.m, kRowsOfTask), grainFor(kRowsOfTask * n * k / 16),
      [&](int64_t begin, int64_t end) {
        std::vector<int16_t> rows(kRowsOfTask * k);
        std::vector<int32_t> sums(kRowsOfTask * n);
        for (int64_t block = begin; block < end; ++block) {
          const int64_t first = block * kRowsOfTask,
                        count = std::min(kRowsOfTask, sizes.m - first);
          std::fill(rows.begin(), rows.end(), int16_t(0));
          for (int64_t i = 0; i < count; ++i)
            fillRow(first + i, rows.data() + i * k);
          kernels().byteDots()(rows.data(), columns, sums.data(), count, n, k);
          for (int64_t i = 0; i < count; ++i)
            store(first + i, sums.data() + i * n);
        }
      });
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

template <typename T> class ByteConvOp final : public PreparedOp {
public:
  explicit ByteConvOp(const SpatialConv &conv) : conv(conv) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    for (int64_t group = 0; group < conv.groups; ++group)
      runGroup(group, operands[0].as<T>(), operands[1].as<int8_t>(),
               results[0].as<int32_t>());
    return {};
  }

private:
  int64_t outputsOfGroup() const { return conv.outputChannels / conv.groups; }
  std::vector<int16_t> widenWeights(int64_t group, const int8_t *kernel) const;
  void runGroup(int64_t group, const T *input, const int8_t *kernel,
                int32_t *result) const;

  SpatialConv conv;
};

template <typename T>
std::vector<int16_t> ByteConvOp<T>::widenWeights(int64_t group,
                                                 const int8_t *kernel) const {
  const int64_t taps = conv.window[0] * conv.window[1] * conv.window[2];
  const ProductSizes sizes{0, outputsOfGroup(), taps * conv.groupInputChannels};
  std::vector<int16_t> columns(sizes.n * sizes.paddedK());
  int16_t *to = columns.data();
  forEachIndex(conv.window, [&](const int64_t *tap) {
    widenColumns(kernel + group * sizes.n * conv.weights.batch +
                     conv.weights.offset(tap),
                 sizes.n, conv.weights.batch, conv.groupInputChannels,
                 conv.weights.channel, to, sizes.paddedK());
    to += conv.groupInputChannels;
  });
  return columns;
}

template <typename T>
void ByteConvOp<T>::runGroup(int64_t group, const T *input,
                             const int8_t *kernel, int32_t *result) const {
  const std::vector<int16_t> columns = widenWeights(group, kernel);
  const int64_t outputs = outputsOfGroup(), inputs = conv.groupInputChannels;
  const int64_t positions = conv.output[0] * conv.output[1] * conv.output[2];
  const auto place = [&](int64_t row, Spatial3 &at) {
    const int64_t position = row % positions;
    at = {position / (conv.output[1] * conv.output[2]),
          position / conv.output[2] % conv.output[1],
          position % conv.output[2]};
    return row / positions;
  };
  multiplyBytes(
      {conv.batch * positions, outputs,
       conv.window[0] * conv.window[1] * conv.window[2] * inputs},
      columns.data(),
      [&](int64_t row, int16_t *to) {
        Spatial3 at;
        const T *from = input + place(row, at) * conv.in.batch +
                        group * inputs * conv.in.channel;
        forEachIndex(conv.window, [&](const int64_t *tap) {
          if (const auto offset = conv.inputOffset(at.data(), tap))
            widen(from + *offset, conv.in.channel, inputs, to);
          to += inputs;
        });
      },
      [&](int64_t row, const int32_t *sums) {
        Spatial3 at;
        int32_t *to = result + place(row, at) * conv.out.batch +
                      conv.out.offset(at.data()) +
                      group * outputs * conv.out.channel;
        for (int64_t o = 0; o < outputs; ++o)
          to[o * conv.out.channel] = sums[o];
      });
}

//===----------------------------------------------------------------------===//
// depthwise conv
//===----------------------------------------------------------------------===//

/// A convolution each of whose outputs sums the taps of one channel. It adds
/// the products of one tap at a time to a line of results.
class ByteDepthwiseOp final : public PreparedOp {
public:
  ByteDepthwiseOp(DType data, const SpatialConv &conv)
      : conv(conv), kernel(kernels().byteProducts(data)) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;

private:
  /// Whether a line is all channels of one position, and not a row of one
  /// channel.
  bool areChannelsLast() const {
    return conv.in.channel == 1 && conv.out.channel == 1 &&
           conv.outputChannels == conv.groups;
  }
  /// The weights as [tap][output channel].
  std::vector<int16_t> widenWeights(const int8_t *weights) const;
  /// Calls visit(tap, d, h) for the taps of the first two spatial dims that lie
  /// inside of the input at `at`; `tap` is the number of the first of the row.
  template <typename Visit>
  void forEachRowOfTaps(const int64_t *at, Visit visit) const;
  void sumChannels(const char *image, const int16_t *weights, const int64_t *at,
                   int32_t *sums) const;
  void sumRow(const char *plane, const int16_t *weights, int64_t output,
              const int64_t *at, int32_t *sums) const;

  SpatialConv conv;
  ByteProductsKernel kernel;
};

std::vector<int16_t>
ByteDepthwiseOp::widenWeights(const int8_t *weights) const {
  std::vector<int16_t> widened;
  forEachIndex(conv.window, [&](const int64_t *tap) {
    for (int64_t o = 0; o < conv.outputChannels; ++o)
      widened.push_back(
          weights[o * conv.weights.batch + conv.weights.offset(tap)]);
  });
  return widened;
}

template <typename Visit>
void ByteDepthwiseOp::forEachRowOfTaps(const int64_t *at, Visit visit) const {
  const auto [firstD, lastD] = conv.insideTaps(0, at[0]);
  const auto [firstH, lastH] = conv.insideTaps(1, at[1]);
  for (int64_t d = firstD; d < lastD; ++d)
    for (int64_t h = firstH; h < lastH; ++h)
      visit((d * conv.window[1] + h) * conv.window[2], d, h);
}

/// The sums of all channels at position `at`.
void ByteDepthwiseOp::sumChannels(const char *image, const int16_t *weights,
                                  const int64_t *at, int32_t *sums) const {
  std::fill_n(sums, conv.outputChannels, 0);
  const auto [first, last] = conv.insideTaps(2, at[2]);
  forEachRowOfTaps(at, [&](int64_t tap, int64_t d, int64_t h) {
    for (int64_t w = first; w < last; ++w) {
      const int64_t x =
          at[2] * conv.strides[2] + w * conv.dilations[2] - conv.padLow[2];
      kernel(image + conv.rowOffset(at, d, h) + x * conv.in.stride[2], 1,
             weights + (tap + w) * conv.outputChannels, 1, sums,
             conv.outputChannels);
    }
  });
}

/// The sums of one channel at all positions of the last spatial dim.
void ByteDepthwiseOp::sumRow(const char *plane, const int16_t *weights,
                             int64_t output, const int64_t *at,
                             int32_t *sums) const {
  const int64_t stride = conv.strides[2], size = conv.in.size[2];
  std::fill_n(sums, conv.output[2], 0);
  forEachRowOfTaps(at, [&](int64_t tap, int64_t d, int64_t h) {
    for (int64_t w = 0; w < conv.window[2]; ++w) {
      // Position i reads element start + i * stride, where that exists.
      const int64_t start = w * conv.dilations[2] - conv.padLow[2];
      const int64_t first = start >= 0 ? 0 : countParts(-start, stride);
      const int64_t last = std::min(
          conv.output[2], start >= size ? 0 : countParts(size - start, stride));
      if (first < last)
        kernel(plane + conv.rowOffset(at, d, h) +
                   (start + first * stride) * conv.in.stride[2],
               stride * conv.in.stride[2],
               weights + (tap + w) * conv.outputChannels + output, 0,
               sums + first, last - first);
    }
  });
}

Status ByteDepthwiseOp::run(const StepContext &,
                            std::span<const Tensor> operands,
                            std::span<Tensor> results) const {
  const std::vector<int16_t> weights = widenWeights(operands[1].as<int8_t>());
  const char *input = operands[0].as<char>();
  int32_t *result = results[0].as<int32_t>();
  const bool isLast = areChannelsLast();
  const int64_t channels = isLast ? 1 : conv.outputChannels,
                positions = isLast ? conv.output[2] : 1,
                length = isLast ? conv.outputChannels : conv.output[2],
                step = isLast ? 1 : conv.out.stride[2];
  const int64_t taps = conv.window[0] * conv.window[1] * conv.window[2];
  const Spatial3 sizes{conv.output[0], conv.output[1], positions};
  const int64_t lines = sizes[0] * sizes[1] * sizes[2];
  parallelFor(conv.batch * channels * lines, grainFor(length * taps),
              [&](int64_t begin, int64_t end) {
                std::vector<int32_t> sums(length);
                for (int64_t line = begin; line < end; ++line) {
                  const int64_t batch = line / lines / channels,
                                output = line / lines % channels,
                                position = line % lines;
                  const int64_t at[3] = {position / (sizes[1] * sizes[2]),
                                         position / sizes[2] % sizes[1],
                                         position % sizes[2]};
                  const int64_t group =
                      output / (conv.outputChannels / conv.groups);
                  const char *from =
                      input + batch * conv.in.batch + group * conv.in.channel;
                  if (isLast)
                    sumChannels(from, weights.data(), at, sums.data());
                  else
                    sumRow(from, weights.data(), output, at, sums.data());
                  int32_t *to = result + batch * conv.out.batch +
                                output * conv.out.channel + conv.out.offset(at);
                  for (int64_t i = 0; i < length; ++i)
                    to[i * step] = sums[i];
                }
              });
  return {};
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

template <typename T> class ByteMatmulOp final : public PreparedOp {
public:
  explicit ByteMatmulOp(const MatmulDims &dims) : dims(dims) {}

  Status run(const StepContext &, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    int32_t *result = results[0].as<int32_t>();
    for (StridedIndex<2> i(dims.batch, {dims.lhsBatch, dims.rhsBatch});
         !i.done(); i.next(), result += dims.m * dims.n)
      multiply(operands[0].as<T>() + i.offset(0),
               operands[1].as<int8_t>() + i.offset(1), result);
    return {};
  }

private:
  void multiply(const T *lhs, const int8_t *rhs, int32_t *result) const {
    const ProductSizes sizes{dims.m, dims.n, dims.k};
    std::vector<int16_t> columns(dims.n * sizes.paddedK());
    widenColumns(rhs, dims.n, dims.rhsN, dims.k, dims.rhsK, columns.data(),
                 sizes.paddedK());
    multiplyBytes(
        sizes, columns.data(),
        [&](int64_t row, int16_t *to) {
          widen(lhs + row * dims.lhsM, dims.lhsK, dims.k, to);
        },
        [&](int64_t row, const int32_t *sums) {
          std::copy_n(sums, dims.n, result + row * dims.n);
        });
  }

  MatmulDims dims;
};

/// `Op` for the type of the data.
template <template <typename> typename Op, typename Sizes>
Prepared makeForBytes(DType data, const Sizes &sizes) {
  if (data == DType::ui8)
    return std::make_unique<Op<uint8_t>>(sizes);
  return std::make_unique<Op<int8_t>>(sizes);
}

} // namespace

Prepared eager::prepareByteConv(const Signature &signature) {
  if (signature.result().dtype != DType::i32)
    return nullptr;
  const DType data = signature.operands[0].dtype;
  const SpatialConv conv = SpatialConv::of(
      *signature.op.attrs.AsConvAttrs(), signature.operands[0].shape,
      signature.operands[1].shape, signature.result().shape);
  if (conv.groupInputChannels == 1)
    return std::make_unique<ByteDepthwiseOp>(data, conv);
  return makeForBytes<ByteConvOp>(data, conv);
}

Prepared eager::prepareByteMatmul(const Signature &signature,
                                  const MatmulDims &dims) {
  return makeForBytes<ByteMatmulOp>(signature.operands[0].dtype, dims);
}
