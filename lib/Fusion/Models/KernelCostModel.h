//===- KernelCostModel.h - Costs of kernels while planning ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_MODELS_KERNELCOSTMODEL_H
#define TANDEM_LIB_FUSION_MODELS_KERNELCOSTMODEL_H

#include "Decision/PlanState.h"

namespace tandem {

/// Estimates the costs of kernels and of joining them by a single formula. A
/// kernel costs its launch, the operations of each op as often as the op is
/// computed, one read of each operand at the stride of the kernel's innermost
/// loop, and one write of each result. The times of reading and computing are
/// added, because it is not certain that they overlap.
class KernelCostModel {
public:
  using Id = FusionCandidates::Id;

  explicit KernelCostModel(PlanState &state) : state(state) {}

  /// How the ops of `producer` would be computed in `kernel`, a loop kernel.
  Placement place(Id producer, Id kernel);

  /// The estimated time of a kernel, in nanoseconds. Computed once for each
  /// version of the kernel.
  double estimateNs(Id kernel);

  /// The cost of computing `producer`, which has one result, within all kernels
  /// that need the result, compared with a kernel of its own whose result each
  /// of them reads.
  FusionCost estimateProducerConsumerCost(Id producer,
                                          mlir::ArrayRef<Placement> placements);

  /// The cost of joining two kernels over one iteration space, compared with
  /// two kernels. `consumer` may read results of `producer`.
  FusionCost estimateMergeCost(Id consumer, Id producer);

private:
  double computeNs(mlir::Operation *op, const RecomputeInfo &recompute,
                   Id kernel) const;
  /// The time of reading one operand from memory.
  double readNs(mlir::OpOperand &operand, const RecomputeInfo &recompute,
                Id kernel) const;
  /// The time of reading the result of the placement's first op from memory.
  double readNs(const Placement &placement) const;
  double readNs(mlir::Value value, double elements, const AccessStride &stride,
                bool isWindow) const;
  double writeNs(mlir::Value value) const;
  /// The time of reading the operands of `ops` for which `isWanted` holds. Each
  /// operand is read once.
  template <typename Ops>
  double readAllNs(const Ops &ops, Id kernel,
                   mlir::function_ref<bool(mlir::Value)> isWanted) const;

  /// The estimated time of version `of` of a kernel.
  struct Estimate {
    unsigned of = 0;
    double ns = 0;
  };

  PlanState &state;
  std::vector<Estimate> estimates;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_MODELS_KERNELCOSTMODEL_H
