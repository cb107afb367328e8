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

int64_t FusionUnit::iterations() const {
  return cast<RankedTensorType>(root->getResult(0).getType()).getNumElements();
}

FusionUnits::FusionUnits(Block &block) {
  unsigned position = 0;
  for (Operation &op : block)
    positions[&op] = position++;
}

FusionUnits::Id FusionUnits::create(Operation *root, bool isKernel,
                                    int64_t reads) {
  Id id = units.size();
  FusionUnit &unit = units.emplace_back();
  unit.isKernel = isKernel;
  unit.root = root;
  unit.outputs.insert(root->result_begin(), root->result_end());
  lastPosition.push_back(0);
  visited.push_back(0);
  add(root, id, Evaluation{}, reads);
  return id;
}

void FusionUnits::add(Operation *op, Id id, Evaluation evaluation,
                      int64_t reads) {
  FusionUnit &unit = units[id];
  unit.ops[op] = evaluation;
  unit.bodyReads += evaluation.count * reads;
  lastPosition[id] = std::max(lastPosition[id], position(op));
  membership[op].push_back(id);
}

void FusionUnits::merge(Id into, Id from) {
  FusionUnit &a = units[into], &b = units[from];
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
  lastPosition[into] = std::max(lastPosition[into], lastPosition[from]);
  b = FusionUnit{};
}

ArrayRef<FusionUnits::Id> FusionUnits::unitsOf(Operation *op) const {
  auto it = membership.find(op);
  return it == membership.end() ? ArrayRef<Id>() : ArrayRef<Id>(it->second);
}

void FusionUnits::pushUsers(Value value, SmallVectorImpl<Id> &worklist) {
  for (Operation *user : value.getUsers())
    for (Id id : unitsOf(user))
      if (visited[id] != searchNumber) {
        visited[id] = searchNumber;
        worklist.push_back(id);
      }
}

bool FusionUnits::search(SmallVectorImpl<Id> &worklist, Id to) {
  while (!worklist.empty()) {
    Id id = worklist.pop_back_val();
    if (id == to)
      return true;
    for (Value output : units[id].outputs)
      // A user at or behind the end of `to` feeds nothing in it.
      if (position(output.getDefiningOp()) < lastPosition[to])
        pushUsers(output, worklist);
  }
  return false;
}

bool FusionUnits::reaches(Id from, Id to) {
  ++searchNumber;
  SmallVector<Id> worklist;
  for (Value output : units[from].outputs)
    pushUsers(output, worklist);
  llvm::erase(worklist, from);
  return search(worklist, to);
}

bool FusionUnits::usersReach(Value value, Id except, Id to) {
  ++searchNumber;
  visited[except] = searchNumber;
  SmallVector<Id> worklist;
  pushUsers(value, worklist);
  visited[to] = 0;
  return search(worklist, to);
}

} // namespace tandem
