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

#include "tandem/Conversion/TandemToLinalg/Contraction.h"
#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"

#include <set>

using namespace mlir;

namespace tandem {
namespace {

using Id = FusionUnits::Id;

class ContractionPlanner {
public:
  explicit ContractionPlanner(PlanState &state)
      : state(state), units(state.units) {}

  void visit(Operation *hero);

private:
  /// By position, so that the operands' kernels are known.
  using Frontier = std::set<std::pair<unsigned, Operation *>>;

  FusionDecision checkHero(Operation *hero);
  FusionPrice priceHero(Operation *hero);
  FusionDecision checkEpilogue(Operation *op, Id unit);
  FusionPrice priceIn(Operation *op, Id unit);
  void addViewsOfWeights(Operation *hero, Id unit);
  void addEpilogue(Operation *hero, Id unit);
  void askPrologue(Operation *hero);
  void pushUsers(Operation *op, Frontier &frontier);

  PlanState &state;
  FusionUnits &units;
  /// The hero that was priced last, and its price.
  Operation *priced = nullptr;
  FusionPrice heroPrice;
  /// The window over the result of the hero in question, once it is taken.
  Operation *window = nullptr;
};

FusionPrice ContractionPlanner::priceHero(Operation *hero) {
  if (hero == priced)
    return heroPrice;
  std::string why;
  FailureOr<Contraction> contraction = describeContraction(hero, why);
  priced = hero;
  heroPrice = {};
  if (succeeded(contraction) && whyNotContraction(hero, *contraction).empty())
    heroPrice =
        priceTile(state.options.device, state.factsOf(hero), *contraction);
  return heroPrice;
}

FusionDecision ContractionPlanner::checkHero(Operation *hero) {
  if (std::string why = whyNotContraction(hero); !why.empty())
    return FusionDecision::refuse(FusionRefusal::NotGenerated, why);
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

/// What stands before the hero alone, and is in no kernel that computes it for
/// nothing: a prologue would compute it as often as a tile reads data.
void ContractionPlanner::askPrologue(Operation *hero) {
  Operation *op = hero->getOperand(0).getDefiningOp();
  if (!op || op->getBlock() != &state.block ||
      !isa<ir::ElementwiseOpInterface>(op) || !units.unitsOf(op).empty() ||
      !state.factsOf(op).inLoop)
    return;
  std::string why;
  FailureOr<Contraction> contraction = describeContraction(hero, why);
  if (failed(contraction))
    return;
  FusionPrice price =
      pricePrologue(state.options.device, state.factsOf(op), *contraction);
  FusionRefusal reason = price.fusedNs > price.unfusedNs
                             ? FusionRefusal::RecomputeCostsMore
                             : FusionRefusal::NotFromMemory;
  state.decide(FusionQuestion::Around, op, hero,
               FusionDecision::refuse(reason, int64_t(price.fusedNs),
                                      int64_t(price.unfusedNs)),
               price);
}

/// The kernel reads its weights through views as well as in place.
void ContractionPlanner::addViewsOfWeights(Operation *hero, Id id) {
  Value weights = hero->getOperand(1);
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
  askPrologue(hero);
  addViewsOfWeights(hero, id);
  addEpilogue(hero, id);
}

} // namespace

void planContractions(PlanState &state) {
  ContractionPlanner planner(state);
  for (Operation &op : state.block)
    if (isa<ir::ConvOp, ir::MatmulOp>(op) && !op.use_empty())
      planner.visit(&op);
}

} // namespace tandem
