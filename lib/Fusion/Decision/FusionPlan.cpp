//===- FusionPlan.cpp - Which ops become one kernel -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Fusion/FusionPlan.h"

#include "Decision/PlanState.h"
#include "Decision/WideningChains.h"
#include "Models/KernelCostModel.h"

#include "mlir/IR/Block.h"

using namespace mlir;

namespace tandem {

static FusionGroup makeGroup(FusionCandidates::Id id,
                             const FusionCandidates &candidates,
                             KernelCostModel &costs) {
  const FusionCandidate &candidate = candidates[id];
  FusionGroup group;
  group.estimatedNs = costs.estimateNs(id);
  group.kind = candidate.kind;
  for (auto &[op, recompute] : candidate.ops)
    group.ops.push_back(op);
  llvm::sort(group.ops, [&](Operation *a, Operation *b) {
    return candidates.position(a) < candidates.position(b);
  });
  for (Operation *op : group.ops)
    if (candidate.outputs.contains(op->getResult(0)))
      group.outputs.push_back(op->getResult(0));
  return group;
}

/// A contraction's epilogue spares a pass over its result, however the ops
/// behind it are computed; so contractions choose first.
static void planHeroes(PlanState &state) {
  if (state.options.contractions) {
    state.opsOfReaders = findOpsOfReaders(state);
    planContractions(state);
  }
  if (state.options.libraries)
    planLibraryCalls(state);
  if (state.options.reductions)
    planReductions(state);
  // What a reduction computes costs nothing there.
  if (state.options.contractions)
    planPrologues(state);
}

static double getTotalNs(PlanState &state) {
  KernelCostModel costs(state);
  double ns = 0;
  for (FusionCandidates::Id id = 0; id < state.candidates.size(); ++id)
    if (state.candidates[id].isKernel)
      ns += costs.estimateNs(id);
  return ns;
}

static std::vector<FusionGroup> makeGroups(PlanState &state) {
  std::vector<FusionGroup> groups;
  KernelCostModel costs(state);
  const FusionCandidates &candidates = state.candidates;
  for (FusionCandidates::Id id = 0; id < candidates.size(); ++id)
    if (candidates[id].isKernel)
      groups.push_back(makeGroup(id, candidates, costs));
  // Kernels in the order of their last ops, as a reader would number them.
  llvm::sort(groups, [&](const FusionGroup &a, const FusionGroup &b) {
    return candidates.position(a.ops.back()) <
           candidates.position(b.ops.back());
  });
  return groups;
}

std::vector<FusionGroup> planFusion(Block &block, const FusionOptions &options,
                                    FusionLog *log) {
  PlanState state(block, options, log);
  planHeroes(state);
  if (options.order != FusionOrder::Best) {
    planLoops(state, options.order);
    return makeGroups(state);
  }
  bool isReported = log || options.fuel >= 0;
  PlanState ordered = state.fork();
  PlanState ranked = isReported ? state.fork() : std::move(state);
  planLoops(ranked, FusionOrder::SavedTime);
  planLoops(ordered, FusionOrder::Block);
  bool isRanked = getTotalNs(ranked) <= getTotalNs(ordered);
  if (!isReported)
    return makeGroups(isRanked ? ranked : ordered);
  // Once more, for the report. Fuel has no say in which order it is, so that
  // decisions stay the same ones while their number is halved.
  planLoops(state, isRanked ? FusionOrder::SavedTime : FusionOrder::Block);
  return makeGroups(state);
}

} // namespace tandem
