//===- PlanWindows.cpp - Poolings in contractions' kernels ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanWindows.h"

#include "Prices.h"

#include "tandem/Analysis/Contraction/ContractionWindow.h"
#include "tandem/Dialect/Tandem/IR/TandemInterfaces.h"
#include "tandem/Dialect/Tandem/IR/Winograd.h"
#include "tandem/Runtime/Grain.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tandem {
namespace {

/// The largest part of a contraction's result that a task may keep in its
/// workspace, in bytes.
constexpr int64_t kMaxPartBytes = 512 << 10;

/// Winograd's method has to do with whole tiles; the direct one, which has not,
/// takes at least so many times as long.
constexpr double kDirectFactor = 2;

/// As a kernel that takes `heroNs` would share it out, but for the tile, which
/// is not known yet.
WindowChunks guessChunks(const DeviceModel &device,
                         const Contraction &contraction,
                         const ContractionWindow &window, int64_t elementBytes,
                         double heroNs) {
  constexpr int64_t kTileVectors = 4;
  int64_t width = std::max<int64_t>(device.vectorBits / 32, 1);
  bool areGroups = getContractionLanes(contraction) == ContractionLanes::Groups;
  WindowTasks tasks;
  tasks.elementBytes = elementBytes;
  tasks.outputs =
      areGroups ? contraction.groups
                : std::min(contraction.outputChannels, kTileVectors * width);
  if (!areGroups)
    tasks.columns =
        contraction.groups *
        llvm::divideCeilSigned(contraction.outputChannels, tasks.outputs);
  tasks.wanted = std::clamp<int64_t>(
      std::llround(heroNs * double(device.cores) / kGrainNs), 1,
      kMostWantedTasks);
  return chunkWindows(contraction, window, tasks);
}

/// What the kernel does more than once, or on fewer cores, in units of its
/// time.
double getRepeated(const DeviceModel &device, const Contraction &contraction,
                   const ContractionWindow &window,
                   const WindowChunks &chunks) {
  bool mayTransform = canUseWinograd(contraction) &&
                      matchPattern(contraction.weights, m_Constant());
  if (mayTransform && !window.fitsTiles(ir::winograd::kTile))
    return kDirectFactor - 1;
  int64_t rounds = llvm::divideCeilSigned(chunks.tasks, device.cores);
  double balance = double(chunks.tasks) / double(rounds * device.cores);
  return (1 + chunks.repeatedShare) / balance - 1;
}

FusionDecision checkReads(PlanState &state, FusionUnits::Id kernel,
                          Operation *op) {
  const OpFacts &facts = state.factsOf(op);
  // Those of a loop are fewer: they would be read again by the next windows.
  if (!facts.inLoop && facts.inLoop.reason() != FusionRefusal::TooManyReads)
    return facts.inLoop;
  if (!state.units.unitsOf(op).empty())
    return FusionDecision::refuse(FusionRefusal::Taken);
  state.units.updateOutputs(kernel);
  const auto &outputs = state.units[kernel].outputs;
  Value operand = op->getOperand(0);
  auto isOther = [&](Operation *user) { return user != op; };
  if (outputs.size() != 1 || outputs.front() != operand ||
      llvm::any_of(operand.getUsers(), isOther))
    return FusionDecision::refuse(FusionRefusal::NeededOutside);
  return state.checkAbsorb(kernel, op, facts.reads);
}

} // namespace

bool isWindow(Operation *op, const OpFacts &facts) {
  return facts.reads > 1 && facts.reads != kSharedWork &&
         !isa<ir::ContractionOpInterface>(op);
}

WindowAnswer askWindow(PlanState &state, FusionUnits::Id kernel, Operation *op,
                       Operation *hero, double heroNs) {
  WindowAnswer answer{checkReads(state, kernel, op), {}};
  Expected<Contraction> contraction = describeContraction(hero);
  if (!answer.decision || !contraction)
    return answer;
  Expected<ContractionWindow> window = describeWindow(op, *contraction);
  if (!window) {
    answer.decision = FusionDecision::refuse(FusionRefusal::AcrossTiles,
                                             window.error().message);
    return answer;
  }
  const DeviceModel &device = state.options.device;
  const OpFacts &facts = state.factsOf(op);
  Value operand = op->getOperand(0);
  int64_t elementBytes =
      getBytes(operand) / contraction->result.getNumElements();
  WindowChunks chunks =
      guessChunks(device, *contraction, *window, elementBytes, heroNs);
  answer.price =
      priceWindow(device, facts, getBytes(operand), chunks.partBytes,
                  heroNs * getRepeated(device, *contraction, *window, chunks));
  if (chunks.partBytes > kMaxPartBytes)
    answer.decision = FusionDecision::refuse(FusionRefusal::PartTooLarge,
                                             chunks.partBytes, kMaxPartBytes);
  else if (answer.price.fusedNs >= answer.price.unfusedNs)
    answer.decision = FusionDecision::refuse(FusionRefusal::RecomputeCostsMore,
                                             int64_t(answer.price.fusedNs),
                                             int64_t(answer.price.unfusedNs));
  return answer;
}

} // namespace tandem
