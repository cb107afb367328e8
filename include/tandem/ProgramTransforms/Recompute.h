//===- Recompute.h - Values computed again, not held -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is read early and late is held in between, over the program's
// peak. Where it is cheap to make from what is there anyway, its steps run
// again right before the late use (rematerialisation; Briggs, Cooper, Torczon,
// PLDI 1992, for registers, and Chen et al., arXiv 1604.06174, for tensors).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PROGRAMTRANSFORMS_RECOMPUTE_H
#define TANDEM_PROGRAMTRANSFORMS_RECOMPUTE_H

#include "tandem/Analysis/CostModel.h"
#include "tandem/Runtime/Compiler.h"

namespace tandem {

/// What a lower peak may cost, and how much lower it must be: shares of the
/// program's estimated time and of its planned peak.
struct RecomputeLimits {
  double maxTimeShare = 0.05;
  double minPeakShare = 0.02;
};

/// Lowers the planned peak of `program`, which has been planned (planMemory),
/// by running steps a second time, and plans it again; leaves it as it was
/// where the limits do not allow that. Steps are priced by `device` as kernels
/// (their flops and bytes) and ops (`cost`); custom_call has no price and runs
/// once. What a step needs must be live at the late use, or be at most half as
/// large as what is not held, or be computed again itself. A step whose results
/// are read late alone moves there, and costs nothing.
///
/// O(steps + slots) for each value that is tried, 32 at most.
Expected<Recomputation> recomputeForMemory(Program &program,
                                           const DeviceModel &device,
                                           RecomputeLimits limits = {});

} // namespace tandem

#endif // TANDEM_PROGRAMTRANSFORMS_RECOMPUTE_H
