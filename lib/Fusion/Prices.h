//===- Prices.h - What fusing costs and saves ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_PRICES_H
#define TANDEM_LIB_FUSION_PRICES_H

#include "OpFacts.h"

#include "tandem/Fusion/FusionPlan.h"

namespace tandem {

/// `op` computed in a kernel that has `shared` bytes of its operands already,
/// and runs in `parallelism` parts, against a kernel of its own.
FusionPrice priceShared(const DeviceModel &device, const OpFacts &facts,
                        int64_t shared, int64_t parallelism = INT64_MAX);

/// A contraction that can be generated, as a register tile ("fused") against a
/// loop.
FusionPrice priceTile(const FusionOptions &options, const OpFacts &facts,
                      const Contraction &contraction);

/// `op` computed by the tasks of a contraction, each of which copies the data
/// that it reads, against a kernel of its own. `isFirst`: they do not copy it
/// anyway. The contraction can have a prologue.
FusionPrice pricePrologue(const FusionOptions &options, const OpFacts &facts,
                          const Contraction &contraction, bool isFirst);

/// A pooling or reduction of the `bytes` that a contraction computes, read from
/// the `partBytes` of them that each task of its kernel keeps, against a kernel
/// of its own. `repeatedNs`: what the contraction takes longer for it.
FusionPrice priceWindow(const DeviceModel &device, const OpFacts &facts,
                        int64_t bytes, int64_t partBytes, double repeatedNs);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_PRICES_H
