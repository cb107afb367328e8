//===- PlanState.h - What the steps of planning share ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_PLANSTATE_H
#define TANDEM_LIB_FUSION_PLANSTATE_H

#include "FusionUnits.h"
#include "OpFacts.h"

#include "tandem/Fusion/FusionPlan.h"

#include <memory>
#include <optional>
#include <vector>

namespace tandem {

/// One planning: the block, what is known of its ops, the kernels so far, and
/// the decisions.
class PlanState {
public:
  PlanState(mlir::Block &block, const FusionOptions &options, FusionLog *log)
      : block(block), options(options), units(block), log(log),
        fuel(options.fuel),
        facts(std::make_shared<Facts>(block.getOperations().size())) {}

  /// The same so far, to go on from on trial: without a log or a limit.
  PlanState fork() const {
    PlanState copy = *this;
    copy.log = nullptr;
    copy.fuel = FusionFuel(-1);
    return copy;
  }
  /// Whether somebody reads what is noted.
  bool isLogged() const { return log; }

  /// Stays where it is.
  const OpFacts &factsOf(mlir::Operation *op);

  /// Logs the decision, which lack of fuel may turn; consumes fuel where it is
  /// positive.
  bool decide(FusionQuestion question, mlir::Operation *producer,
              mlir::Operation *consumer, FusionDecision decision,
              const FusionPrice &price = {});
  /// Logs a refusal.
  void note(const FusionLogEntry &entry);

  /// Whether the body of `unit` may read so many more elements.
  FusionDecision checkBody(FusionUnits::Id unit, int64_t moreReads) const;
  /// Whether `unit` may compute `op` as well, as far as cycles and sizes go.
  FusionDecision checkAbsorb(FusionUnits::Id unit, mlir::Operation *op,
                             int64_t moreReads);

  mlir::Block &block;
  const FusionOptions &options;
  FusionUnits units;

private:
  FusionLog *log;
  FusionFuel fuel;
  /// By position in the block, once asked for; of all forks.
  using Facts = std::vector<std::optional<OpFacts>>;
  std::shared_ptr<Facts> facts;
};

/// Makes kernels of the contractions that are to be generated, each with the
/// elementwise ops on its result that it can take.
void planContractions(PlanState &state);

/// Makes kernels of reductions with the elementwise ops around them.
void planReductions(PlanState &state);

/// Contractions take in the elementwise ops before them that no other kernel
/// has: PlanContractions.cpp.
void planPrologues(PlanState &state);

/// Puts all that is left in loops or op steps, in one of the two orders.
void planLoops(PlanState &state, FusionOrder order);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_PLANSTATE_H
