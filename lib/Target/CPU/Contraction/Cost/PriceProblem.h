//===- PriceProblem.h - What prices of all ways share -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_PRICEPROBLEM_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_PRICEPROBLEM_H

#include "tandem/Target/CPU/ContractionPrices.h"
#include "tandem/Target/CPU/ContractionStrategy.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

namespace tandem {

/// What all ways have in common.
struct PriceProblem {
  mlir::Operation *op;
  bool isConstant;
  const DeviceModel &device;
  OpCost cost;
  ContractionMachine machine;
  /// Outputs in a block, where weights are packed.
  std::optional<int64_t> packedBlock = std::nullopt;
};

/// Whether each position's channels are next to each other.
bool isDataChannelsLast(const Contraction &contraction);

/// The share of the products that are not with padding, which both leave out.
double getShareInside(const Contraction &contraction);

/// Of what runs on one core in `cycles` and moves `bytes`, by `workers` cores.
ContractionPrice getPrice(ContractionWay way, const PriceProblem &problem,
                          double cycles, int64_t workers, double balance);

/// `contraction` has its weights packed; null where none describes the op.
ContractionPrice priceLibrary(PriceProblem problem,
                              const Contraction *contraction);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_PRICEPROBLEM_H
