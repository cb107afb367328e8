//===- PlanLoops.cpp - Which ops become one loop --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopPlanner.h"

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

/// By computing a unit within its consumers.
double LoopPlanner::getSavedNs(Id unit, const Answer &answer) const {
  // Views first: they are in the way of others, and cost nothing.
  if (isView(unit))
    return std::numeric_limits<double>::max();
  return answer.price.unfusedNs - answer.price.fusedNs;
}

/// By joining kernels: what is shared need not be read twice.
double LoopPlanner::getSharedNs(ArrayRef<Value> values) const {
  int64_t bytes = 0;
  for (Value value : values)
    bytes += getBytes(value);
  return options.device.launchNs +
         estimateMemoryNs(options.device, {0, double(bytes)});
}

void LoopPlanner::pushUnit(Id unit) {
  const Answer &answer = askProduce(unit);
  queue.push({Candidate::Produce,
              getSavedNs(unit, answer),
              positionOf(unit),
              unit,
              {}});
  if (units[unit].isLoop() && mayStore(unit, answer.consumers))
    queue.push({Candidate::Store,
                getSharedNs(units[unit].outputs.getArrayRef()),
                positionOf(unit),
                unit,
                {}});
}

/// Whether several kernels may read `value`; a single op may be in several.
bool LoopPlanner::hasSeveralReaders(Value value) const {
  if (value.use_empty() || !value.hasOneUse())
    return !value.use_empty();
  Operation *user = *value.user_begin();
  return units.unitsOf(state.block.findAncestorOpInBlock(*user)).size() > 1;
}

void LoopPlanner::pushValue(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !hasSeveralReaders(value))
    return;
  Operation *op = value.getDefiningOp();
  queue.push({Candidate::Join, getSharedNs(value),
              op ? units.position(op) + 1 : 0, 0, value});
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
      for (Id id : units.unitsOf(op))
        if (units[id].isLoop() || isView(id))
          pushUnit(id);
  }
}

/// Whether something comes before `candidate` now that it saves `savedNs`: its
/// price was that of another neighbourhood. It is put back then.
bool LoopPlanner::isPutBack(Candidate candidate, double savedNs) {
  bool isLess = savedNs < candidate.savedNs;
  candidate.savedNs = savedNs;
  if (!isLess || !queue.isPreceded(candidate))
    return false;
  queue.push(candidate);
  return true;
}

void LoopPlanner::ask(const Candidate &candidate) {
  Id unit = candidate.unit;
  if (candidate.kind == Candidate::Join)
    return joinReaders(candidate.value);
  if (!isAlive(unit))
    return;
  if (candidate.kind == Candidate::Produce) {
    const Answer &answer = askProduce(unit);
    if (!isPutBack(candidate, getSavedNs(unit, answer)))
      tryProduce(unit, answer);
  } else if (!isPutBack(candidate,
                        getSharedNs(units[unit].outputs.getArrayRef()))) {
    tryStore(unit);
  }
}

void LoopPlanner::refuse(FusionQuestion question, Id producer,
                         std::optional<Id> consumer, FusionDecision decision,
                         const FusionPrice &price) {
  if (!state.isLogged())
    return;
  Operation *from = units[producer].root;
  Operation *into = consumer ? units[*consumer].root : nullptr;
  refusals[{unsigned(question), from, into}] = {
      {question, from, into, std::move(decision), price},
      producer,
      consumer.value_or(producer)};
}

/// Of kernels that are still apart, as they were last asked about.
void LoopPlanner::noteRefusals() {
  SmallVector<const FusionLogEntry *> entries;
  for (auto &[key, refusal] : refusals)
    if (isAlive(refusal.producer) && isAlive(refusal.consumer))
      entries.push_back(&refusal.entry);
  llvm::stable_sort(entries, [&](auto *a, auto *b) {
    unsigned first = units.position(a->producer),
             second = units.position(b->producer);
    return first != second ? first > second : a->question < b->question;
  });
  for (const FusionLogEntry *entry : entries)
    state.note(*entry);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

void LoopPlanner::addOp(Operation *op) {
  const OpFacts &facts = state.factsOf(op);
  bool isKernel = facts.inLoop && !op->use_empty() && !facts.isView;
  units.create(op, isKernel, facts.bodyReads);
}

void LoopPlanner::plan() {
  Id first = units.size();
  for (Operation &op : state.block.without_terminator())
    if (units.unitsOf(&op).empty() && !matchPattern(&op, m_Constant()))
      addOp(&op);
  answers.resize(units.size());
  for (Id id = first; id < units.size(); ++id)
    pushUnit(id);
  for (Operation &op : state.block.without_terminator())
    for (Value result : op.getResults())
      pushValue(result);
  for (BlockArgument argument : state.block.getArguments())
    pushValue(argument);
  while (std::optional<Candidate> candidate = queue.pop())
    ask(*candidate);
  noteRefusals();
}

void planLoops(PlanState &state, FusionOrder order) {
  LoopPlanner(state, order).plan();
}

} // namespace tandem
