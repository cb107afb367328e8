//===- PlanWindows.cpp - Poolings in contractions' kernels ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/PlanWindows.h"

#include "Models/FusionCosts.h"

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"

using namespace mlir;

namespace tandem {
namespace {

FusionDecision checkReads(PlanState &state, FusionCandidates::Id kernel,
                          Operation *op) {
  const OpFusionInfo &info = state.infoOf(op);
  // The limit of reads is for a loop, where the next windows would read them
  // again.
  if (!info.inLoop && info.inLoop.reason() != FusionRefusal::TooManyReads)
    return info.inLoop;
  if (!state.candidates.candidatesOf(op).empty())
    return FusionDecision::refuse(FusionRefusal::Taken);
  state.candidates.updateOutputs(kernel);
  const auto &outputs = state.candidates[kernel].outputs;
  Value operand = op->getOperand(0);
  auto isOther = [&](Operation *user) { return user != op; };
  if (outputs.size() != 1 || outputs.front() != operand ||
      llvm::any_of(operand.getUsers(), isOther))
    return FusionDecision::refuse(FusionRefusal::NeededOutside);
  return state.checkAbsorb(kernel, op, info.reads);
}

} // namespace

bool isWindow(Operation *op, const OpFusionInfo &info) {
  return info.reads > 1 && info.reads != kSharedWork &&
         !isa<ir::ContractionOpInterface>(op);
}

WindowAnswer askWindow(PlanState &state, FusionCandidates::Id kernel,
                       Operation *op, Operation *hero, double heroNs) {
  WindowAnswer answer{checkReads(state, kernel, op), {}};
  Expected<Contraction> contraction = describeContraction(hero);
  if (!answer.decision || !contraction)
    return answer;
  Expected<ContractionWindow> window = describeWindow(op, *contraction);
  if (!window) {
    answer.decision = FusionDecision::refuse(FusionRefusal::AcrossTiles,
                                             window.error().message);
    return answer;
  }
  const FusionOptions &options = state.options;
  const OpFusionInfo &info = state.infoOf(op);
  int64_t bytes = getBytes(op->getOperand(0));
  WindowCosts costs = options.contractions->getWindowCosts(
      options.device, *contraction, *window,
      bytes / contraction->result.getNumElements(), heroNs);
  answer.cost = estimateWindowCost(options.device, info, bytes, costs.partBytes,
                                   heroNs * costs.repeatedShare);
  if (costs.partBytes > costs.mostPartBytes)
    answer.decision = FusionDecision::refuse(
        FusionRefusal::PartTooLarge, costs.partBytes, costs.mostPartBytes);
  else if (answer.cost.fusedNs >= answer.cost.unfusedNs)
    answer.decision = FusionDecision::refuse(FusionRefusal::RecomputeCostsMore,
                                             int64_t(answer.cost.fusedNs),
                                             int64_t(answer.cost.unfusedNs));
  return answer;
}

} // namespace tandem
