//===- PlanWindows.cpp - Poolings in contractions' kernels ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanWindows.h"

#include "Prices.h"

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"

using namespace mlir;

namespace tandem {
namespace {

FusionDecision checkReads(PlanState &state, FusionUnits::Id kernel,
                          Operation *op) {
  const OpFacts &facts = state.factsOf(op);
  // Those of a loop are fewer: they would be read again by the next windows.
  if (!facts.inLoop && facts.inLoop.reason() != FusionRefusal::TooManyReads)
    return facts.inLoop;
  if (!state.units.unitsOf(op).empty())
    return FusionDecision::refuse(FusionRefusal::Taken);
  state.units.updateOutputs(kernel);
  const auto &outputs = state.units[kernel].outputs;
  Value operand = op->getOperand(0);
  auto isOther = [&](Operation *user) { return user != op; };
  if (outputs.size() != 1 || outputs.front() != operand ||
      llvm::any_of(operand.getUsers(), isOther))
    return FusionDecision::refuse(FusionRefusal::NeededOutside);
  return state.checkAbsorb(kernel, op, facts.reads);
}

} // namespace

bool isWindow(Operation *op, const OpFacts &facts) {
  return facts.reads > 1 && facts.reads != kSharedWork &&
         !isa<ir::ContractionOpInterface>(op);
}

WindowAnswer askWindow(PlanState &state, FusionUnits::Id kernel, Operation *op,
                       Operation *hero, double heroNs) {
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
  const OpFacts &facts = state.factsOf(op);
  int64_t bytes = getBytes(op->getOperand(0));
  WindowCosts costs = options.contractions->getWindowCosts(
      options.device, *contraction, *window,
      bytes / contraction->result.getNumElements(), heroNs);
  answer.price = priceWindow(options.device, facts, bytes, costs.partBytes,
                             heroNs * costs.repeatedShare);
  if (costs.partBytes > costs.mostPartBytes)
    answer.decision = FusionDecision::refuse(
        FusionRefusal::PartTooLarge, costs.partBytes, costs.mostPartBytes);
  else if (answer.price.fusedNs >= answer.price.unfusedNs)
    answer.decision = FusionDecision::refuse(FusionRefusal::RecomputeCostsMore,
                                             int64_t(answer.price.fusedNs),
                                             int64_t(answer.price.unfusedNs));
  return answer;
}

} // namespace tandem
