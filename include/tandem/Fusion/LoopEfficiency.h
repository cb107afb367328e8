//===- LoopEfficiency.h - The speed of contractions in loops ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_LOOPEFFICIENCY_H
#define TANDEM_FUSION_LOOPEFFICIENCY_H

#include "tandem/Analysis/Contraction/Contraction.h"
#include "tandem/Analysis/CostModel.h"

namespace tandem {

/// The largest spatial stride for which positions may run along the lanes. A
/// stride of s takes s vector loads. Each load after the first adds a shuffle.
inline constexpr int64_t kMaxLaneStride = 4;

/// The share (above 0, at most 1) of the device's peak that a loop kernel
/// reaches on `contraction`. A loop kernel computes one element of the result
/// after the other, in vectors along the innermost dim.
double getLoopEfficiency(const DeviceModel &device,
                         const Contraction &contraction);

} // namespace tandem

#endif // TANDEM_FUSION_LOOPEFFICIENCY_H
