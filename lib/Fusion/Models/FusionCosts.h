//===- FusionCosts.h - Estimated costs of fusions ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_MODELS_FUSIONCOSTS_H
#define TANDEM_LIB_FUSION_MODELS_FUSIONCOSTS_H

#include "Decision/OpFusionInfo.h"

#include "tandem/Fusion/FusionPlan.h"

namespace tandem {

/// The cost of computing an op in a kernel that already has `shared` bytes of
/// its operands and runs in `parallelism` parts, compared with a kernel of its
/// own.
FusionCost estimateSharedCost(const DeviceModel &device,
                              const OpFusionInfo &info, int64_t shared,
                              int64_t parallelism = INT64_MAX);

/// The cost of a contraction in a kernel of register tiles ("fused"), compared
/// with a loop kernel.
FusionCost estimateTileCost(const FusionOptions &options,
                            const OpFusionInfo &info,
                            const Contraction &contraction);

/// The cost of computing an op in the tasks of a contraction, compared with a
/// kernel of its own. Each task copies the data that it reads. `isFirst` says
/// that the tasks do not copy their data yet. The contraction can have a
/// prologue.
FusionCost estimatePrologueCost(const FusionOptions &options,
                                const OpFusionInfo &info,
                                const Contraction &contraction, bool isFirst);

/// The cost of a pooling or reduction of the `bytes` bytes that a contraction
/// computes, if it reads the `partBytes` bytes that each task of the
/// contraction's kernel keeps, compared with a kernel of its own. `repeatedNs`
/// is the additional time of the contraction, in nanoseconds.
FusionCost estimateWindowCost(const DeviceModel &device,
                              const OpFusionInfo &info, int64_t bytes,
                              int64_t partBytes, double repeatedNs);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_MODELS_FUSIONCOSTS_H
