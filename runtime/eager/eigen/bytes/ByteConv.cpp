//===- ByteConv.cpp - Convolutions of 8-bit integers ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteDepthwise.h"
#include "ByteProduct.h"

using namespace tandem;
using namespace tandem::eager;

namespace {

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
  /// The sizes of the product of a group.
  ProductSizes sizes() const {
    const auto sizeOf = [](const Spatial3 &s) { return s[0] * s[1] * s[2]; };
    return {conv.batch * sizeOf(conv.output), conv.outputChannels / conv.groups,
            sizeOf(conv.window) * conv.groupInputChannels};
  }
  /// `count` output positions of one image that follow one another along the
  /// last spatial dim. The first of them is `at`.
  struct Line {
    int64_t batch;
    Spatial3 at;
    int64_t count;
  };

  std::vector<int16_t> widenWeights(int64_t group, const int8_t *kernel) const;
  void runGroup(int64_t group, const T *input, const int8_t *kernel,
                int32_t *result) const;
  /// Splits the output positions with the numbers [first, first + count) into
  /// lines, and calls visit(line, i) for each. The first position of the line
  /// has the number first + i.
  template <typename Visit>
  void forEachLine(int64_t first, int64_t count, Visit visit) const;
  /// Fills one row of the left matrix for each position of the line: copies
  /// and widens the elements of the window at this position. `image` points to
  /// the first channel of the group in the image. Row i begins at
  /// rows + i * rowSize. Elements of windows that lie in padding stay as they
  /// are.
  void fillLine(const T *image, const Line &line, int16_t *rows,
                int64_t rowSize) const;

  SpatialConv conv;
};

template <typename T>
std::vector<int16_t> ByteConvOp<T>::widenWeights(int64_t group,
                                                 const int8_t *kernel) const {
  const int64_t outputs = sizes().n, size = sizes().paddedK();
  std::vector<int16_t> columns(outputs * size);
  int16_t *to = columns.data();
  forEachIndex(conv.window, [&](const int64_t *tap) {
    widenColumns(kernel + group * outputs * conv.weights.batch +
                     conv.weights.offset(tap),
                 outputs, conv.weights.batch, conv.groupInputChannels,
                 conv.weights.channel, to, size);
    to += conv.groupInputChannels;
  });
  return columns;
}

template <typename T>
template <typename Visit>
void ByteConvOp<T>::forEachLine(int64_t first, int64_t count,
                                Visit visit) const {
  for (int64_t i = 0; i < count;) {
    const int64_t w = (first + i) % conv.output[2],
                  number = (first + i) / conv.output[2], numH = conv.output[1],
                  numD = conv.output[0];
    const Line line{number / numH / numD,
                    {number / numH % numD, number % numH, w},
                    std::min(count - i, conv.output[2] - w)};
    visit(line, i);
    i += line.count;
  }
}

template <typename T>
void ByteConvOp<T>::fillLine(const T *image, const Line &line, int16_t *rows,
                             int64_t rowSize) const {
  const int64_t inputs = conv.groupInputChannels, begin = line.at[2],
                step = conv.strides[2] * conv.in.stride[2];
  conv.forEachRowOfTaps(line.at.data(), [&](int64_t tap, int64_t d, int64_t h) {
    for (int64_t w = 0; w < conv.window[2]; ++w) {
      const auto inside = conv.insidePositions(w);
      const int64_t first = std::max(inside.first, begin),
                    count = std::min(inside.second, begin + line.count) - first;
      if (count <= 0)
        continue;
      const int64_t x =
          first * conv.strides[2] + w * conv.dilations[2] - conv.padLow[2];
      const T *from =
          image + conv.rowOffset(line.at.data(), d, h) + x * conv.in.stride[2];
      int16_t *to = rows + (first - begin) * rowSize + (tap + w) * inputs;
      if (conv.in.channel == 1)
        for (int64_t i = 0; i < count; ++i)
          widen(from + i * step, 1, inputs, to + i * rowSize);
      else
        for (int64_t c = 0; c < inputs; ++c)
          for (int64_t i = 0; i < count; ++i)
            to[i * rowSize + c] = from[c * conv.in.channel + i * step];
    }
  });
}

template <typename T>
void ByteConvOp<T>::runGroup(int64_t group, const T *input,
                             const int8_t *kernel, int32_t *result) const {
  const std::vector<int16_t> columns = widenWeights(group, kernel);
  const int64_t outputs = sizes().n, size = sizes().paddedK();
  input += group * conv.groupInputChannels * conv.in.channel;
  result += group * outputs * conv.out.channel;
  multiplyBytes(
      sizes(), columns.data(),
      [&](int64_t first, int64_t count, int16_t *rows) {
        forEachLine(first, count, [&](const Line &line, int64_t i) {
          fillLine(input + line.batch * conv.in.batch, line, rows + i * size,
                   size);
        });
      },
      [&](int64_t first, int64_t count, const int32_t *sums) {
        forEachLine(first, count, [&](const Line &line, int64_t i) {
          int32_t *to = result + line.batch * conv.out.batch +
                        conv.out.offset(line.at.data());
          for (int64_t p = 0; p < line.count; ++p)
            for (int64_t o = 0; o < outputs; ++o)
              to[o * conv.out.channel + p * conv.out.stride[2]] =
                  sums[(i + p) * outputs + o];
        });
      });
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
    return prepareByteDepthwise(data, conv);
  return makeForBytes<ByteConvOp>(data, conv);
}
