//===- FusionUnits.cpp - Kernels and op steps in the making ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionUnits.h"

#include "OpFacts.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tandem {

ArrayRef<int64_t> FusionUnit::space() const {
  return cast<RankedTensorType>(root->getResult(0).getType()).getShape();
}

int64_t FusionUnit::iterations() const {
  return cast<RankedTensorType>(root->getResult(0).getType()).getNumElements();
}

FusionUnits::FusionUnits(Block &block) : graph(block.getOperations().size()) {
  unsigned position = 0;
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
  add(root, id, Evaluation{}, reads);
  return id;
}

void FusionUnits::add(Operation *op, Id id, Evaluation evaluation,
                      int64_t reads) {
  FusionUnit &unit = units[id];
  unit.ops[op] = evaluation;
  unit.bodyReads += evaluation.count * reads;
  membership[op].push_back(id);
}

void FusionUnits::produce(Operation *op, ArrayRef<Id> ids,
                          ArrayRef<Evaluation> evaluations, int64_t reads) {
  if (ids.size() == 1)
    return absorb(op, ids.front(), evaluations.front(), reads);
  graph.bypass(position(op));
  for (auto [id, evaluation] : llvm::zip_equal(ids, evaluations))
    add(op, id, evaluation, reads);
}

void FusionUnits::absorb(Operation *op, Id id, Evaluation evaluation,
                         int64_t reads) {
  [[maybe_unused]] bool merged =
      graph.merge(position(op), position(units[id].root));
  assert(merged && "a cycle");
  add(op, id, evaluation, reads);
}

bool FusionUnits::canAbsorb(Operation *op, Id id) {
  return graph.canMerge(position(op), position(units[id].root));
}

bool FusionUnits::canMerge(Id a, Id b) {
  return graph.canMerge(position(units[a].root), position(units[b].root));
}

void FusionUnits::updateOutputs(Id id) {
  FusionUnit &unit = units[id];
  unit.outputs.clear();
  for (auto &[op, evaluation] : unit.ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !unit.ops.contains(user);
          }))
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
  const FusionUnit &unit = units[id];
  auto isShared = [&](Value operand) {
    return unit.ops.contains(operand.getDefiningOp()) ||
           llvm::any_of(operand.getUsers(), [&](Operation *user) {
             return unit.ops.contains(user);
           });
  };
  int64_t bytes = 0;
  for (Value operand : op->getOperands())
    if (isShared(operand))
      bytes += getBytes(operand);
  return bytes;
}

void FusionUnits::merge(Id into, Id from) {
  FusionUnit &a = units[into], &b = units[from];
  [[maybe_unused]] bool merged =
      graph.merge(position(a.root), position(b.root));
  assert(merged && "a cycle");
  for (auto [op, evaluation] : b.ops) {
    SmallVector<Id, 1> &ids = membership[op];
    llvm::erase(ids, from);
    auto [it, inserted] = a.ops.insert({op, evaluation});
    if (inserted) {
      ids.push_back(into);
      continue;
    }
    it->second.count = std::max(it->second.count, evaluation.count);
    it->second.identity &= evaluation.identity;
  }
  a.outputs.insert(b.outputs.begin(), b.outputs.end());
  a.bodyReads += b.bodyReads;
  b = FusionUnit{};
}

ArrayRef<FusionUnits::Id> FusionUnits::unitsOf(Operation *op) const {
  auto it = membership.find(op);
  return it == membership.end() ? ArrayRef<Id>() : ArrayRef<Id>(it->second);
}

} // namespace tandem
