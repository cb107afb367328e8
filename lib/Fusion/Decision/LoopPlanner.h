//===- LoopPlanner.h - Planning the fusion of loops -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_DECISION_LOOPPLANNER_H
#define TANDEM_LIB_FUSION_DECISION_LOOPPLANNER_H

#include "Decision/FusionQueue.h"
#include "Decision/PlanState.h"
#include "Models/KernelCostModel.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"

namespace tandem {

/// Puts the ops that are in no kernel yet into loop kernels, or leaves them as
/// op steps. Each op begins as a kernel of its own. The fusion that saves most
/// time is done first, and the costs that this fusion changes are estimated
/// again, as in XLA's PriorityFusion
/// (xla/backends/gpu/transforms/priority_fusion.cc).
class LoopPlanner {
public:
  LoopPlanner(PlanState &state, FusionOrder order)
      : state(state), options(state.options), candidates(state.candidates),
        costs(state), queue(order == FusionOrder::SavedTime) {}

  void plan();

private:
  using Id = FusionCandidates::Id;
  using Proposal = FusionProposal;
  /// The consumers of the outputs of a candidate.
  struct Consumers {
    llvm::SmallVector<Id> kernels;
    /// Whether an op step or the terminator is a consumer, too.
    bool outside = false;
  };
  /// The answer to the question whether a candidate should be computed within
  /// its consumers.
  struct Answer {
    FusionDecision decision;
    FusionCost cost;
    Consumers consumers;
    llvm::SmallVector<Placement, 1> placements;
    /// The state for which the answer is valid: getState of the candidate.
    llvm::hash_code state = 0;
  };

  void addOp(mlir::Operation *op);
  void pushCandidate(Id candidate);
  bool hasSeveralReaders(mlir::Value value) const;
  void pushValue(mlir::Value value);
  void pushOperands(llvm::ArrayRef<mlir::Operation *> ops);
  double getSavedNs(Id candidate, const Answer &answer) const;
  double getSharedNs(llvm::ArrayRef<mlir::Value> values) const;
  bool isPutBack(Proposal proposal, double savedNs);
  void ask(const Proposal &proposal);
  void refuse(FusionQuestion question, Id producer, std::optional<Id> consumer,
              FusionDecision decision, const FusionCost &cost = {});
  void noteRefusals();

  Consumers consumersOf(Id candidate) const;
  void addConsumers(mlir::Value value, Consumers &consumers) const;
  llvm::hash_code getState(Id producer, const Consumers &consumers) const;
  const Answer &askProducerConsumer(Id producer);
  FusionDecision checkProducerConsumer(Id producer, Answer &answer);
  FusionDecision checkBody(llvm::ArrayRef<Placement> placements) const;
  void tryProducerConsumer(Id producer, const Answer &answer);

  bool mayBeMultiOutput(Id producer, const Consumers &consumers) const;
  void tryMultiOutput(Id producer);
  bool readsInPlace(Id consumer, Id producer) const;
  FusionDecision checkMerge(Id into, Id from);
  void findUpdates();
  bool readsElsewhere(Id kernel, mlir::Value value) const;
  bool keepsFromUpdating(Id reader, Id updating) const;
  bool tryMerge(FusionQuestion question, Id into, Id from);
  llvm::SmallVector<Id> readersOf(mlir::Value value) const;
  void joinReaders(mlir::Value value);

  bool isAlive(Id candidate) const { return candidates[candidate].root; }
  bool isView(Id candidate) const {
    return state.infoOf(candidates[candidate].root).isView;
  }
  unsigned positionOf(Id candidate) const {
    return candidates.position(candidates[candidate].root) + 1;
  }

  PlanState &state;
  const FusionOptions &options;
  FusionCandidates &candidates;
  KernelCostModel costs;
  FusionQueue queue;
  /// For each output of the function that updates an input, this input.
  llvm::DenseMap<mlir::Value, mlir::Value> updatedInputs;
  /// The last answer for each candidate.
  std::vector<Answer> answers;
  /// The last answer to each question, with the consumer that was asked about.
  struct Refusal {
    FusionLogEntry entry;
    Id producer, consumer;
  };
  llvm::MapVector<std::tuple<unsigned, mlir::Operation *, mlir::Operation *>,
                  Refusal>
      refusals;
};

} // namespace tandem

#endif // TANDEM_LIB_FUSION_DECISION_LOOPPLANNER_H
