//===- PlanReductions.cpp - Reductions and what is around them ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/PlanState.h"
#include "Decision/RowSpace.h"
#include "Models/FusionCosts.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"

#include "mlir/IR/Matchers.h"

#include <deque>

using namespace mlir;

namespace tandem {
namespace {

using Id = FusionCandidates::Id;

/// Grows the kernel of one reduction.
class ReductionPlanner {
public:
  ReductionPlanner(PlanState &state, ir::ReduceOp hero)
      : state(state), candidates(state.candidates), hero(hero), space(hero) {}

  void plan();

private:
  FusionDecision checkHero();
  /// Whether a value of the space's full shape follows from the reduction.
  bool isSpreadBack();

  /// May `op`, whose result would lie at `dims`, be part of the kernel.
  FusionDecision check(Operation *op,
                       const std::optional<RowSpace::Dims> &dims);
  FusionDecision checkOperands(Operation *op, const RowSpace::Dims &dims);
  FusionDecision checkResult(Operation *op);
  /// Whether a user of `op` could be part of the kernel.
  bool leadsOn(Operation *op, const RowSpace::Dims &dims);
  FusionCost estimateCostIn(Operation *op);
  void tryAdd(Operation *op, std::optional<RowSpace::Dims> dims);
  bool isReduced(Operation *op);
  SmallVector<OpOperand *> usesInOrder(Value value) const;
  void tryNeighbors(Operation *op);
  void add(Operation *op, const RowSpace::Dims &dims);

  PlanState &state;
  FusionCandidates &candidates;
  ir::ReduceOp hero;
  RowSpace space;
  Id id = 0;
  /// The dims of the space that the results of the kernel's ops have.
  DenseMap<Operation *, RowSpace::Dims> places;
  /// Ops whose neighbors are to be looked at.
  std::deque<Operation *> worklist;
};

bool ReductionPlanner::isSpreadBack() {
  SmallVector<std::pair<Operation *, RowSpace::Dims>> pending;
  SmallPtrSet<Operation *, 16> seen;
  auto push = [&](Operation *op, const RowSpace::Dims &dims) {
    if (seen.insert(op).second)
      pending.push_back({op, dims});
  };
  push(hero, *space.ofResult(hero, 0, space.full()));
  while (!pending.empty()) {
    auto [op, dims] = pending.pop_back_val();
    if (space.isFull(dims))
      return true;
    for (OpOperand &use : op->getUses())
      if (isa<ir::ElementwiseOpInterface, ir::BroadcastOp, ir::ReshapeOp>(
              use.getOwner()))
        if (auto place =
                space.ofResult(use.getOwner(), use.getOperandNumber(), dims))
          push(use.getOwner(), *place);
  }
  return false;
}

FusionDecision ReductionPlanner::checkHero() {
  if (Status can = checkReduction(hero); !can)
    return FusionDecision::refuse(FusionRefusal::NotGenerated,
                                  can.error().message);
  const OpFusionInfo &info = state.infoOf(hero);
  if (info.inLoop && !isSpreadBack())
    return FusionDecision::refuse(FusionRefusal::SmallReduction, info.reads,
                                  state.options.maxReads);
  return FusionDecision::allow();
}

FusionDecision ReductionPlanner::checkOperands(Operation *op,
                                               const RowSpace::Dims &dims) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto place = places.find(operand.get().getDefiningOp());
    if (place != places.end() &&
        space.ofOperand(op, operand.getOperandNumber(), dims) != place->second)
      return FusionDecision::refuse(FusionRefusal::NotReadInPlace);
  }
  for (OpOperand &use : op->getUses()) {
    auto place = places.find(use.getOwner());
    if (place != places.end() &&
        space.ofOperand(use.getOwner(), use.getOperandNumber(),
                        place->second) != dims)
      return FusionDecision::refuse(FusionRefusal::NotReadInPlace);
  }
  return FusionDecision::allow();
}

/// The kernel may compute a value whose dims are in another order than those of
/// what is reduced, but not return it: all that read it are in the kernel.
FusionDecision ReductionPlanner::checkResult(Operation *op) {
  bool isNeededOutside = llvm::any_of(
      op->getUsers(), [&](Operation *user) { return !places.contains(user); });
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (isNeededOutside && !checkReductionResult(hero, type))
    return FusionDecision::refuse(FusionRefusal::DifferentShape);
  return FusionDecision::allow();
}

bool ReductionPlanner::leadsOn(Operation *op, const RowSpace::Dims &dims) {
  return llvm::any_of(op->getUses(), [&](OpOperand &use) {
    return isa<ir::ElementwiseOpInterface, ir::BroadcastOp>(use.getOwner()) &&
           space.ofResult(use.getOwner(), use.getOperandNumber(), dims);
  });
}

FusionDecision
ReductionPlanner::check(Operation *op,
                        const std::optional<RowSpace::Dims> &dims) {
  if (isa<ir::ReduceOp>(op)) {
    if (Status can = checkReduction(op); !can)
      return FusionDecision::refuse(FusionRefusal::NotGenerated,
                                    can.error().message);
    // One of other dims, whose result is what is reduced here, say.
    if (!dims || space.ofOperand(op, 0, *dims) != space.full())
      return FusionDecision::refuse(FusionRefusal::DifferentShape);
  } else if (!isa<ir::ElementwiseOpInterface, ir::BroadcastOp, ir::ReshapeOp>(
                 op)) {
    return FusionDecision::refuse(FusionRefusal::NotElementwiseOp);
  } else if (const OpFusionInfo &info = state.infoOf(op);
             !info.inLoop && !info.isView) {
    return info.inLoop;
  }
  bool isReshape = isa<ir::ReshapeOp>(op);
  if (!dims || !(space.isFull(*dims) || space.isRow(*dims)) ||
      (isReshape && !space.isRow(*dims)))
    return FusionDecision::refuse(FusionRefusal::DifferentShape);
  if (isReshape && !leadsOn(op, *dims))
    return FusionDecision::refuse(FusionRefusal::ViewAtEdge);
  if (!candidates.candidatesOf(op).empty())
    return FusionDecision::refuse(FusionRefusal::Taken);
  if (FusionDecision decision = checkOperands(op, *dims); !decision)
    return decision;
  if (FusionDecision decision = checkResult(op); !decision)
    return decision;
  return state.checkAbsorb(id, op, 1);
}

/// A kernel's rows are what its cores share.
FusionCost ReductionPlanner::estimateCostIn(Operation *op) {
  const OpFusionInfo &info = state.infoOf(op);
  if (info.elements == 0 || info.isView)
    return {};
  return estimateSharedCost(state.options.device, info,
                            candidates.sharedBytes(op, id), space.rows());
}

void ReductionPlanner::add(Operation *op, const RowSpace::Dims &dims) {
  places[op] = dims;
  worklist.push_back(op);
}

void ReductionPlanner::tryAdd(Operation *op,
                              std::optional<RowSpace::Dims> dims) {
  if (op->getBlock() != &state.block || places.contains(op) ||
      op->hasTrait<OpTrait::IsTerminator>() || matchPattern(op, m_Constant()))
    return;
  FusionCost cost = estimateCostIn(op);
  FusionDecision decision = check(op, dims);
  if (decision && cost.unfusedNs && cost.fusedNs > cost.unfusedNs)
    decision = FusionDecision::refuse(
        FusionRefusal::FewRows, int64_t(cost.fusedNs), int64_t(cost.unfusedNs));
  if (!state.decide(FusionQuestion::PrologueOrEpilogue, op, hero, decision,
                    cost))
    return;
  candidates.absorb(op, id, RecomputeInfo{}, 1);
  add(op, *dims);
}

/// Whether `op` gives elements to reduce as the hero does.
bool ReductionPlanner::isReduced(Operation *op) {
  return isa<ir::ElementwiseOpInterface>(op) &&
         llvm::any_of(op->getUses(), [&](OpOperand &use) {
           return isa<ir::ReduceOp>(use.getOwner()) &&
                  space.ofResult(use.getOwner(), 0, space.full());
         });
}

SmallVector<OpOperand *> ReductionPlanner::usesInOrder(Value value) const {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    uses.push_back(&use);
  llvm::sort(uses, [&](OpOperand *a, OpOperand *b) {
    return std::pair(candidates.position(a->getOwner()),
                     a->getOperandNumber()) <
           std::pair(candidates.position(b->getOwner()), b->getOperandNumber());
  });
  return uses;
}

void ReductionPlanner::tryNeighbors(Operation *op) {
  RowSpace::Dims dims = places[op];
  for (OpOperand *use : usesInOrder(op->getResult(0)))
    tryAdd(use->getOwner(),
           space.ofResult(use->getOwner(), use->getOperandNumber(), dims));
  for (OpOperand &operand : op->getOpOperands()) {
    auto place = space.ofOperand(op, operand.getOperandNumber(), dims);
    if (Operation *producer = operand.get().getDefiningOp())
      tryAdd(producer, place);
    if (place != space.full())
      continue;
    // Other statistics of the same elements.
    for (OpOperand *use : usesInOrder(operand.get()))
      if (isa<ir::ReduceOp>(use->getOwner()) || isReduced(use->getOwner()))
        tryAdd(
            use->getOwner(),
            space.ofResult(use->getOwner(), use->getOperandNumber(), *place));
  }
}

void ReductionPlanner::plan() {
  if (!state.decide(FusionQuestion::Hero, hero, nullptr, checkHero()))
    return;
  id = candidates.create(hero, /*isKernel=*/true, /*reads=*/1);
  candidates[id].kind = ir::FusionKind::reduction;
  add(hero, *space.ofResult(hero, 0, space.full()));
  while (!worklist.empty()) {
    Operation *op = worklist.front();
    worklist.pop_front();
    tryNeighbors(op);
  }
  candidates.updateOutputs(id);
}

} // namespace

void planReductions(PlanState &state) {
  for (Operation &op : state.block)
    if (auto reduce = dyn_cast<ir::ReduceOp>(&op))
      if (!op.use_empty() && state.candidates.candidatesOf(&op).empty())
        ReductionPlanner(state, reduce).plan();
}

} // namespace tandem
