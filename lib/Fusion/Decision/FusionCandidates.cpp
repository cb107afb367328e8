//===- FusionCandidates.cpp - Kernels and op steps in the making ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/FusionCandidates.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tandem {

ArrayRef<int64_t> FusionCandidate::space() const {
  return cast<RankedTensorType>(root->getResult(0).getType()).getShape();
}

FusionCandidates::FusionCandidates(Block &block)
    : block(block), graph(block.getOperations().size()) {
  unsigned position = 0;
  candidates.reserve(block.getOperations().size());
  positions.reserve(block.getOperations().size());
  for (Operation &op : block)
    positions[&op] = position++;
  for (Operation &op : block)
    for (Operation *user : op.getUsers())
      graph.addEdge(positions[&op],
                    positions[block.findAncestorOpInBlock(*user)]);
}

FusionCandidates::Id FusionCandidates::create(Operation *root, bool isKernel,
                                              int64_t reads) {
  Id id = candidates.size();
  FusionCandidate &candidate = candidates.emplace_back();
  candidate.isKernel = isKernel;
  candidate.root = root;
  candidate.outputs.insert(root->result_begin(), root->result_end());
  RecomputeInfo recompute;
  recompute.reads = reads;
  if (isKernel) {
    recompute.stride = AccessStride::innermost(candidate.space());
    candidate.iterations = llvm::product_of(candidate.space());
  }
  add(root, id, recompute);
  return id;
}

/// Again, where it is in the candidate already.
void FusionCandidates::add(Operation *op, Id id, RecomputeInfo recompute) {
  FusionCandidate &candidate = candidates[id];
  auto [it, inserted] = candidate.ops.insert({op, recompute});
  if (inserted) {
    membership[op].push_back(id);
    for (Value operand : op->getOperands())
      candidate.reads.insert(operand.getAsOpaquePointer());
  } else {
    candidate.bodyReads -= it->second.count * it->second.reads;
    it->second = recompute;
  }
  candidate.bodyReads += recompute.count * recompute.reads;
  ++candidate.version;
}

void FusionCandidates::produce(Id producer, ArrayRef<Placement> placements) {
  FusionCandidate candidate =
      std::exchange(candidates[producer], FusionCandidate());
  if (placements.size() == 1) {
    [[maybe_unused]] bool merged =
        graph.merge(position(candidate.root),
                    position(candidates[placements.front().kernel].root));
    assert(merged && "a cycle");
  } else {
    graph.bypass(position(candidate.root));
  }
  for (auto &[op, recompute] : candidate.ops)
    llvm::erase(membership[op], producer);
  for (const Placement &placement : placements)
    for (auto &[op, recompute] : placement.ops)
      add(op, placement.kernel, recompute);
}

void FusionCandidates::absorb(Operation *op, Id id, RecomputeInfo recompute,
                              int64_t reads) {
  [[maybe_unused]] bool merged =
      graph.merge(position(op), position(candidates[id].root));
  assert(merged && "a cycle");
  recompute.reads = reads;
  add(op, id, recompute);
}

bool FusionCandidates::canAbsorb(Operation *op, Id id) {
  return graph.canMerge(position(op), position(candidates[id].root));
}

bool FusionCandidates::canMerge(Id a, Id b) {
  return graph.canMerge(position(candidates[a].root),
                        position(candidates[b].root));
}

bool FusionCandidates::isNeededOutside(Value value, ArrayRef<Id> except) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    ArrayRef<Id> ids = candidatesOf(block.findAncestorOpInBlock(*user));
    // The terminator is in none.
    return ids.empty() || llvm::any_of(ids, [&](Id id) {
             return !llvm::is_contained(except, id) &&
                    !candidates[id].ops.contains(value.getDefiningOp());
           });
  });
}

int64_t FusionCandidates::countOutputsMerged(Id a, Id b) const {
  auto count = [&](const FusionCandidate &candidate) {
    return llvm::count_if(candidate.outputs, [&](Value output) {
      return isNeededOutside(output, {a, b});
    });
  };
  return count(candidates[a]) + count(candidates[b]);
}

void FusionCandidates::updateOutputs(Id id) {
  FusionCandidate &candidate = candidates[id];
  candidate.outputs.clear();
  ++candidate.version;
  for (auto &[op, recompute] : candidate.ops)
    for (Value result : op->getResults())
      if (isNeededOutside(result, id))
        candidate.outputs.insert(result);
}

int64_t FusionCandidates::countOutputsWith(Id id, Operation *op) const {
  const FusionCandidate &candidate = candidates[id];
  auto isOutput = [&](Operation *inside) {
    return llvm::any_of(inside->getUsers(), [&](Operation *user) {
      return user != op && !candidate.ops.contains(user);
    });
  };
  return isOutput(op) + llvm::count_if(candidate.ops, [&](auto &entry) {
           return isOutput(entry.first);
         });
}

int64_t FusionCandidates::sharedBytes(Operation *op, Id id) const {
  int64_t bytes = 0;
  for (Value operand : op->getOperands())
    if (candidates[id].has(operand))
      bytes += getBytes(operand);
  return bytes;
}

void FusionCandidates::merge(Id into, Id from) {
  FusionCandidate candidate =
      std::exchange(candidates[from], FusionCandidate());
  [[maybe_unused]] bool merged =
      graph.merge(position(candidates[into].root), position(candidate.root));
  assert(merged && "a cycle");
  for (auto [op, recompute] : candidate.ops) {
    llvm::erase(membership[op], from);
    auto *it = candidates[into].ops.find(op);
    if (it != candidates[into].ops.end()) {
      recompute.count = std::max(it->second.count, recompute.count);
      recompute.identity &= it->second.identity;
    }
    add(op, into, recompute);
  }
  SmallVector<Value> outputs = candidates[into].outputs.takeVector();
  outputs.append(candidate.outputs.begin(), candidate.outputs.end());
  for (Value output : outputs)
    if (isNeededOutside(output, into))
      candidates[into].outputs.insert(output);
}

ArrayRef<FusionCandidates::Id>
FusionCandidates::candidatesOf(Operation *op) const {
  auto it = membership.find(op);
  return it == membership.end() ? ArrayRef<Id>() : ArrayRef<Id>(it->second);
}

} // namespace tandem
