//===- PlanState.h - The state that planning steps share --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_DECISION_PLANSTATE_H
#define TANDEM_LIB_FUSION_DECISION_PLANSTATE_H

#include "Decision/FusionCandidates.h"
#include "Decision/OpFusionInfo.h"

#include "tandem/Fusion/FusionPlan.h"

#include <memory>
#include <optional>
#include <vector>

namespace tandem {

/// The state of planning the fusion of one block: the properties of its ops,
/// the kernels so far, and the log of decisions.
class PlanState {
public:
  PlanState(mlir::Block &block, const FusionOptions &options, FusionLog *log)
      : block(block), options(options), candidates(block), log(log),
        fuel(options.fuel),
        infos(std::make_shared<Infos>(block.getOperations().size())) {}

  /// Returns a copy of the state on which fusions can be tried. The copy has no
  /// log and unlimited fuel.
  PlanState fork() const {
    PlanState copy = *this;
    copy.log = nullptr;
    copy.fuel = FusionFuel(-1);
    return copy;
  }
  /// Whether decisions are logged.
  bool isLogged() const { return log; }

  /// The properties of an op. The reference stays valid.
  const OpFusionInfo &infoOf(mlir::Operation *op);

  /// Logs a decision and returns whether it is positive. A positive decision
  /// consumes fuel, and becomes a refusal if no fuel is left.
  bool decide(FusionQuestion question, mlir::Operation *producer,
              mlir::Operation *consumer, FusionDecision decision,
              const FusionCost &cost = {});
  /// Logs a refusal.
  void note(const FusionLogEntry &entry);

  /// Whether two ops may be in one kernel, given the phases of the training
  /// step that they belong to.
  FusionDecision checkPhases(mlir::Operation *a, mlir::Operation *b) const;
  /// Whether the body of `candidate` may read `moreReads` more elements.
  FusionDecision checkBody(FusionCandidates::Id candidate,
                           int64_t moreReads) const;
  /// Whether `candidate` may compute `op` as well: checks phases, cycles and
  /// limits of size only.
  FusionDecision checkAbsorb(FusionCandidates::Id candidate,
                             mlir::Operation *op, int64_t moreReads);

  mlir::Block &block;
  const FusionOptions &options;
  FusionCandidates candidates;
  /// Ops that stay out of the epilogues of contractions because the readers of
  /// their results compute them (findOpsOfReaders).
  llvm::SmallPtrSet<mlir::Operation *, 8> opsOfReaders;

private:
  FusionLog *log;
  FusionFuel fuel;
  /// The properties of ops by position in the block, computed on demand and
  /// shared by all forks.
  using Infos = std::vector<std::optional<OpFusionInfo>>;
  std::shared_ptr<Infos> infos;
};

/// Creates a kernel for each contraction that is not left to a library, with as
/// many of the elementwise ops after the contraction as possible.
void planContractions(PlanState &state);

/// Creates a library call for each contraction that is an op step, with as much
/// of the epilogue after the contraction as the library can compute.
void planLibraryCalls(PlanState &state);

/// Creates kernels of reductions, with the elementwise ops around them.
void planReductions(PlanState &state);

/// Adds elementwise ops that precede a contraction, and that are in no other
/// kernel, to the kernel of the contraction. Defined in PlanContractions.cpp.
void planPrologues(PlanState &state);

/// Puts all remaining ops into loop kernels or op steps, in one of the two
/// greedy orders.
void planLoops(PlanState &state, FusionOrder order);

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_PLANSTATE_H
