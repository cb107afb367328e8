//===- PlanLoops.cpp - Which ops become one loop --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/LoopPlanner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace tandem {

/// A value that more kernels read is asked about once: nothing of what happens
/// to one of so many changes much, and each look at it takes long.
constexpr unsigned kManyUses = 32;

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

/// By computing a candidate within its consumers.
double LoopPlanner::getSavedNs(Id candidate, const Answer &answer) const {
  // Views first: they are in the way of others, and cost nothing.
  if (isView(candidate))
    return std::numeric_limits<double>::max();
  return answer.cost.unfusedNs - answer.cost.fusedNs;
}

/// By joining kernels: what is shared need not be read twice.
double LoopPlanner::getSharedNs(ArrayRef<Value> values) const {
  int64_t bytes = 0;
  for (Value value : values)
    bytes += getBytes(value);
  return options.device.launchNs +
         estimateMemoryNs(options.device, {0, double(bytes)});
}

void LoopPlanner::pushCandidate(Id candidate) {
  const Answer &answer = askProducerConsumer(candidate);
  queue.push({Proposal::ProducerConsumer,
              getSavedNs(candidate, answer),
              positionOf(candidate),
              candidate,
              {}});
  if (candidates[candidate].isLoop() &&
      mayBeMultiOutput(candidate, answer.consumers))
    queue.push({Proposal::MultiOutput,
                getSharedNs(candidates[candidate].outputs.getArrayRef()),
                positionOf(candidate),
                candidate,
                {}});
}

/// Whether several kernels may read `value`; a single op may be in several.
bool LoopPlanner::hasSeveralReaders(Value value) const {
  if (value.use_empty() || !value.hasOneUse())
    return !value.use_empty();
  Operation *user = *value.user_begin();
  return candidates.candidatesOf(state.block.findAncestorOpInBlock(*user))
             .size() > 1;
}

void LoopPlanner::pushValue(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !hasSeveralReaders(value))
    return;
  Operation *op = value.getDefiningOp();
  queue.push({Proposal::Siblings, getSharedNs(value),
              op ? candidates.position(op) + 1 : 0, 0, value});
}

/// Who reads what they read has changed.
void LoopPlanner::pushOperands(ArrayRef<Operation *> ops) {
  llvm::SmallSetVector<Value, 8> operands;
  for (Operation *op : ops)
    operands.insert(op->operand_begin(), op->operand_end());
  for (Value operand : operands) {
    if (operand.hasNUsesOrMore(kManyUses))
      continue;
    pushValue(operand);
    if (Operation *op = operand.getDefiningOp())
      for (Id id : candidates.candidatesOf(op))
        if (candidates[id].isLoop() || isView(id))
          pushCandidate(id);
  }
}

/// Whether something comes before `proposal` now that it saves `savedNs`: its
/// cost was that of another neighborhood. It is put back then.
bool LoopPlanner::isPutBack(Proposal proposal, double savedNs) {
  bool isLess = savedNs < proposal.savedNs;
  proposal.savedNs = savedNs;
  if (!isLess || !queue.isPreceded(proposal))
    return false;
  queue.push(proposal);
  return true;
}

void LoopPlanner::ask(const Proposal &proposal) {
  Id candidate = proposal.candidate;
  if (proposal.kind == Proposal::Siblings)
    return joinReaders(proposal.value);
  if (!isAlive(candidate))
    return;
  if (proposal.kind == Proposal::ProducerConsumer) {
    const Answer &answer = askProducerConsumer(candidate);
    if (!isPutBack(proposal, getSavedNs(candidate, answer)))
      tryProducerConsumer(candidate, answer);
  } else if (!isPutBack(
                 proposal,
                 getSharedNs(candidates[candidate].outputs.getArrayRef()))) {
    tryMultiOutput(candidate);
  }
}

void LoopPlanner::refuse(FusionQuestion question, Id producer,
                         std::optional<Id> consumer, FusionDecision decision,
                         const FusionCost &cost) {
  if (!state.isLogged())
    return;
  Operation *from = candidates[producer].root;
  Operation *into = consumer ? candidates[*consumer].root : nullptr;
  refusals[{unsigned(question), from, into}] = {
      {question, from, into, std::move(decision), cost},
      producer,
      consumer.value_or(producer)};
}

/// Notes the last refusal of each question about kernels that are still apart.
void LoopPlanner::noteRefusals() {
  SmallVector<const FusionLogEntry *> entries;
  for (auto &[key, refusal] : refusals)
    if (isAlive(refusal.producer) && isAlive(refusal.consumer))
      entries.push_back(&refusal.entry);
  llvm::stable_sort(entries, [&](auto *a, auto *b) {
    unsigned first = candidates.position(a->producer),
             second = candidates.position(b->producer);
    return first != second ? first > second : a->question < b->question;
  });
  for (const FusionLogEntry *entry : entries)
    state.note(*entry);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

void LoopPlanner::addOp(Operation *op) {
  const OpFusionInfo &info = state.infoOf(op);
  bool isKernel = info.inLoop && !op->use_empty() && !info.isView;
  candidates.create(op, isKernel, info.bodyReads);
}

void LoopPlanner::findUpdates() {
  auto function = dyn_cast<func::FuncOp>(state.block.getParentOp());
  if (!function)
    return;
  for (auto [i, output] :
       llvm::enumerate(state.block.getTerminator()->getOperands()))
    if (auto input = function.getResultAttrOfType<IntegerAttr>(
            i, ir::TandemDialect::kUpdatesAttrName))
      updatedInputs[output] = function.getArgument(input.getInt());
}

void LoopPlanner::plan() {
  findUpdates();
  Id first = candidates.size();
  for (Operation &op : state.block.without_terminator())
    if (candidates.candidatesOf(&op).empty() &&
        !matchPattern(&op, m_Constant()))
      addOp(&op);
  answers.resize(candidates.size());
  for (Id id = first; id < candidates.size(); ++id)
    pushCandidate(id);
  for (Operation &op : state.block.without_terminator())
    for (Value result : op.getResults())
      pushValue(result);
  for (BlockArgument argument : state.block.getArguments())
    pushValue(argument);
  while (std::optional<Proposal> proposal = queue.pop())
    ask(*proposal);
  noteRefusals();
}

void planLoops(PlanState &state, FusionOrder order) {
  LoopPlanner(state, order).plan();
}

} // namespace tandem
