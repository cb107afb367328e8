//===- ConvPhases.h - Phases of transposed convolutions ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along one spatial dim of a conv_backward_data, let s be the stride, d the
// dilation, j a position in the result, and j + origin = s * q + r. Then r is
// the phase of the position. Tap t of the kernel adds to position j what
// element (j + pad_low - t * d) / s of the operand has, where that is an
// integer. This holds for the taps with t * d = r + pad_low - origin (mod s):
// the taps of the phase. So the results of one phase are a convolution of the
// operand, with stride 1, with the taps of that phase in reverse order.
// Neighboring phases that have equally many taps and start at the same element
// can be computed as the channels of one convolution.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_CONVPHASES_H
#define TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_CONVPHASES_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include <numeric>
#include <utility>

namespace tandem {

/// The dim of a layout that is spatial dim `i` of `count`.
inline int64_t spatialAxis(mlir::StringRef layout, size_t i, size_t count) {
  return static_cast<int64_t>(layout.find("DHW"[3 - count + i]));
}

/// Neighboring phases of one spatial dim that one convolution computes.
struct PhaseGroup {
  /// The first tap of each phase.
  mlir::SmallVector<int64_t> firstTaps;
  /// The number of taps of each phase; 0 if no tap has these phases.
  int64_t taps = 0;
  /// The number of elements by which the element that the first tap meets lies
  /// before element q.
  int64_t shift = 0;

  int64_t phases() const { return firstTaps.size(); }
};

/// One spatial dim.
struct SpatialDim {
  int64_t input, window, stride, dilation, padLow, result;
  /// Less than the stride.
  int64_t origin = 0;

  /// The number of taps from one tap of a phase to the next, and the number of
  /// elements of the operand from one to the next.
  int64_t tapStep() const { return stride / std::gcd(stride, dilation); }
  int64_t elementStep() const { return dilation / std::gcd(stride, dilation); }
  /// The number of values of q.
  int64_t count() const { return (origin + result - 1) / stride + 1; }
  /// The phases that one convolution computes; each by itself if `isSplit`.
  mlir::SmallVector<PhaseGroup> groups(bool isSplit) const;
  /// Chooses the origin, and returns the groups of phases for it.
  mlir::SmallVector<PhaseGroup> chooseOrigin(bool isSplit);
  /// The padding before and after the operand in the convolution of a group;
  /// negative where elements are left out.
  std::pair<int64_t, int64_t> pads(const PhaseGroup &group) const {
    const int64_t reach = (group.taps - 1) * elementStep();
    const int64_t low = reach + group.shift;
    return {low, count() + reach - input - low};
  }
  bool isZero(const PhaseGroup &group) const {
    auto [low, high] = pads(group);
    return group.taps == 0 ||
           -std::min<int64_t>(low, 0) >= input + std::min<int64_t>(high, 0);
  }
};

/// The spatial dims of an op with static types.
mlir::SmallVector<SpatialDim> spatialDimsOf(ir::ConvBackwardDataOp op);

/// Whether each phase of an op must be a convolution of its own. The batch, the
/// groups, the channels and the positions and phases of three dims would be
/// more dims than a tensor may have.
bool mustSplitPhases(ir::ConvBackwardDataOp op);

} // namespace tandem

#endif // TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_CONVPHASES_H
