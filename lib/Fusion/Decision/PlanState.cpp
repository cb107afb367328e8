//===- PlanState.cpp - What the steps of planning share -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/PlanState.h"

#include "Decision/TrainingPhase.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "tandem-fusion"

using namespace mlir;

namespace tandem {

const OpFusionInfo &PlanState::infoOf(Operation *op) {
  std::optional<OpFusionInfo> &known = (*infos)[candidates.position(op)];
  if (!known)
    known = getFusionInfo(op, options);
  return *known;
}

FusionDecision PlanState::checkPhases(Operation *a, Operation *b) const {
  if (options.keepsPhasesApart && phaseOf(a->getLoc()) != phaseOf(b->getLoc()))
    return FusionDecision::refuse(FusionRefusal::OtherPhase);
  return FusionDecision::allow();
}

FusionDecision PlanState::checkBody(FusionCandidates::Id candidate,
                                    int64_t moreReads) const {
  int64_t reads = candidates[candidate].bodyReads + moreReads;
  if (reads > options.maxBodyReads)
    return FusionDecision::refuse(FusionRefusal::BodyTooLarge, reads,
                                  options.maxBodyReads);
  return FusionDecision::allow();
}

FusionDecision PlanState::checkAbsorb(FusionCandidates::Id candidate,
                                      Operation *op, int64_t moreReads) {
  if (FusionDecision decision = checkPhases(op, candidates[candidate].root);
      !decision)
    return decision;
  if (!candidates.canAbsorb(op, candidate))
    return FusionDecision::refuse(FusionRefusal::WouldCycle);
  if (FusionDecision decision = checkBody(candidate, moreReads); !decision)
    return decision;
  int64_t results = candidates.countOutputsWith(candidate, op);
  if (results > options.maxResults)
    return FusionDecision::refuse(FusionRefusal::TooManyResults, results,
                                  options.maxResults);
  return FusionDecision::allow();
}

bool PlanState::decide(FusionQuestion question, Operation *producer,
                       Operation *consumer, FusionDecision decision,
                       const FusionCost &cost) {
  if (decision && fuel.empty())
    decision = FusionDecision::refuse(FusionRefusal::OutOfFuel);
  if (decision)
    fuel.consume();
  note({question, producer, consumer, decision, cost});
  return bool(decision);
}

void PlanState::note(const FusionLogEntry &entry) {
  if (log)
    log->push_back(entry);
  LLVM_DEBUG(llvm::dbgs() << "fuse " << *entry.producer << "\n  into ";
             if (entry.consumer) llvm::dbgs() << *entry.consumer;
             else llvm::dbgs() << "its consumers";
             llvm::dbgs() << ": " << entry.decision.str() << "\n");
}

} // namespace tandem
