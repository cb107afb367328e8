//===- CostProblem.h - The contraction whose cost is estimated --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_COSTPROBLEM_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_COSTPROBLEM_H

#include "tandem/Target/CPU/ContractionCosts.h"
#include "tandem/Target/CPU/ContractionStrategy.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Target/CPU/CPUShares.h"

namespace tandem {

/// The parameters that the cost estimates of all ways to compute one
/// contraction share.
struct CostProblem {
  mlir::Operation *op;
  bool isConstant;
  const DeviceModel &device;
  OpCost cost;
  CoreModel core;
  CPUShares shares;
  /// The number of outputs in a block of the weights, if these are packed.
  std::optional<int64_t> packedBlock = std::nullopt;
  /// Whether the weights of two outputs are adjacent in memory.
  bool areOutputsAdjacent = true;
  /// If the weights have factors (ir::WeightFactors), the number of inputs that
  /// share a scale.
  int64_t inputsPerScale = 0;
  /// The bytes of all weights that pass through the caches between two calls of
  /// the op. It is 0 for weights without factors, because all ways then read
  /// the same number of bytes.
  double weightsBetween = 0;
};

/// Whether the channels of each position of the data are adjacent in memory.
bool isDataChannelsLast(const Contraction &contraction);

/// The share of their estimated speed that tiles of `contraction` reach if
/// `vectorizedDim` runs along their lanes.
double getTileShare(const KernelShares &shares, const Contraction &contraction,
                    VectorizedDim vectorizedDim);

/// The share (0 to 1) of the products that do not involve padding, which
/// kernels and the library both skip.
double getShareInside(const Contraction &contraction);

/// The cost of work that takes `cycles` cycles on one core, on `workers` cores
/// that are busy for the share `balance` of the time.
ContractionCost getCostOfCycles(ContractionWay way, const CostProblem &problem,
                                double cycles, int64_t workers, double balance);

/// The cost of the library. `contraction` describes the op with packed weights.
/// It is null if the op cannot be described as a contraction.
ContractionCost estimateLibraryCost(CostProblem problem,
                                    const Contraction *contraction);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_COST_COSTPROBLEM_H
