//===- ConvPhases.cpp - Phases of transposed convolutions -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvPhases.h"

#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace mlir;

namespace tandem {

SmallVector<SpatialDim> spatialDimsOf(ir::ConvBackwardDataOp op) {
  const size_t count = op.getStrides().size();
  SmallVector<SpatialDim> dims;
  for (size_t i = 0; i < count; ++i) {
    auto sizeOf = [&](Value value, StringRef layout) {
      return shapeOf(value)[spatialAxis(layout, i, count)];
    };
    dims.push_back({sizeOf(op.getInput(), op.getLayout().getInput()),
                    sizeOf(op.getKernel(), op.getLayout().getKernel()),
                    op.getStrides()[i], op.getDilations()[i], op.getPadLow()[i],
                    sizeOf(op.getResult(), op.getLayout().getOutput())});
  }
  return dims;
}

SmallVector<PhaseGroup> SpatialDim::groups(bool isSplit) const {
  // The first tap of each phase that has taps.
  SmallVector<std::optional<int64_t>> firstTaps(stride);
  for (int64_t tap = 0; tap < std::min(tapStep(), window); ++tap) {
    const int64_t phase = (tap * dilation + origin - padLow) % stride;
    firstTaps[phase < 0 ? phase + stride : phase] = tap;
  }
  SmallVector<PhaseGroup> groups;
  for (auto [phase, tap] : llvm::enumerate(firstTaps)) {
    PhaseGroup own;
    if (tap) {
      own.taps = llvm::divideCeilSigned(window - *tap, tapStep());
      own.shift =
          (*tap * dilation + origin - padLow - static_cast<int64_t>(phase)) /
          stride;
    }
    if (isSplit || groups.empty() || groups.back().taps != own.taps ||
        groups.back().shift != own.shift)
      groups.push_back(own);
    groups.back().firstTaps.push_back(tap.value_or(0));
  }
  return groups;
}

SmallVector<PhaseGroup> SpatialDim::chooseOrigin(bool isSplit) {
  // With this origin more phases start at the same element. But results are cut
  // off at the front, which does not pay unless one convolution is all.
  origin = padLow % stride;
  SmallVector<PhaseGroup> phases = groups(isSplit);
  if (phases.size() == 1)
    return phases;
  origin = 0;
  return groups(isSplit);
}

bool mustSplitPhases(ir::ConvBackwardDataOp op) {
  return op.getGroups() > 1 && op.getStrides().size() == 3;
}

} // namespace tandem
