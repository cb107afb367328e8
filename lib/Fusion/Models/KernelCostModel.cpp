//===- KernelCostModel.cpp - What kernels in the making cost --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models/KernelCostModel.h"

#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tandem {

/// Fewer elements side by side are not read in tiles.
static constexpr int64_t kMinTiled = 4;

//===----------------------------------------------------------------------===//
// Where a producer's ops are computed
//===----------------------------------------------------------------------===//

Placement KernelCostModel::place(Id producer, Id kernel) {
  const FusionCandidates &candidates = state.candidates;
  const auto &users = candidates[kernel].ops;
  Placement placement{kernel, {}};
  for (auto &[op, recompute] : candidates[producer].ops)
    placement.ops.push_back({op, recompute});
  // Users before what they use.
  if (placement.ops.size() > 1)
    llvm::sort(placement.ops, [&](auto &a, auto &b) {
      return candidates.position(a.first) > candidates.position(b.first);
    });
  auto find = [&](Operation *user) -> const RecomputeInfo * {
    auto *placed = llvm::find_if(
        placement.ops, [&](auto &entry) { return entry.first == user; });
    if (placed != placement.ops.end())
      return &placed->second;
    const auto *it = users.find(user);
    return it == users.end() ? nullptr : &it->second;
  };
  for (auto &[op, recompute] : placement.ops) {
    int64_t same = 0, other = 0;
    AccessStride stride;
    Value result = op->getResult(0);
    for (OpOperand &use : result.getUses()) {
      const RecomputeInfo *user = find(use.getOwner());
      if (!user)
        continue;
      const OperandAccess &access =
          state.infoOf(use.getOwner()).accesses[use.getOperandNumber()];
      // Several uses of an element at the same index need only one evaluation.
      if (access.identity && user->identity)
        same = std::max(same, user->count);
      else
        other += user->count * access.reads;
      AccessStride followed = access.follow(user->stride);
      if (followed.distance(shapeOf(result)) >=
          stride.distance(shapeOf(result)))
        stride = followed;
    }
    recompute = {std::max<int64_t>(1, same + other), other == 0,
                 recompute.reads, stride};
  }
  return placement;
}

//===----------------------------------------------------------------------===//
// The terms of a cost
//===----------------------------------------------------------------------===//

double KernelCostModel::computeNs(Operation *op, const RecomputeInfo &recompute,
                                  Id kernel) const {
  const OpFusionInfo &info = state.infoOf(op);
  const FusionCandidate &candidate = state.candidates[kernel];
  double times = candidate.isLoop()
                     ? double(recompute.count) * double(candidate.iterations)
                     : double(info.elements);
  KernelWork work;
  work.flops = times * info.flopsPerElement;
  work.elementBytes = info.elementBytes;
  return estimateComputeNs(state.options.device, work);
}

double KernelCostModel::readNs(Value value, double elements,
                               const AccessStride &stride,
                               bool isWindow) const {
  ArrayRef<int64_t> shape = shapeOf(value);
  int64_t last = AccessStride::innermost(shape).dim;
  StridedRead read;
  read.elementBytes = getElementBytes(value);
  read.valueBytes = read.elementBytes * llvm::product_of(shape);
  read.elements = elements;
  read.stride = stride.distance(shape);
  read.isTiled = !isWindow && !stride.isGuarded && last >= 0 &&
                 stride.dim != last && shape[last] >= kMinTiled;
  return estimateReadNs(state.options.device, read);
}

double KernelCostModel::readNs(OpOperand &operand,
                               const RecomputeInfo &recompute,
                               Id kernel) const {
  const OpFusionInfo &info = state.infoOf(operand.getOwner());
  const FusionCandidate &candidate = state.candidates[kernel];
  if (info.accesses.empty() || !candidate.isLoop())
    return readNs(operand.get(),
                  double(llvm::product_of(shapeOf(operand.get()))),
                  AccessStride(), false);
  const OperandAccess &access = info.accesses[operand.getOperandNumber()];
  if (access.isSplat)
    return 0;
  int64_t count = recompute.count * access.reads;
  return readNs(operand.get(), double(count) * double(candidate.iterations),
                access.follow(recompute.stride), count > 1);
}

double KernelCostModel::readNs(const Placement &placement) const {
  const auto &[op, recompute] = placement.ops.front();
  double elements = double(recompute.count) *
                    double(state.candidates[placement.kernel].iterations);
  return readNs(op->getResult(0), elements, recompute.stride,
                recompute.count > 1);
}

double KernelCostModel::writeNs(Value value) const {
  return estimateMemoryNs(state.options.device, {0, double(getBytes(value))});
}

template <typename Ops>
double KernelCostModel::readAllNs(const Ops &ops, Id kernel,
                                  function_ref<bool(Value)> isWanted) const {
  double ns = 0;
  llvm::SmallPtrSet<const void *, 8> seen;
  for (auto &[op, recompute] : ops)
    for (OpOperand &operand : op->getOpOperands())
      if (isWanted(operand.get()) &&
          seen.insert(operand.get().getAsOpaquePointer()).second)
        ns += readNs(operand, recompute, kernel);
  return ns;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

double KernelCostModel::estimateNs(Id kernel) {
  const FusionCandidate &candidate = state.candidates[kernel];
  if (kernel >= estimates.size())
    estimates.resize(state.candidates.size());
  auto &[of, ns] = estimates[kernel];
  if (of == candidate.version)
    return ns;
  of = candidate.version;
  ns = state.options.device.launchNs;
  for (auto &[op, recompute] : candidate.ops)
    ns += computeNs(op, recompute, kernel);
  for (Value output : candidate.outputs)
    ns += writeNs(output);
  return ns += readAllNs(candidate.ops, kernel, [&](Value value) {
           return !candidate.ops.contains(value.getDefiningOp());
         });
}

FusionCost
KernelCostModel::estimateProducerConsumerCost(Id producer,
                                              ArrayRef<Placement> placements) {
  const FusionCandidate &candidate = state.candidates[producer];
  auto isInput = [&](Value value) {
    return !candidate.ops.contains(value.getDefiningOp());
  };
  FusionCost cost;
  cost.unfusedNs = estimateNs(producer);
  cost.bytesSaved = getBytes(candidate.outputs.front());
  for (const Placement &placement : placements) {
    const FusionCandidate &kernel = state.candidates[placement.kernel];
    cost.unfusedNs += readNs(placement);
    cost.bytesSaved += getBytes(candidate.outputs.front());
    for (auto &[op, recompute] : placement.ops) {
      cost.fusedNs += computeNs(op, recompute, placement.kernel);
      const auto *known = kernel.ops.find(op);
      if (known != kernel.ops.end())
        cost.fusedNs -= computeNs(op, known->second, placement.kernel);
    }
    cost.fusedNs +=
        readAllNs(placement.ops, placement.kernel, [&](Value value) {
          return isInput(value) && !kernel.has(value);
        });
  }
  return cost;
}

FusionCost KernelCostModel::estimateMergeCost(Id consumer, Id producer) {
  const FusionCandidate &into = state.candidates[consumer],
                        &from = state.candidates[producer];
  // Two separate kernels would read these values twice: the values that both
  // read, and those that one kernel computes and the other reads.
  auto isShared = [&](Value value) {
    return !from.ops.contains(value.getDefiningOp()) && into.has(value);
  };
  FusionCost cost;
  cost.unfusedNs = estimateNs(producer);
  cost.fusedNs = cost.unfusedNs - state.options.device.launchNs -
                 readAllNs(from.ops, producer, isShared);
  for (auto &[op, recompute] : from.ops)
    if (into.ops.contains(op))
      cost.fusedNs -= computeNs(op, recompute, producer);
  cost.unfusedNs += readAllNs(into.ops, consumer, [&](Value value) {
    return from.outputs.contains(value) &&
           !into.ops.contains(value.getDefiningOp());
  });
  for (Value output : from.outputs)
    cost.bytesSaved += into.has(output) ? getBytes(output) : 0;
  return cost;
}

} // namespace tandem
