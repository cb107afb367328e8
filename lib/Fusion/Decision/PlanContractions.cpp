//===- PlanContractions.cpp - Contractions and their epilogues ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/PlanState.h"
#include "Decision/PlanWindows.h"
#include "Decision/WideningChains.h"
#include "Models/FusionCosts.h"

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"

#include <set>

using namespace mlir;

namespace tandem {
namespace {

using Id = FusionCandidates::Id;

class ContractionPlanner {
public:
  explicit ContractionPlanner(PlanState &state)
      : state(state), candidates(state.candidates),
        model(*state.options.contractions) {}

  void visit(Operation *hero);
  /// Adds elementwise ops that compute the data of `candidate`, unless another
  /// kernel computes them at no cost, from the last to the first. The tasks of
  /// the contraction compute the elements that they read.
  void addPrologue(Id candidate);
  /// Adds the widening chains that compute what the epilogue reads, so that it
  /// reads the narrow values from memory.
  void addWideningChains(Id candidate);

private:
  /// By position, so that the operands' kernels are known.
  using Frontier = std::set<std::pair<unsigned, Operation *>>;

  FusionDecision checkHero(Operation *hero);
  FusionCost estimateHeroCost(Operation *hero);
  FusionDecision checkEpilogue(Operation *op, Id candidate);
  FusionCost estimateCostIn(Operation *op, Id candidate);
  void addViewsOfWeights(Operation *hero, Id candidate);
  void addEpilogue(Operation *hero, Id candidate);
  FusionDecision checkPrologue(Operation *op, Id candidate,
                               const Contraction &contraction,
                               const FusionCost &cost);
  FusionDecision checkUses(Operation *op, Id candidate);
  void pushUsers(Operation *op, Frontier &frontier);

  PlanState &state;
  FusionCandidates &candidates;
  const ContractionModel &model;
  /// The hero whose cost was estimated last, and that cost.
  Operation *estimatedHero = nullptr;
  FusionCost heroCost;
  /// The window over the result of the hero in question, once it is taken.
  Operation *window = nullptr;
};

FusionCost ContractionPlanner::estimateHeroCost(Operation *hero) {
  if (hero == estimatedHero)
    return heroCost;
  Expected<Contraction> contraction = describeContraction(hero);
  estimatedHero = hero;
  heroCost = {};
  if (contraction && model.checkGenerated(hero, *contraction))
    heroCost =
        estimateTileCost(state.options, state.infoOf(hero), *contraction);
  return heroCost;
}

FusionDecision ContractionPlanner::checkHero(Operation *hero) {
  Status can = describeContraction(hero).and_then(
      [&](const Contraction &it) { return model.checkGenerated(hero, it); });
  if (!can)
    return FusionDecision::refuse(FusionRefusal::NotGenerated,
                                  can.error().message);
  const OpFusionInfo &info = state.infoOf(hero);
  if (info.inLoop.reason() == FusionRefusal::LibraryCostsLess)
    return info.inLoop;
  if (!info.inLoop)
    return FusionDecision::allow();
  FusionCost cost = estimateHeroCost(hero);
  if (cost.unfusedNs <= cost.fusedNs)
    return FusionDecision::refuse(FusionRefusal::LoopCostsLess,
                                  int64_t(cost.unfusedNs),
                                  int64_t(cost.fusedNs));
  return FusionDecision::allow();
}

FusionDecision ContractionPlanner::checkEpilogue(Operation *op, Id id) {
  const FusionCandidate &candidate = candidates[id];
  const OpFusionInfo &info = state.infoOf(op);
  if (!isa<ir::ElementwiseOpInterface>(op) && !ir::isLookup(op))
    return FusionDecision::refuse(FusionRefusal::NotElementwiseOp);
  if (!info.inLoop)
    return info.inLoop;
  // A window is over all that came before it.
  Operation *space = window ? window : candidate.root;
  if (cast<RankedTensorType>(op->getResult(0).getType()).getShape() !=
      cast<RankedTensorType>(space->getResult(0).getType()).getShape())
    return FusionDecision::refuse(FusionRefusal::DifferentShape);
  for (OpOperand &operand : op->getOpOperands())
    if (candidate.ops.contains(operand.get().getDefiningOp()) &&
        !info.accesses[operand.getOperandNumber()].identity)
      return FusionDecision::refuse(FusionRefusal::NotReadInPlace);
  if (!candidates.candidatesOf(op).empty())
    return FusionDecision::refuse(FusionRefusal::Taken);
  if (state.opsOfReaders.contains(op))
    return FusionDecision::refuse(FusionRefusal::LeftToReaders);
  return state.checkAbsorb(id, op, info.reads);
}

FusionCost ContractionPlanner::estimateCostIn(Operation *op, Id id) {
  const OpFusionInfo &info = state.infoOf(op);
  if (!info.inLoop)
    return {};
  return estimateSharedCost(state.options.device, info,
                            candidates.sharedBytes(op, id));
}

void ContractionPlanner::pushUsers(Operation *op, Frontier &frontier) {
  for (Operation *user : op->getUsers())
    if (user->getBlock() == &state.block &&
        !user->hasTrait<OpTrait::IsTerminator>())
      frontier.insert({candidates.position(user), user});
}

void ContractionPlanner::addEpilogue(Operation *hero, Id id) {
  Frontier frontier;
  window = nullptr;
  pushUsers(hero, frontier);
  while (!frontier.empty()) {
    Operation *op = frontier.begin()->second;
    frontier.erase(frontier.begin());
    WindowAnswer answer;
    bool isAsked = !window && isWindow(op, state.infoOf(op));
    if (isAsked)
      answer = askWindow(state, id, op, hero, estimateHeroCost(hero).fusedNs);
    else
      answer = {checkEpilogue(op, id), estimateCostIn(op, id)};
    if (!state.decide(FusionQuestion::PrologueOrEpilogue, op, hero,
                      answer.decision, answer.cost))
      continue;
    if (isAsked)
      window = op;
    candidates.absorb(op, id, RecomputeInfo{}, state.infoOf(op).reads);
    pushUsers(op, frontier);
  }
  candidates.updateOutputs(id);
}

/// Checks that all readers of the op's result are in the kernel and read it as
/// data. The prologue recomputes the result for ops after the hero, but weights
/// and bias must be in memory.
FusionDecision ContractionPlanner::checkUses(Operation *op, Id id) {
  const FusionCandidate &candidate = candidates[id];
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    if (!candidate.ops.contains(user))
      return FusionDecision::refuse(FusionRefusal::NeededOutside);
    if (!isa<ir::ElementwiseOpInterface>(user) &&
        (user != candidate.root || use.getOperandNumber() != 0))
      return FusionDecision::refuse(FusionRefusal::NotFromMemory);
  }
  return FusionDecision::allow();
}

FusionDecision ContractionPlanner::checkPrologue(Operation *op, Id id,
                                                 const Contraction &contraction,
                                                 const FusionCost &cost) {
  const OpFusionInfo &info = state.infoOf(op);
  if (!info.inLoop)
    return info.inLoop;
  if (cast<RankedTensorType>(op->getResult(0).getType()).getShape() !=
      cast<RankedTensorType>(contraction.data.getType()).getShape())
    return FusionDecision::refuse(FusionRefusal::DifferentShape);
  if (Status can = model.checkPrologue(contraction); !can)
    return FusionDecision::refuse(FusionRefusal::NotStaged,
                                  can.error().message);
  // Parts of the result would have to fit the cache beside it.
  if (llvm::any_of(candidates[id].ops, [](auto &entry) {
        return isa<ir::MaxPoolOp, ir::AvgPoolOp, ir::ReduceOp>(entry.first);
      }))
    return FusionDecision::refuse(FusionRefusal::NotStaged,
                                  "keeps a part of its result for windows");
  if (FusionDecision decision = checkUses(op, id); !decision)
    return decision;
  if (cost.fusedNs >= cost.unfusedNs)
    return FusionDecision::refuse(FusionRefusal::RecomputeCostsMore,
                                  int64_t(cost.fusedNs),
                                  int64_t(cost.unfusedNs));
  return state.checkAbsorb(id, op, info.reads);
}

void ContractionPlanner::addPrologue(Id id) {
  Operation *hero = candidates[id].root;
  Expected<Contraction> contraction = describeContraction(hero);
  if (!contraction)
    return;
  Frontier frontier;
  auto push = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == &state.block &&
        isa<ir::ElementwiseOpInterface>(op) &&
        candidates.candidatesOf(op).empty())
      frontier.insert({candidates.position(op), op});
  };
  push(contraction->data);
  while (!frontier.empty()) {
    Operation *op = frontier.rbegin()->second;
    frontier.erase(std::prev(frontier.end()));
    FusionCost cost;
    if (const OpFusionInfo &info = state.infoOf(op); info.inLoop)
      cost = estimatePrologueCost(state.options, info, *contraction,
                                  op->getResult(0) == contraction->data);
    if (!state.decide(FusionQuestion::PrologueOrEpilogue, op, hero,
                      checkPrologue(op, id, *contraction, cost), cost))
      continue;
    candidates.absorb(op, id, RecomputeInfo{}, state.infoOf(op).reads);
    for (Value operand : op->getOperands())
      push(operand);
  }
  candidates.updateOutputs(id);
}

void ContractionPlanner::addWideningChains(Id id) {
  auto computesAll = [&](Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      return candidates[id].ops.contains(user);
    });
  };
  Operation *hero = candidates[id].root;
  SmallVector<Operation *> readers;
  for (auto &[op, recompute] : candidates[id].ops)
    if (isa<ir::ElementwiseOpInterface>(op))
      readers.push_back(op);
  for (Operation *reader : readers)
    for (Value value : reader->getOperands()) {
      if (!computesAll(value) || shapeOf(value) != shapeOf(hero->getResult(0)))
        continue;
      for (Operation *op : findWideningChain(state, value).ops)
        if (!candidates.candidatesOf(op).empty() ||
            !state.decide(FusionQuestion::PrologueOrEpilogue, op, hero,
                          state.checkAbsorb(id, op, state.infoOf(op).reads)))
          break;
        else
          candidates.absorb(op, id, RecomputeInfo{}, state.infoOf(op).reads);
    }
  candidates.updateOutputs(id);
}

/// The kernel reads its weights through views, as far as it can describe them,
/// as well as in place.
void ContractionPlanner::addViewsOfWeights(Operation *hero, Id id) {
  Expected<Contraction> contraction = describeContraction(hero);
  Value weights = cast<ir::ContractionOpInterface>(hero).getWeights();
  while (Operation *view = weights.getDefiningOp()) {
    if (!contraction || weights == contraction->weights)
      return;
    if (!isa<ir::TransposeOp, ir::ReshapeOp, ir::SliceOp>(view) ||
        !view->hasOneUse() || !candidates.candidatesOf(view).empty() ||
        !state.checkPhases(view, hero) ||
        !state.decide(FusionQuestion::PrologueOrEpilogue, view, hero,
                      FusionDecision::allow()))
      return;
    candidates.absorb(view, id, RecomputeInfo{}, 0);
    weights = view->getOperand(0);
  }
}

void ContractionPlanner::visit(Operation *hero) {
  if (!state.decide(FusionQuestion::Hero, hero, nullptr, checkHero(hero),
                    estimateHeroCost(hero)))
    return;
  Id id = candidates.create(hero, /*isKernel=*/true, /*reads=*/1);
  candidates[id].kind = ir::FusionKind::contraction;
  addViewsOfWeights(hero, id);
  addEpilogue(hero, id);
}

} // namespace

void planContractions(PlanState &state) {
  ContractionPlanner planner(state);
  for (Operation &op : state.block)
    if (isa<ir::ContractionOpInterface>(op) && !op.use_empty())
      planner.visit(&op);
}

void planPrologues(PlanState &state) {
  ContractionPlanner planner(state);
  for (Id id = 0; id < state.candidates.size(); ++id)
    if (state.candidates[id].kind == ir::FusionKind::contraction) {
      planner.addPrologue(id);
      planner.addWideningChains(id);
    }
}

} // namespace tandem
