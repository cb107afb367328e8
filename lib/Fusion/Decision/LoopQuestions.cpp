//===- LoopQuestions.cpp - Whether two loops become one -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/LoopPlanner.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tandem {

//===----------------------------------------------------------------------===//
// A producer within the kernels of its consumers
//===----------------------------------------------------------------------===//

void LoopPlanner::addConsumers(Value value, Consumers &consumers) const {
  for (Operation *user : value.getUsers()) {
    ArrayRef<Id> ids =
        candidates.candidatesOf(state.block.findAncestorOpInBlock(*user));
    consumers.outside |= ids.empty();
    for (Id id : ids) {
      // Whoever computes the value needs it of nobody.
      if (candidates[id].ops.contains(value.getDefiningOp()))
        continue;
      if (!candidates[id].isLoop())
        consumers.outside = true;
      else if (!llvm::is_contained(consumers.kernels, id))
        consumers.kernels.push_back(id);
    }
  }
}

LoopPlanner::Consumers LoopPlanner::consumersOf(Id candidate) const {
  Consumers consumers;
  for (Value output : candidates[candidate].outputs)
    addConsumers(output, consumers);
  return consumers;
}

FusionDecision LoopPlanner::checkBody(ArrayRef<Placement> placements) const {
  for (const Placement &placement : placements) {
    const FusionCandidate &kernel = candidates[placement.kernel];
    int64_t more = 0;
    for (auto &[op, recompute] : placement.ops) {
      int64_t total = recompute.count * recompute.reads;
      if (recompute.count > 1 && recompute.reads > 1 &&
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

FusionDecision LoopPlanner::checkProducerConsumer(Id producer, Answer &answer) {
  const OpFusionInfo &info = state.infoOf(candidates[producer].root);
  if (!info.inLoop)
    return info.inLoop;
  if (answer.consumers.kernels.empty())
    return FusionDecision::refuse(FusionRefusal::ConsumerNotFusible);
  if (answer.consumers.outside)
    return FusionDecision::refuse(FusionRefusal::NeededOutside);
  if (candidates[producer].outputs.size() > 1)
    return FusionDecision::refuse(FusionRefusal::SeveralResults);
  for (Id kernel : answer.consumers.kernels)
    if (FusionDecision decision = state.checkPhases(candidates[producer].root,
                                                    candidates[kernel].root);
        !decision)
      return decision;
  for (Id kernel : answer.consumers.kernels)
    answer.placements.push_back(costs.place(producer, kernel));
  // A view costs nothing anywhere.
  if (!info.isView)
    answer.cost =
        costs.estimateProducerConsumerCost(producer, answer.placements);
  if (FusionDecision decision = checkBody(answer.placements); !decision)
    return decision;
  if (answer.cost.fusedNs > answer.cost.unfusedNs)
    return FusionDecision::refuse(FusionRefusal::RecomputeCostsMore,
                                  int64_t(answer.cost.fusedNs),
                                  int64_t(answer.cost.unfusedNs));
  return FusionDecision::allow();
}

/// All that the answer follows from.
llvm::hash_code LoopPlanner::getState(Id producer,
                                      const Consumers &consumers) const {
  llvm::hash_code state =
      llvm::hash_combine(candidates[producer].version, consumers.outside);
  for (Id kernel : consumers.kernels)
    state = llvm::hash_combine(state, kernel, candidates[kernel].version);
  return state;
}

const LoopPlanner::Answer &LoopPlanner::askProducerConsumer(Id producer) {
  Consumers consumers = consumersOf(producer);
  llvm::hash_code state = getState(producer, consumers);
  Answer &answer = answers[producer];
  if (answer.state == state)
    return answer;
  answer = {FusionDecision::allow(), {}, std::move(consumers), {}, state};
  answer.decision = checkProducerConsumer(producer, answer);
  return answer;
}

void LoopPlanner::tryProducerConsumer(Id producer, const Answer &answer) {
  std::optional<Id> consumer;
  if (answer.consumers.kernels.size() == 1)
    consumer = answer.consumers.kernels.front();
  if (!answer.decision)
    return refuse(FusionQuestion::ProducerConsumer, producer, consumer,
                  answer.decision, answer.cost);
  if (!state.decide(FusionQuestion::ProducerConsumer, candidates[producer].root,
                    consumer ? candidates[*consumer].root : nullptr,
                    answer.decision, answer.cost))
    return;
  SmallVector<Operation *> ops;
  for (auto &[op, recompute] : candidates[producer].ops)
    ops.push_back(op);
  candidates.produce(producer, answer.placements);
  for (const Placement &placement : answer.placements)
    pushCandidate(placement.kernel);
  pushOperands(ops);
}

//===----------------------------------------------------------------------===//
// Two kernels as one that stores the results of both
//===----------------------------------------------------------------------===//

/// Whether `consumer` reads results of `producer` at the index of its own, if
/// at all.
bool LoopPlanner::readsInPlace(Id consumer, Id producer) const {
  const FusionCandidate &kernel = candidates[consumer];
  for (Value output : candidates[producer].outputs)
    for (OpOperand &use : output.getUses()) {
      const auto *user = kernel.ops.find(use.getOwner());
      if (user == kernel.ops.end() ||
          kernel.ops.contains(output.getDefiningOp()))
        continue;
      const OpFusionInfo &info = state.infoOf(use.getOwner());
      if (!info.accesses[use.getOperandNumber()].identity ||
          !user->second.identity || user->second.count != 1)
        return false;
    }
  return true;
}

/// Whether `kernel` reads elements of `value` at other indices than its own.
bool LoopPlanner::readsElsewhere(Id kernel, Value value) const {
  if (!candidates[kernel].has(value))
    return false;
  return llvm::any_of(candidates[kernel].ops, [&](auto &entry) {
    auto &[op, recompute] = entry;
    const OpFusionInfo &info = state.infoOf(op);
    return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
      return operand.get() == value &&
             (!info.accesses[operand.getOperandNumber()].identity ||
              !recompute.identity || recompute.count != 1);
    });
  });
}

/// Whether `updating` could not write its results to the inputs that they
/// update if it also computed what `reader` computes.
bool LoopPlanner::keepsFromUpdating(Id reader, Id updating) const {
  return llvm::any_of(candidates[updating].outputs, [&](Value output) {
    Value input = updatedInputs.lookup(output);
    return input && readsElsewhere(reader, input);
  });
}

FusionDecision LoopPlanner::checkMerge(Id into, Id from) {
  FusionCandidate &first = candidates[into], &second = candidates[from];
  if (FusionDecision decision = state.checkPhases(first.root, second.root);
      !decision)
    return decision;
  if (first.space() != second.space() || !readsInPlace(into, from) ||
      !readsInPlace(from, into))
    return FusionDecision::refuse(FusionRefusal::DifferentIterationSpace);
  if (keepsFromUpdating(into, from) || keepsFromUpdating(from, into))
    return FusionDecision::refuse(FusionRefusal::UpdateNotInPlace);
  int64_t results = candidates.countOutputsMerged(into, from);
  if (results > options.maxResults)
    return FusionDecision::refuse(FusionRefusal::TooManyResults, results,
                                  options.maxResults);
  if (FusionDecision decision = state.checkBody(into, second.bodyReads);
      !decision)
    return decision;
  if (!candidates.canMerge(into, from))
    return FusionDecision::refuse(FusionRefusal::WouldCycle);
  return FusionDecision::allow();
}

bool LoopPlanner::tryMerge(FusionQuestion question, Id into, Id from) {
  FusionDecision decision = checkMerge(into, from);
  if (!decision) {
    refuse(question, from, into, decision);
    return false;
  }
  if (!state.decide(question, candidates[from].root, candidates[into].root,
                    decision, costs.estimateMergeCost(into, from)))
    return false;
  SmallVector<Operation *> ops;
  for (auto &[op, recompute] : candidates[from].ops)
    ops.push_back(op);
  candidates.merge(into, from);
  pushCandidate(into);
  pushOperands(ops);
  return true;
}

/// Whether storing the result of `producer` in a consumer may save anything. It
/// saves nothing if the only consumer alone needs the only result.
bool LoopPlanner::mayBeMultiOutput(Id producer,
                                   const Consumers &consumers) const {
  return !consumers.kernels.empty() &&
         (consumers.outside || consumers.kernels.size() > 1 ||
          candidates[producer].outputs.size() > 1);
}

void LoopPlanner::tryMultiOutput(Id producer) {
  Consumers consumers = consumersOf(producer);
  if (!mayBeMultiOutput(producer, consumers))
    return;
  for (Id kernel : consumers.kernels)
    if (tryMerge(FusionQuestion::MultiOutput, kernel, producer))
      return;
}

/// The kernels that may share their reads of `value`. Sharing saves nothing for
/// kernels whose loops are large beside the value.
SmallVector<FusionCandidates::Id> LoopPlanner::readersOf(Value value) const {
  Consumers consumers;
  addConsumers(value, consumers);
  int64_t elements = cast<RankedTensorType>(value.getType()).getNumElements();
  llvm::erase_if(consumers.kernels, [&](Id id) {
    return elements * 2 < candidates[id].iterations;
  });
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
