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
  for (int64_t o = 0; o < sizes.n; ++o) {
    int16_t *to = columns.data() + o * sizes.paddedK();
    forEachIndex(conv.window, [&](const int64_t *tap) {
      widen(kernel + (group * sizes.n + o) * conv.weights.batch +
                conv.weights.offset(tap),
            conv.weights.channel, conv.groupInputChannels, to);
      to += conv.groupInputChannels;
    });
  }
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
    for (int64_t j = 0; j < dims.n; ++j)
      widen(rhs + j * dims.rhsN, dims.rhsK, dims.k,
            columns.data() + j * sizes.paddedK());
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
  return makeForBytes<ByteConvOp>(
      signature.operands[0].dtype,
      SpatialConv::of(*signature.op.attrs.AsConvAttrs(),
                      signature.operands[0].shape, signature.operands[1].shape,
                      signature.result().shape));
}

Prepared eager::prepareByteMatmul(const Signature &signature,
                                  const MatmulDims &dims) {
  return makeForBytes<ByteMatmulOp>(signature.operands[0].dtype, dims);
}
