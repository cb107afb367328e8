//===- FusionUnits.cpp - Kernels and op steps in the making ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionUnits.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tandem {

ArrayRef<int64_t> FusionUnit::space() const {
  return cast<RankedTensorType>(root->getResult(0).getType()).getShape();
}

FusionUnits::FusionUnits(Block &block)
    : block(block), graph(block.getOperations().size()) {
  unsigned position = 0;
  units.reserve(block.getOperations().size());
  positions.reserve(block.getOperations().size());
  for (Operation &op : block)
    positions[&op] = position++;
  for (Operation &op : block)
    for (Operation *user : op.getUsers())
      graph.addEdge(positions[&op],
                    positions[block.findAncestorOpInBlock(*user)]);
}

FusionUnits::Id FusionUnits::create(Operation *root, bool isKernel,
                                    int64_t reads) {
  Id id = units.size();
  FusionUnit &unit = units.emplace_back();
  unit.isKernel = isKernel;
  unit.root = root;
  unit.outputs.insert(root->result_begin(), root->result_end());
  Evaluation evaluation;
  evaluation.reads = reads;
  if (isKernel) {
    evaluation.motion = Motion::innermost(unit.space());
    unit.iterations = llvm::product_of(unit.space());
  }
  add(root, id, evaluation);
  return id;
}

/// Again, where it is in the unit already.
void FusionUnits::add(Operation *op, Id id, Evaluation evaluation) {
  FusionUnit &unit = units[id];
  auto [it, inserted] = unit.ops.insert({op, evaluation});
  if (inserted) {
    membership[op].push_back(id);
    for (Value operand : op->getOperands())
      unit.reads.insert(operand.getAsOpaquePointer());
  } else {
    unit.bodyReads -= it->second.count * it->second.reads;
    it->second = evaluation;
  }
  unit.bodyReads += evaluation.count * evaluation.reads;
  ++unit.version;
}

void FusionUnits::produce(Id producer, ArrayRef<Placement> placements) {
  FusionUnit unit = std::exchange(units[producer], FusionUnit());
  if (placements.size() == 1) {
    [[maybe_unused]] bool merged = graph.merge(
        position(unit.root), position(units[placements.front().kernel].root));
    assert(merged && "a cycle");
  } else {
    graph.bypass(position(unit.root));
  }
  for (auto &[op, evaluation] : unit.ops)
    llvm::erase(membership[op], producer);
  for (const Placement &placement : placements)
    for (auto &[op, evaluation] : placement.ops)
      add(op, placement.kernel, evaluation);
}

void FusionUnits::absorb(Operation *op, Id id, Evaluation evaluation,
                         int64_t reads) {
  [[maybe_unused]] bool merged =
      graph.merge(position(op), position(units[id].root));
  assert(merged && "a cycle");
  evaluation.reads = reads;
  add(op, id, evaluation);
}

bool FusionUnits::canAbsorb(Operation *op, Id id) {
  return graph.canMerge(position(op), position(units[id].root));
}

bool FusionUnits::canMerge(Id a, Id b) {
  return graph.canMerge(position(units[a].root), position(units[b].root));
}

bool FusionUnits::isNeededOutside(Value value, ArrayRef<Id> except) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    ArrayRef<Id> ids = unitsOf(block.findAncestorOpInBlock(*user));
    // The terminator is in none.
    return ids.empty() || llvm::any_of(ids, [&](Id id) {
             return !llvm::is_contained(except, id) &&
                    !units[id].ops.contains(value.getDefiningOp());
           });
  });
}

int64_t FusionUnits::countOutputsMerged(Id a, Id b) const {
  auto count = [&](const FusionUnit &unit) {
    return llvm::count_if(unit.outputs, [&](Value output) {
      return isNeededOutside(output, {a, b});
    });
  };
  return count(units[a]) + count(units[b]);
}

void FusionUnits::updateOutputs(Id id) {
  FusionUnit &unit = units[id];
  unit.outputs.clear();
  ++unit.version;
  for (auto &[op, evaluation] : unit.ops)
    for (Value result : op->getResults())
      if (isNeededOutside(result, id))
        unit.outputs.insert(result);
}

int64_t FusionUnits::countOutputsWith(Id id, Operation *op) const {
  const FusionUnit &unit = units[id];
  auto isOutput = [&](Operation *inside) {
    return llvm::any_of(inside->getUsers(), [&](Operation *user) {
      return user != op && !unit.ops.contains(user);
    });
  };
  return isOutput(op) + llvm::count_if(unit.ops, [&](auto &entry) {
           return isOutput(entry.first);
         });
}

int64_t FusionUnits::sharedBytes(Operation *op, Id id) const {
  int64_t bytes = 0;
  for (Value operand : op->getOperands())
    if (units[id].has(operand))
      bytes += getBytes(operand);
  return bytes;
}

void FusionUnits::merge(Id into, Id from) {
  FusionUnit unit = std::exchange(units[from], FusionUnit());
  [[maybe_unused]] bool merged =
      graph.merge(position(units[into].root), position(unit.root));
  assert(merged && "a cycle");
  for (auto [op, evaluation] : unit.ops) {
    llvm::erase(membership[op], from);
    auto *it = units[into].ops.find(op);
    if (it != units[into].ops.end()) {
      evaluation.count = std::max(it->second.count, evaluation.count);
      evaluation.identity &= it->second.identity;
    }
    add(op, into, evaluation);
  }
  SmallVector<Value> outputs = units[into].outputs.takeVector();
  outputs.append(unit.outputs.begin(), unit.outputs.end());
  for (Value output : outputs)
    if (isNeededOutside(output, into))
      units[into].outputs.insert(output);
}

ArrayRef<FusionUnits::Id> FusionUnits::unitsOf(Operation *op) const {
  auto it = membership.find(op);
  return it == membership.end() ? ArrayRef<Id>() : ArrayRef<Id>(it->second);
}

} // namespace tandem
