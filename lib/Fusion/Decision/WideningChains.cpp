//===- WideningChains.cpp - Values that are kept narrow -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decision/WideningChains.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Support/OpTable.h"

using namespace mlir;

namespace tandem {
namespace {

/// A dequantization has three ops.
constexpr size_t kMaxOps = 8;

/// The one operand of an elementwise op that has the shape of the result; null
/// if there are several, or other operands are more than a line of it.
Value findFullOperand(Operation *op) {
  const ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  Value full;
  for (Value operand : op->getOperands()) {
    if (shapeOf(operand) == shape) {
      if (full)
        return {};
      full = operand;
    } else if (typeOf(operand).getNumElements() > shape.back()) {
      return {};
    }
  }
  return full;
}

bool isCheap(Operation *op) {
  auto tableOp = dyn_cast<ir::TandemOpInterface>(op);
  return tableOp && isa<ir::ElementwiseOpInterface>(op) &&
         !getOpInfo(tableOp.getOpDesc().kind).isTranscendental();
}

/// Whether an elementwise op gives elements with more bytes than some
/// operand's.
bool widens(Operation &op) {
  return isa<ir::ElementwiseOpInterface>(op) && hasStaticTypes(&op) &&
         llvm::any_of(op.getOperands(), [&](Value operand) {
           return getElementBytes(operand) < getElementBytes(op.getResult(0));
         });
}

/// Whether `user` can compute the elements of `value` itself at no cost,
/// because it reads one of them for each element of its result.
bool canCompute(PlanState &state, Operation *user, Value value) {
  if (user->getBlock() != &state.block ||
      user->hasTrait<OpTrait::IsTerminator>())
    return false;
  // A kernel of a reduction computes the elements that it combines.
  if (auto reduce = dyn_cast<ir::ReduceOp>(user))
    return state.options.reductions && bool(checkReduction(reduce));
  const ArrayRef<FusionCandidates::Id> ids =
      state.candidates.candidatesOf(user);
  if (ids.empty()) {
    const OpFusionInfo &info = state.infoOf(user);
    return info.inLoop && info.reads == 1;
  }
  // The epilogue of another contraction reads `value`.
  const FusionCandidate &candidate = state.candidates[ids.front()];
  return candidate.kind == ir::FusionKind::contraction &&
         isa<ir::ElementwiseOpInterface>(user) && value.hasOneUse() &&
         shapeOf(user->getResult(0)) == shapeOf(value);
}

} // namespace

WideningChain findWideningChain(PlanState &state, Value value) {
  WideningChain chain;
  const int64_t bytes = getElementBytes(value);
  while (Operation *op = value.getDefiningOp()) {
    if (op->getBlock() != &state.block || !isCheap(op) ||
        typeOf(value).getRank() == 0 || !state.infoOf(op).inLoop ||
        chain.ops.size() == kMaxOps ||
        (!chain.ops.empty() && !value.hasOneUse()))
      return {};
    chain.ops.push_back(op);
    value = findFullOperand(op);
    if (!value)
      return {};
    if (getElementBytes(value) < bytes) {
      chain.source = value;
      return chain;
    }
  }
  return {};
}

llvm::SmallPtrSet<Operation *, 8> findOpsOfReaders(const PlanState &state) {
  llvm::SmallPtrSet<Operation *, 8> ops;
  // A graph without ops that widen has no chains, and planning takes long.
  if (llvm::none_of(state.block, widens))
    return ops;
  PlanState trial = state.fork();
  planContractions(trial);
  for (FusionCandidates::Id id = 0; id < trial.candidates.size(); ++id)
    for (Value output : trial.candidates[id].outputs) {
      const FusionCandidate &candidate = trial.candidates[id];
      const WideningChain chain = findWideningChain(trial, output);
      auto isInside = [&](Operation *op) { return candidate.ops.contains(op); };
      if (!chain.source || !llvm::all_of(chain.ops, isInside) ||
          !isInside(chain.source.getDefiningOp()))
        continue;
      if (llvm::all_of(output.getUsers(), [&](Operation *user) {
            return !isInside(user) && canCompute(trial, user, output);
          }))
        ops.insert_range(chain.ops);
    }
  return ops;
}

} // namespace tandem
