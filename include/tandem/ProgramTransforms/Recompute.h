//===- Recompute.h - Recomputing values to save memory ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rematerialization: a value that is read early and again late takes memory in
// between, possibly while the program's memory use peaks. Where the value is
// cheap to compute from other values that are alive anyway, its steps run a
// second time right before the late use (Briggs, Cooper, Torczon, PLDI 1992,
// for registers; Chen et al., arXiv 1604.06174, for tensors).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PROGRAMTRANSFORMS_RECOMPUTE_H
#define TANDEM_PROGRAMTRANSFORMS_RECOMPUTE_H

#include "tandem/Analysis/CostModel.h"
#include "tandem/Runtime/Compiler.h"

namespace tandem {

/// The most time that recomputation may add, as a share of the program's
/// estimated time, and the least memory that it must save, as a share of the
/// planned peak.
struct RecomputeLimits {
  double maxTimeShare = 0.01;
  double minPeakShare = 0.02;
};

/// Lowers the planned peak of `program`, which must have been planned
/// (planMemory), by running steps a second time, and plans it again. Does not
/// change the program if the limits do not allow recomputation. `device`
/// estimates the cost of a kernel step from the flops and bytes of the kernel,
/// and the cost of an op step from `cost`. A custom_call has an unknown cost
/// and never runs twice. Each operand of a repeated step must be alive at the
/// late use, or be at most half as large as the value that is not held, or be
/// recomputed itself. A step whose results are only read late is moved to
/// directly before the late use, which costs nothing.
///
/// Takes O(steps + slots) for each value that is tried, of which there are at
/// most 32.
Expected<Recomputation> recomputeForMemory(Program &program,
                                           const DeviceModel &device,
                                           RecomputeLimits limits = {});

} // namespace tandem

#endif // TANDEM_PROGRAMTRANSFORMS_RECOMPUTE_H
