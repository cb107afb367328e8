//===- ByteDepthwise.cpp - Depthwise convolutions of bytes ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteDepthwise.h"

#include "../Parallel.h"
#include "../kernels/Kernels.h"

#include <algorithm>
#include <vector>

using namespace tandem;
using namespace tandem::eager;

namespace {

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

/// The sums of all channels at position `at`.
void ByteDepthwiseOp::sumChannels(const char *image, const int16_t *weights,
                                  const int64_t *at, int32_t *sums) const {
  std::fill_n(sums, conv.outputChannels, 0);
  const auto [first, last] = conv.insideTaps(2, at[2]);
  conv.forEachRowOfTaps(at, [&](int64_t tap, int64_t d, int64_t h) {
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
  const int64_t stride = conv.strides[2];
  std::fill_n(sums, conv.output[2], 0);
  conv.forEachRowOfTaps(at, [&](int64_t tap, int64_t d, int64_t h) {
    for (int64_t w = 0; w < conv.window[2]; ++w) {
      // Position i reads element start + i * stride.
      const int64_t start = w * conv.dilations[2] - conv.padLow[2];
      const auto [first, last] = conv.insidePositions(w);
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

} // namespace

Prepared eager::prepareByteDepthwise(DType data, const SpatialConv &conv) {
  return std::make_unique<ByteDepthwiseOp>(data, conv);
}
