//===- UnitPrices.cpp - What kernels in the making cost -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitPrices.h"

#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tandem {

/// Fewer elements side by side are not read in tiles.
static constexpr int64_t kMinTiled = 4;

//===----------------------------------------------------------------------===//
// Where a producer's ops are computed
//===----------------------------------------------------------------------===//

Placement UnitPrices::place(Id producer, Id kernel) {
  const FusionUnits &units = state.units;
  const auto &users = units[kernel].ops;
  Placement placement{kernel, {}};
  for (auto &[op, evaluation] : units[producer].ops)
    placement.ops.push_back({op, evaluation});
  // Users before what they use.
  if (placement.ops.size() > 1)
    llvm::sort(placement.ops, [&](auto &a, auto &b) {
      return units.position(a.first) > units.position(b.first);
    });
  auto find = [&](Operation *user) -> const Evaluation * {
    auto *placed = llvm::find_if(
        placement.ops, [&](auto &entry) { return entry.first == user; });
    if (placed != placement.ops.end())
      return &placed->second;
    const auto *it = users.find(user);
    return it == users.end() ? nullptr : &it->second;
  };
  for (auto &[op, evaluation] : placement.ops) {
    int64_t same = 0, other = 0;
    Motion motion;
    Value result = op->getResult(0);
    for (OpOperand &use : result.getUses()) {
      const Evaluation *user = find(use.getOwner());
      if (!user)
        continue;
      const OperandAccess &access =
          state.factsOf(use.getOwner()).accesses[use.getOperandNumber()];
      // What is asked for at one index several times is computed once.
      if (access.identity && user->identity)
        same = std::max(same, user->count);
      else
        other += user->count * access.reads;
      Motion moved = access.follow(user->motion);
      if (moved.stride(shapeOf(result)) >= motion.stride(shapeOf(result)))
        motion = moved;
    }
    evaluation = {std::max<int64_t>(1, same + other), other == 0,
                  evaluation.reads, motion};
  }
  return placement;
}

//===----------------------------------------------------------------------===//
// The terms of a price
//===----------------------------------------------------------------------===//

double UnitPrices::computeNs(Operation *op, const Evaluation &evaluation,
                             Id kernel) const {
  const OpFacts &facts = state.factsOf(op);
  const FusionUnit &unit = state.units[kernel];
  double times = unit.isLoop()
                     ? double(evaluation.count) * double(unit.iterations)
                     : double(facts.elements);
  KernelWork work;
  work.flops = times * facts.flopsPerElement;
  work.elementBytes = facts.elementBytes;
  return estimateComputeNs(state.options.device, work);
}

double UnitPrices::readNs(Value value, double elements, const Motion &motion,
                          bool isWindow) const {
  ArrayRef<int64_t> shape = shapeOf(value);
  int64_t last = Motion::innermost(shape).dim;
  StridedRead read;
  read.elementBytes = getElementBytes(value);
  read.valueBytes = read.elementBytes * llvm::product_of(shape);
  read.elements = elements;
  read.stride = motion.stride(shape);
  read.isTiled =
      !isWindow && last >= 0 && motion.dim != last && shape[last] >= kMinTiled;
  return estimateReadNs(state.options.device, read);
}

double UnitPrices::readNs(OpOperand &operand, const Evaluation &evaluation,
                          Id kernel) const {
  const OpFacts &facts = state.factsOf(operand.getOwner());
  const FusionUnit &unit = state.units[kernel];
  if (facts.accesses.empty() || !unit.isLoop())
    return readNs(operand.get(),
                  double(llvm::product_of(shapeOf(operand.get()))), Motion(),
                  false);
  const OperandAccess &access = facts.accesses[operand.getOperandNumber()];
  if (access.isSplat)
    return 0;
  int64_t count = evaluation.count * access.reads;
  return readNs(operand.get(), double(count) * double(unit.iterations),
                access.follow(evaluation.motion), count > 1);
}

double UnitPrices::readNs(const Placement &placement) const {
  const auto &[op, evaluation] = placement.ops.front();
  double elements = double(evaluation.count) *
                    double(state.units[placement.kernel].iterations);
  return readNs(op->getResult(0), elements, evaluation.motion,
                evaluation.count > 1);
}

double UnitPrices::writeNs(Value value) const {
  return estimateMemoryNs(state.options.device, {0, double(getBytes(value))});
}

template <typename Ops>
double UnitPrices::readAllNs(const Ops &ops, Id kernel,
                             function_ref<bool(Value)> isWanted) const {
  double ns = 0;
  llvm::SmallPtrSet<const void *, 8> seen;
  for (auto &[op, evaluation] : ops)
    for (OpOperand &operand : op->getOpOperands())
      if (isWanted(operand.get()) &&
          seen.insert(operand.get().getAsOpaquePointer()).second)
        ns += readNs(operand, evaluation, kernel);
  return ns;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

double UnitPrices::estimateNs(Id kernel) {
  const FusionUnit &unit = state.units[kernel];
  if (kernel >= estimates.size())
    estimates.resize(state.units.size());
  auto &[of, ns] = estimates[kernel];
  if (of == unit.version)
    return ns;
  of = unit.version;
  ns = state.options.device.launchNs;
  for (auto &[op, evaluation] : unit.ops)
    ns += computeNs(op, evaluation, kernel);
  for (Value output : unit.outputs)
    ns += writeNs(output);
  return ns += readAllNs(unit.ops, kernel, [&](Value value) {
           return !unit.ops.contains(value.getDefiningOp());
         });
}

FusionPrice UnitPrices::priceProduce(Id producer,
                                     ArrayRef<Placement> placements) {
  const FusionUnit &unit = state.units[producer];
  auto isInput = [&](Value value) {
    return !unit.ops.contains(value.getDefiningOp());
  };
  FusionPrice price;
  price.unfusedNs = estimateNs(producer);
  price.bytesSaved = getBytes(unit.outputs.front());
  for (const Placement &placement : placements) {
    const FusionUnit &kernel = state.units[placement.kernel];
    price.unfusedNs += readNs(placement);
    price.bytesSaved += getBytes(unit.outputs.front());
    for (auto &[op, evaluation] : placement.ops) {
      price.fusedNs += computeNs(op, evaluation, placement.kernel);
      const auto *known = kernel.ops.find(op);
      if (known != kernel.ops.end())
        price.fusedNs -= computeNs(op, known->second, placement.kernel);
    }
    price.fusedNs +=
        readAllNs(placement.ops, placement.kernel, [&](Value value) {
          return isInput(value) && !kernel.has(value);
        });
  }
  return price;
}

FusionPrice UnitPrices::priceMerge(Id consumer, Id producer) {
  const FusionUnit &into = state.units[consumer], &from = state.units[producer];
  // Read twice: what both read, and what one computes for the other.
  auto isShared = [&](Value value) {
    return !from.ops.contains(value.getDefiningOp()) && into.has(value);
  };
  FusionPrice price;
  price.unfusedNs = estimateNs(producer);
  price.fusedNs = price.unfusedNs - state.options.device.launchNs -
                  readAllNs(from.ops, producer, isShared);
  for (auto &[op, evaluation] : from.ops)
    if (into.ops.contains(op))
      price.fusedNs -= computeNs(op, evaluation, producer);
  price.unfusedNs += readAllNs(into.ops, consumer, [&](Value value) {
    return from.outputs.contains(value) &&
           !into.ops.contains(value.getDefiningOp());
  });
  for (Value output : from.outputs)
    price.bytesSaved += into.has(output) ? getBytes(output) : 0;
  return price;
}

} // namespace tandem
