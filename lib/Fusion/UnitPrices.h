//===- UnitPrices.h - What kernels in the making cost ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_UNITPRICES_H
#define TANDEM_LIB_FUSION_UNITPRICES_H

#include "PlanState.h"

namespace tandem {

/// Prices of kernels and of joining them, all by one formula: the launch, each
/// op's operations as often as it is computed, each operand read once as the
/// kernel's innermost loop moves through it, each result stored once. Reading
/// and computing overlap at best; neither bound is sure to hide the other, so
/// that both are paid.
class UnitPrices {
public:
  using Id = FusionUnits::Id;

  explicit UnitPrices(PlanState &state) : state(state) {}

  /// How `producer`, one of its ops after the other, would be computed in
  /// `kernel`, a loop.
  Placement place(Id producer, Id kernel);

  /// A kernel, as it is; reckoned once for each version of it.
  double estimateNs(Id kernel);

  /// `producer`, of one result, within the kernels that need it against a
  /// kernel of its own that each of them reads.
  FusionPrice priceProduce(Id producer, mlir::ArrayRef<Placement> placements);

  /// Two kernels over one space as one, of which `consumer` may read results of
  /// `producer`.
  FusionPrice priceMerge(Id consumer, Id producer);

private:
  double computeNs(mlir::Operation *op, const Evaluation &evaluation,
                   Id kernel) const;
  /// Of one operand that the kernel has from memory.
  double readNs(mlir::OpOperand &operand, const Evaluation &evaluation,
                Id kernel) const;
  /// The result of a placement's first op, from memory.
  double readNs(const Placement &placement) const;
  double readNs(mlir::Value value, double elements, const Motion &motion,
                bool isWindow) const;
  double writeNs(mlir::Value value) const;
  /// Operands of `ops` for which `isWanted`, each once.
  template <typename Ops>
  double readAllNs(const Ops &ops, Id kernel,
                   mlir::function_ref<bool(mlir::Value)> isWanted) const;

  /// Of a kernel of the version `of`.
  struct Estimate {
    unsigned of = 0;
    double ns = 0;
  };

  PlanState &state;
  std::vector<Estimate> estimates;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_UNITPRICES_H
