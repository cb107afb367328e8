//===- LoopQuestions.cpp - Whether two loops become one -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlanner.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tandem {

//===----------------------------------------------------------------------===//
// A producer within the kernels of its consumers
//===----------------------------------------------------------------------===//

void LoopPlanner::addConsumers(Value value, Consumers &consumers) const {
  for (Operation *user : value.getUsers()) {
    ArrayRef<Id> ids = units.unitsOf(state.block.findAncestorOpInBlock(*user));
    consumers.outside |= ids.empty();
    for (Id id : ids) {
      // Whoever computes the value needs it of nobody.
      if (units[id].ops.contains(value.getDefiningOp()))
        continue;
      if (!units[id].isLoop())
        consumers.outside = true;
      else if (!llvm::is_contained(consumers.kernels, id))
        consumers.kernels.push_back(id);
    }
  }
}

LoopPlanner::Consumers LoopPlanner::consumersOf(Id unit) const {
  Consumers consumers;
  for (Value output : units[unit].outputs)
    addConsumers(output, consumers);
  return consumers;
}

FusionDecision LoopPlanner::checkBody(ArrayRef<Placement> placements) const {
  for (const Placement &placement : placements) {
    const FusionUnit &kernel = units[placement.kernel];
    int64_t more = 0;
    for (auto &[op, evaluation] : placement.ops) {
      int64_t total = evaluation.count * evaluation.reads;
      if (evaluation.count > 1 && evaluation.reads > 1 &&
          total > options.maxNestedReads)
        return FusionDecision::refuse(FusionRefusal::BodyTooLarge, total,
                                      options.maxNestedReads);
      const auto *known = kernel.ops.find(op);
      more += total;
      if (known != kernel.ops.end())
        more -= known->second.count * known->second.reads;
    }
    if (FusionDecision decision = state.checkBody(placement.kernel, more);
        !decision)
      return decision;
  }
  return FusionDecision::allow();
}

FusionDecision LoopPlanner::checkProduce(Id producer, Answer &answer) {
  const OpFacts &facts = state.factsOf(units[producer].root);
  if (!facts.inLoop)
    return facts.inLoop;
  if (answer.consumers.kernels.empty())
    return FusionDecision::refuse(FusionRefusal::ConsumerNotFusible);
  if (answer.consumers.outside)
    return FusionDecision::refuse(FusionRefusal::NeededOutside);
  if (units[producer].outputs.size() > 1)
    return FusionDecision::refuse(FusionRefusal::SeveralResults);
  for (Id kernel : answer.consumers.kernels)
    answer.placements.push_back(prices.place(producer, kernel));
  // A view costs nothing anywhere.
  if (!facts.isView)
    answer.price = prices.priceProduce(producer, answer.placements);
  if (FusionDecision decision = checkBody(answer.placements); !decision)
    return decision;
  if (answer.price.fusedNs > answer.price.unfusedNs)
    return FusionDecision::refuse(FusionRefusal::RecomputeCostsMore,
                                  int64_t(answer.price.fusedNs),
                                  int64_t(answer.price.unfusedNs));
  return FusionDecision::allow();
}

/// All that the answer follows from.
llvm::hash_code LoopPlanner::getState(Id producer,
                                      const Consumers &consumers) const {
  llvm::hash_code state =
      llvm::hash_combine(units[producer].version, consumers.outside);
  for (Id kernel : consumers.kernels)
    state = llvm::hash_combine(state, kernel, units[kernel].version);
  return state;
}

const LoopPlanner::Answer &LoopPlanner::askProduce(Id producer) {
  Consumers consumers = consumersOf(producer);
  llvm::hash_code state = getState(producer, consumers);
  Answer &answer = answers[producer];
  if (answer.state == state)
    return answer;
  answer = {FusionDecision::allow(), {}, std::move(consumers), {}, state};
  answer.decision = checkProduce(producer, answer);
  return answer;
}

void LoopPlanner::tryProduce(Id producer, const Answer &answer) {
  std::optional<Id> consumer;
  if (answer.consumers.kernels.size() == 1)
    consumer = answer.consumers.kernels.front();
  if (!answer.decision)
    return refuse(FusionQuestion::Produce, producer, consumer, answer.decision,
                  answer.price);
  if (!state.decide(FusionQuestion::Produce, units[producer].root,
                    consumer ? units[*consumer].root : nullptr, answer.decision,
                    answer.price))
    return;
  SmallVector<Operation *> ops;
  for (auto &[op, evaluation] : units[producer].ops)
    ops.push_back(op);
  units.produce(producer, answer.placements);
  for (const Placement &placement : answer.placements)
    pushUnit(placement.kernel);
  pushOperands(ops);
}

//===----------------------------------------------------------------------===//
// Two kernels as one that stores the results of both
//===----------------------------------------------------------------------===//

/// Whether `consumer` reads results of `producer` at the index of its own, if
/// at all.
bool LoopPlanner::readsInPlace(Id consumer, Id producer) const {
  const FusionUnit &kernel = units[consumer];
  for (Value output : units[producer].outputs)
    for (OpOperand &use : output.getUses()) {
      const auto *user = kernel.ops.find(use.getOwner());
      if (user == kernel.ops.end() ||
          kernel.ops.contains(output.getDefiningOp()))
        continue;
      const OpFacts &facts = state.factsOf(use.getOwner());
      if (!facts.accesses[use.getOperandNumber()].identity ||
          !user->second.identity || user->second.count != 1)
        return false;
    }
  return true;
}

FusionDecision LoopPlanner::checkMerge(Id into, Id from) {
  FusionUnit &first = units[into], &second = units[from];
  if (first.space() != second.space() || !readsInPlace(into, from) ||
      !readsInPlace(from, into))
    return FusionDecision::refuse(FusionRefusal::DifferentIterationSpace);
  int64_t results = units.countOutputsMerged(into, from);
  if (results > options.maxResults)
    return FusionDecision::refuse(FusionRefusal::TooManyResults, results,
                                  options.maxResults);
  if (FusionDecision decision = state.checkBody(into, second.bodyReads);
      !decision)
    return decision;
  if (!units.canMerge(into, from))
    return FusionDecision::refuse(FusionRefusal::WouldCycle);
  return FusionDecision::allow();
}

bool LoopPlanner::tryMerge(FusionQuestion question, Id into, Id from) {
  FusionDecision decision = checkMerge(into, from);
  if (!decision) {
    refuse(question, from, into, decision);
    return false;
  }
  if (!state.decide(question, units[from].root, units[into].root, decision,
                    prices.priceMerge(into, from)))
    return false;
  SmallVector<Operation *> ops;
  for (auto &[op, evaluation] : units[from].ops)
    ops.push_back(op);
  units.merge(into, from);
  pushUnit(into);
  pushOperands(ops);
  return true;
}

/// Where its one consumer alone needs a result, storing it there saves nothing.
bool LoopPlanner::mayStore(Id producer, const Consumers &consumers) const {
  return !consumers.kernels.empty() &&
         (consumers.outside || consumers.kernels.size() > 1 ||
          units[producer].outputs.size() > 1);
}

void LoopPlanner::tryStore(Id producer) {
  Consumers consumers = consumersOf(producer);
  if (!mayStore(producer, consumers))
    return;
  for (Id kernel : consumers.kernels)
    if (tryMerge(FusionQuestion::ExtraResult, kernel, producer))
      return;
}

/// Where the value is small beside the loops, sharing it saves nothing.
SmallVector<FusionUnits::Id> LoopPlanner::readersOf(Value value) const {
  Consumers consumers;
  addConsumers(value, consumers);
  int64_t elements = cast<RankedTensorType>(value.getType()).getNumElements();
  llvm::erase_if(consumers.kernels,
                 [&](Id id) { return elements * 2 < units[id].iterations; });
  return consumers.kernels;
}

void LoopPlanner::joinReaders(Value value) {
  SmallVector<Id> readers = readersOf(value);
  for (size_t i = 0; i < readers.size(); ++i)
    for (size_t j = i + 1; j < readers.size();)
      if (tryMerge(FusionQuestion::Siblings, readers[i], readers[j]))
        readers.erase(readers.begin() + j);
      else
        ++j;
}

} // namespace tandem
