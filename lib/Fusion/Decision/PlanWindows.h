//===- PlanWindows.h - Windows in contractions' kernels ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_DECISION_PLANWINDOWS_H
#define TANDEM_LIB_FUSION_DECISION_PLANWINDOWS_H

#include "Decision/PlanState.h"

namespace tandem {

/// Whether `op` combines several elements of one operand: a pooling or a
/// reduction.
bool isWindow(mlir::Operation *op, const OpFusionInfo &info);

/// A decision on a window, with its estimated costs.
struct WindowAnswer {
  FusionDecision decision;
  FusionCost cost;
};

/// Whether the kernel of `hero`, a contraction that takes `heroNs` nanoseconds
/// in it, may also compute `op`, a window over a value that the kernel
/// computes. The kernel then does not store that value.
WindowAnswer askWindow(PlanState &state, FusionCandidates::Id kernel,
                       mlir::Operation *op, mlir::Operation *hero,
                       double heroNs);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_PLANWINDOWS_H
