//===- Spatial.h - Geometry of convolutions and pools -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes and strides of convolutions, pools and matmuls in one form,
// whatever the layout: always three spatial dims (leading ones of size 1 where
// there are fewer), and strides by the role of each dim. Strides and offsets
// are in elements.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_SPATIAL_H
#define TANDEM_RUNTIME_EAGER_SPATIAL_H

#include "tandem/Support/Strides.h"

#include "tandem/Support/ShapeRules.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::eager {

using Spatial3 = std::array<int64_t, 3>;

/// Calls `visit` with each index of a box of these sizes, the last dim fastest.
/// An index is passed as a pointer to three numbers.
template <typename Visit>
void forEachIndex(const Spatial3 &sizes, Visit visit) {
  for (int64_t d = 0; d < sizes[0]; ++d)
    for (int64_t h = 0; h < sizes[1]; ++h)
      for (int64_t w = 0; w < sizes[2]; ++w) {
        const int64_t at[3] = {d, h, w};
        visit(at);
      }
}

/// The sizes and strides of one tensor by role. The dims O and I of a
/// convolution's kernel count as batch and channel. `layout` must be valid, as
/// the shape rules ensure.
struct SpatialTensor {
  int64_t batchSize, channelSize;
  Spatial3 size{1, 1, 1};
  int64_t batch, channel;
  Spatial3 stride{};
  int numSpatial;

  static SpatialTensor of(const Shape &shape, std::string_view layout,
                          bool isKernel);

  int64_t offset(const int64_t *at) const {
    return at[0] * stride[0] + at[1] * stride[1] + at[2] * stride[2];
  }
  /// Strides of a walk over (batch, channel, D, H, W) that are 0 along the
  /// spatial dims, so that it stays at the first spatial position.
  Strides planes() const { return {batch, channel}; }
};

/// How the windows of a convolution or pooling lie over its input.
struct SpatialWindow {
  SpatialTensor in, out;
  Spatial3 window{1, 1, 1}, output{1, 1, 1};
  Spatial3 strides{1, 1, 1}, padLow{}, padHigh{}, dilations{1, 1, 1};

  /// The range [first, last) of taps along spatial dim `i` that lie inside the
  /// input at output position `at`.
  std::pair<int64_t, int64_t> insideTaps(int i, int64_t at) const {
    const int64_t start = at * strides[i] - padLow[i];
    const int64_t first =
        start >= 0 ? 0 : (-start + dilations[i] - 1) / dilations[i];
    const int64_t room = in.size[i] - start;
    const int64_t last =
        room <= 0 ? 0 : (room + dilations[i] - 1) / dilations[i];
    return {first, last < window[i] ? last : window[i]};
  }

  /// The offset of the input element under tap `tap` of the window at output
  /// position `at`, from the first element of its channel; none where it is in
  /// the padding.
  std::optional<int64_t> inputOffset(const int64_t *at,
                                     const int64_t *tap) const {
    int64_t offset = 0;
    for (int i = 0; i < 3; ++i) {
      const int64_t x = at[i] * strides[i] + tap[i] * dilations[i] - padLow[i];
      if (x < 0 || x >= in.size[i])
        return std::nullopt;
      offset += x * in.stride[i];
    }
    return offset;
  }

  /// The range [first, last) of output positions along the last dim at which
  /// tap `w` lies inside the input.
  std::pair<int64_t, int64_t> insidePositions(int64_t w) const {
    const auto countSteps = [this](int64_t elements) {
      return elements <= 0 ? 0 : (elements + strides[2] - 1) / strides[2];
    };
    const int64_t start = w * dilations[2] - padLow[2];
    return {countSteps(-start),
            std::min(output[2], countSteps(in.size[2] - start))};
  }

  /// Calls visit(tap, d, h) for the taps d and h of the first two dims that lie
  /// inside the input at output position `at`. `tap` is the number of the first
  /// tap of their row.
  template <typename Visit>
  void forEachRowOfTaps(const int64_t *at, Visit visit) const {
    const auto [firstD, lastD] = insideTaps(0, at[0]);
    const auto [firstH, lastH] = insideTaps(1, at[1]);
    for (int64_t d = firstD; d < lastD; ++d)
      for (int64_t h = firstH; h < lastH; ++h)
        visit((d * window[1] + h) * window[2], d, h);
  }

  /// The offset of the row of input elements under the taps `d` and `h` of the
  /// window at output position `at`, from the first element of its channel. The
  /// row must lie inside the input.
  int64_t rowOffset(const int64_t *at, int64_t d, int64_t h) const {
    return (at[0] * strides[0] + d * dilations[0] - padLow[0]) * in.stride[0] +
           (at[1] * strides[1] + h * dilations[1] - padLow[1]) * in.stride[1];
  }
};

/// A convolution: its window, its weights and its channels.
struct SpatialConv : SpatialWindow {
  SpatialTensor weights;
  int64_t batch, outputChannels, groups, groupInputChannels;

  static SpatialConv of(const fb::ConvAttrsT &attrs, const Shape &input,
                        const Shape &kernel, const Shape &result);
  /// The convolution whose gradient a conv_backward_data computes: `in` is the
  /// op's result, and `out` is its operand `input`.
  static SpatialConv ofBackwardData(const fb::ConvAttrsT &attrs,
                                    const Shape &input, const Shape &kernel,
                                    const Shape &result);
  /// The convolution whose gradient a conv_backward_weights computes:
  /// `weights` is the op's result, and `out` is its operand `gradient`.
  static SpatialConv ofBackwardWeights(const fb::ConvAttrsT &attrs,
                                       const Shape &input,
                                       const Shape &gradient,
                                       const Shape &result) {
    return of(attrs, input, result, gradient);
  }
};

/// A pooling: its window and its channels.
struct SpatialPool : SpatialWindow {
  int64_t batch, channels;

  static SpatialPool of(const fb::PoolAttrsT &attrs, const Shape &input,
                        const Shape &result);
};

/// The sizes and strides of a matmul: the batch dims, then M, N and K.
struct MatmulDims {
  Shape batch;
  Strides lhsBatch{}, rhsBatch{};
  int64_t m, n, k;
  int64_t lhsM, lhsK, rhsK, rhsN;

  static MatmulDims of(bool transposeLhs, bool transposeRhs, const Shape &lhs,
                       const Shape &rhs, const Shape &result);
};

} // namespace tandem::eager

#endif // TANDEM_RUNTIME_EAGER_SPATIAL_H
