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

#include "tandem/Conversion/TandemToLinalg/Contraction.h"

namespace tandem {

/// `op` computed within `readers` kernels, so many times in all, against a
/// kernel of its own whose result each of them reads.
FusionPrice priceProduce(const DeviceModel &device, const OpFacts &facts,
                         int64_t readers, double evaluations);

/// `op` computed in a kernel that has `shared` bytes of its operands already,
/// and runs in `parallelism` parts, against a kernel of its own.
FusionPrice priceShared(const DeviceModel &device, const OpFacts &facts,
                        int64_t shared, int64_t parallelism = INT64_MAX);

/// Two kernels that read the same bytes as one.
FusionPrice priceJoin(const DeviceModel &device, int64_t shared);

/// A contraction that can be generated, as a register tile ("fused") against a
/// loop.
FusionPrice priceTile(const DeviceModel &device, const OpFacts &facts,
                      const Contraction &contraction);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_PRICES_H
