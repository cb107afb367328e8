//===- LoopPlanner.h - Planning the fusion of loops -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_FUSION_LOOPPLANNER_H
#define TANDEM_LIB_FUSION_LOOPPLANNER_H

#include "FusionQueue.h"
#include "PlanState.h"
#include "UnitPrices.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"

namespace tandem {

/// Puts the ops that are in no kernel yet into loop kernels, or leaves them as
/// op steps. Each op begins as a kernel of its own. The fusion that saves most
/// time is done first, and the costs that it changes are estimated anew, as in
/// XLA's PriorityFusion (xla/backends/gpu/transforms/priority_fusion.cc).
class LoopPlanner {
public:
  LoopPlanner(PlanState &state, FusionOrder order)
      : state(state), options(state.options), units(state.units), prices(state),
        queue(order == FusionOrder::SavedTime) {}

  void plan();

private:
  using Id = FusionUnits::Id;
  using Candidate = FusionCandidate;
  /// The consumers of the outputs of a unit.
  struct Consumers {
    llvm::SmallVector<Id> kernels;
    /// Whether an op step or the terminator is a consumer, too.
    bool outside = false;
  };
  /// The answer to the question whether a unit should be computed within its
  /// consumers.
  struct Answer {
    FusionDecision decision;
    FusionPrice price;
    Consumers consumers;
    llvm::SmallVector<Placement, 1> placements;
    /// The state for which the answer is valid: getState of the unit.
    llvm::hash_code state = 0;
  };

  void addOp(mlir::Operation *op);
  void pushUnit(Id unit);
  bool hasSeveralReaders(mlir::Value value) const;
  void pushValue(mlir::Value value);
  void pushOperands(llvm::ArrayRef<mlir::Operation *> ops);
  double getSavedNs(Id unit, const Answer &answer) const;
  double getSharedNs(llvm::ArrayRef<mlir::Value> values) const;
  bool isPutBack(Candidate candidate, double savedNs);
  void ask(const Candidate &candidate);
  void refuse(FusionQuestion question, Id producer, std::optional<Id> consumer,
              FusionDecision decision, const FusionPrice &price = {});
  void noteRefusals();

  Consumers consumersOf(Id unit) const;
  void addConsumers(mlir::Value value, Consumers &consumers) const;
  llvm::hash_code getState(Id producer, const Consumers &consumers) const;
  const Answer &askProduce(Id producer);
  FusionDecision checkProduce(Id producer, Answer &answer);
  FusionDecision checkBody(llvm::ArrayRef<Placement> placements) const;
  void tryProduce(Id producer, const Answer &answer);

  bool mayStore(Id producer, const Consumers &consumers) const;
  void tryStore(Id producer);
  bool readsInPlace(Id consumer, Id producer) const;
  FusionDecision checkMerge(Id into, Id from);
  bool tryMerge(FusionQuestion question, Id into, Id from);
  llvm::SmallVector<Id> readersOf(mlir::Value value) const;
  void joinReaders(mlir::Value value);

  bool isAlive(Id unit) const { return units[unit].root; }
  bool isView(Id unit) const { return state.factsOf(units[unit].root).isView; }
  unsigned positionOf(Id unit) const {
    return units.position(units[unit].root) + 1;
  }

  PlanState &state;
  const FusionOptions &options;
  FusionUnits &units;
  UnitPrices prices;
  FusionQueue queue;
  /// By unit, the last answer.
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

#endif // TANDEM_LIB_FUSION_LOOPPLANNER_H
