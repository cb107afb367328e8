//===- PlanContractions.cpp - Contractions and their epilogues ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanState.h"
#include "PlanWindows.h"
#include "Prices.h"

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"

#include <set>

using namespace mlir;

namespace tandem {
namespace {

using Id = FusionUnits::Id;

class ContractionPlanner {
public:
  explicit ContractionPlanner(PlanState &state)
      : state(state), units(state.units), model(*state.options.contractions) {}

  void visit(Operation *hero);
  /// The elementwise ops of which the data of `unit` comes, and that no kernel
  /// computes for nothing, from the last to the first: tasks compute what they
  /// read of it.
  void addPrologue(Id unit);

private:
  /// By position, so that the operands' kernels are known.
  using Frontier = std::set<std::pair<unsigned, Operation *>>;

  FusionDecision checkHero(Operation *hero);
  FusionPrice priceHero(Operation *hero);
  FusionDecision checkEpilogue(Operation *op, Id unit);
  FusionPrice priceIn(Operation *op, Id unit);
  void addViewsOfWeights(Operation *hero, Id unit);
  void addEpilogue(Operation *hero, Id unit);
  FusionDecision checkPrologue(Operation *op, Id unit,
                               const Contraction &contraction,
                               const FusionPrice &price);
  FusionDecision checkUses(Operation *op, Id unit);
  void pushUsers(Operation *op, Frontier &frontier);

  PlanState &state;
  FusionUnits &units;
  const ContractionModel &model;
  /// The hero that was priced last, and its price.
  Operation *priced = nullptr;
  FusionPrice heroPrice;
  /// The window over the result of the hero in question, once it is taken.
  Operation *window = nullptr;
};

FusionPrice ContractionPlanner::priceHero(Operation *hero) {
  if (hero == priced)
    return heroPrice;
  Expected<Contraction> contraction = describeContraction(hero);
  priced = hero;
  heroPrice = {};
  if (contraction && model.checkGenerated(hero, *contraction))
    heroPrice = priceTile(state.options, state.factsOf(hero), *contraction);
  return heroPrice;
}

FusionDecision ContractionPlanner::checkHero(Operation *hero) {
  Status can = describeContraction(hero).and_then(
      [&](const Contraction &it) { return model.checkGenerated(hero, it); });
  if (!can)
    return FusionDecision::refuse(FusionRefusal::NotGenerated,
                                  can.error().message);
  const OpFacts &facts = state.factsOf(hero);
  if (facts.inLoop.reason() == FusionRefusal::LibraryCostsLess)
    return facts.inLoop;
  if (!facts.inLoop)
    return FusionDecision::allow();
  FusionPrice price = priceHero(hero);
  if (price.unfusedNs <= price.fusedNs)
    return FusionDecision::refuse(FusionRefusal::LoopCostsLess,
                                  int64_t(price.unfusedNs),
                                  int64_t(price.fusedNs));
  return FusionDecision::allow();
}

FusionDecision ContractionPlanner::checkEpilogue(Operation *op, Id id) {
  const FusionUnit &unit = units[id];
  const OpFacts &facts = state.factsOf(op);
  if (!isa<ir::ElementwiseOpInterface>(op))
    return FusionDecision::refuse(FusionRefusal::NotElementwiseOp);
  if (!facts.inLoop)
    return facts.inLoop;
  // A window is over all that came before it.
  Operation *space = window ? window : unit.root;
  if (cast<RankedTensorType>(op->getResult(0).getType()).getShape() !=
      cast<RankedTensorType>(space->getResult(0).getType()).getShape())
    return FusionDecision::refuse(FusionRefusal::DifferentShape);
  for (OpOperand &operand : op->getOpOperands())
    if (unit.ops.contains(operand.get().getDefiningOp()) &&
        !facts.accesses[operand.getOperandNumber()].identity)
      return FusionDecision::refuse(FusionRefusal::NotReadInPlace);
  if (!units.unitsOf(op).empty())
    return FusionDecision::refuse(FusionRefusal::Taken);
  return state.checkAbsorb(id, op, facts.reads);
}

FusionPrice ContractionPlanner::priceIn(Operation *op, Id id) {
  const OpFacts &facts = state.factsOf(op);
  if (!facts.inLoop)
    return {};
  return priceShared(state.options.device, facts, units.sharedBytes(op, id));
}

void ContractionPlanner::pushUsers(Operation *op, Frontier &frontier) {
  for (Operation *user : op->getUsers())
    if (user->getBlock() == &state.block &&
        !user->hasTrait<OpTrait::IsTerminator>())
      frontier.insert({units.position(user), user});
}

void ContractionPlanner::addEpilogue(Operation *hero, Id id) {
  Frontier frontier;
  window = nullptr;
  pushUsers(hero, frontier);
  while (!frontier.empty()) {
    Operation *op = frontier.begin()->second;
    frontier.erase(frontier.begin());
    WindowAnswer answer;
    bool isAsked = !window && isWindow(op, state.factsOf(op));
    if (isAsked)
      answer = askWindow(state, id, op, hero, priceHero(hero).fusedNs);
    else
      answer = {checkEpilogue(op, id), priceIn(op, id)};
    if (!state.decide(FusionQuestion::Around, op, hero, answer.decision,
                      answer.price))
      continue;
    if (isAsked)
      window = op;
    units.absorb(op, id, Evaluation{}, state.factsOf(op).reads);
    pushUsers(op, frontier);
  }
  units.updateOutputs(id);
}

/// All that read it are in the kernel, and as data: there it is computed again
/// for what follows the hero, but weights and bias are in memory.
FusionDecision ContractionPlanner::checkUses(Operation *op, Id id) {
  const FusionUnit &unit = units[id];
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    if (!unit.ops.contains(user))
      return FusionDecision::refuse(FusionRefusal::NeededOutside);
    if (!isa<ir::ElementwiseOpInterface>(user) &&
        (user != unit.root || use.getOperandNumber() != 0))
      return FusionDecision::refuse(FusionRefusal::NotFromMemory);
  }
  return FusionDecision::allow();
}

FusionDecision ContractionPlanner::checkPrologue(Operation *op, Id id,
                                                 const Contraction &contraction,
                                                 const FusionPrice &price) {
  const OpFacts &facts = state.factsOf(op);
  if (!facts.inLoop)
    return facts.inLoop;
  if (cast<RankedTensorType>(op->getResult(0).getType()).getShape() !=
      cast<RankedTensorType>(contraction.data.getType()).getShape())
    return FusionDecision::refuse(FusionRefusal::DifferentShape);
  if (Status can = model.checkPrologue(contraction); !can)
    return FusionDecision::refuse(FusionRefusal::NotStaged,
                                  can.error().message);
  // Parts of the result would have to fit the cache beside it.
  if (llvm::any_of(units[id].ops, [](auto &entry) {
        return isa<ir::MaxPoolOp, ir::AvgPoolOp, ir::ReduceOp>(entry.first);
      }))
    return FusionDecision::refuse(FusionRefusal::NotStaged,
                                  "keeps a part of its result for windows");
  if (FusionDecision decision = checkUses(op, id); !decision)
    return decision;
  if (price.fusedNs >= price.unfusedNs)
    return FusionDecision::refuse(FusionRefusal::RecomputeCostsMore,
                                  int64_t(price.fusedNs),
                                  int64_t(price.unfusedNs));
  return state.checkAbsorb(id, op, facts.reads);
}

void ContractionPlanner::addPrologue(Id id) {
  Operation *hero = units[id].root;
  Expected<Contraction> contraction = describeContraction(hero);
  if (!contraction)
    return;
  Frontier frontier;
  auto push = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == &state.block &&
        isa<ir::ElementwiseOpInterface>(op) && units.unitsOf(op).empty())
      frontier.insert({units.position(op), op});
  };
  push(contraction->data);
  while (!frontier.empty()) {
    Operation *op = frontier.rbegin()->second;
    frontier.erase(std::prev(frontier.end()));
    FusionPrice price;
    if (const OpFacts &facts = state.factsOf(op); facts.inLoop)
      price = pricePrologue(state.options, facts, *contraction,
                            op->getResult(0) == contraction->data);
    if (!state.decide(FusionQuestion::Around, op, hero,
                      checkPrologue(op, id, *contraction, price), price))
      continue;
    units.absorb(op, id, Evaluation{}, state.factsOf(op).reads);
    for (Value operand : op->getOperands())
      push(operand);
  }
  units.updateOutputs(id);
}

/// The kernel reads its weights through views as well as in place.
void ContractionPlanner::addViewsOfWeights(Operation *hero, Id id) {
  Value weights = cast<ir::ContractionOpInterface>(hero).getWeights();
  while (Operation *view = weights.getDefiningOp()) {
    if (!isa<ir::TransposeOp, ir::ReshapeOp, ir::SliceOp>(view) ||
        !view->hasOneUse() || !units.unitsOf(view).empty() ||
        !state.decide(FusionQuestion::Around, view, hero,
                      FusionDecision::allow()))
      return;
    units.absorb(view, id, Evaluation{}, 0);
    weights = view->getOperand(0);
  }
}

void ContractionPlanner::visit(Operation *hero) {
  if (!state.decide(FusionQuestion::Hero, hero, nullptr, checkHero(hero),
                    priceHero(hero)))
    return;
  Id id = units.create(hero, /*isKernel=*/true, /*reads=*/1);
  units[id].kind = ir::FusionKind::contraction;
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
  for (Id id = 0; id < state.units.size(); ++id)
    if (state.units[id].kind == ir::FusionKind::contraction)
      planner.addPrologue(id);
}

} // namespace tandem
