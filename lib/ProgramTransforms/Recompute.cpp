//===- Recompute.cpp - Values computed again, not held --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One value after the other, each held at the step where most is held, as the
// live ranges say; the layout in memory, which is costlier to find, is asked at
// the end, for the best of the programs on the way.
//
//===----------------------------------------------------------------------===//

#include "tandem/ProgramTransforms/Recompute.h"

#include "Storage.h"

#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Support/ShapeRules.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <unordered_map>

namespace tandem {
namespace {

constexpr int kMaxValues = 32;
/// To compute one of them.
constexpr size_t kMaxSteps = 16;
constexpr double kCannotRecompute = std::numeric_limits<double>::infinity();

using Steps = std::vector<std::unique_ptr<fb::StepT>>;

Steps copyOf(const Steps &steps) {
  Steps copy;
  for (const auto &step : steps)
    copy.push_back(std::make_unique<fb::StepT>(*step));
  return copy;
}

/// What one run of a step costs.
double estimateStepNs(const Program &program, const fb::StepT &step,
                      const DeviceModel &device) {
  if (step.kernel >= 0) {
    const fb::KernelT &kernel = *program.kernels[step.kernel];
    return estimateNs(device, {double(kernel.flops), double(kernel.bytes)});
  }
  if (step.loop || step.op->kind == OpKind::custom_call)
    return kCannotRecompute;
  if (step.op->kind == OpKind::reshape)
    return 0;
  std::vector<TensorType> operands;
  operands.reserve(step.operands.size());
  for (uint32_t slot : step.operands)
    operands.push_back(fromFlat(*program.slots[slot]->type));
  OpCost work =
      cost(*step.op, operands, fromFlat(*program.slots[step.results[0]]->type));
  return estimateNs(device, {double(work.flops), double(work.bytes)});
}

bool computes(const fb::StepT &step, uint32_t slot) {
  return std::find(step.results.begin(), step.results.end(), slot) !=
         step.results.end();
}

/// Where a value is computed and read, as step numbers; views are the value.
struct Lifetime {
  int64_t definition = -1;
  /// Ascending.
  std::vector<int64_t> reads;
  int64_t last() const { return reads.empty() ? definition : reads.back(); }
};

/// The values of a program as it is now.
class Liveness {
public:
  Liveness(const Program &program, Storages found);

  /// The first step at which most bytes are held, and these.
  int64_t peakStep = 0, peakBytes = 0;
  /// Values that are held at that step, but neither computed nor read there;
  /// the largest first.
  std::vector<uint32_t> idleAtPeak() const;
  const Lifetime &of(uint32_t slot) const {
    return lifetimes[storages.values[slot]];
  }
  int64_t bytes(uint32_t slot) const {
    return storages.ranges[storages.roots[slot]].bytes;
  }
  bool isPlanned(uint32_t slot) const {
    return storages.kinds[storages.roots[slot]] == StorageKind::planned;
  }
  bool isCallers(uint32_t slot) const {
    return storages.kinds[storages.roots[slot]] == StorageKind::caller;
  }
  uint32_t value(uint32_t slot) const { return storages.values[slot]; }

private:
  void findPeak(size_t numSteps);

  Storages storages;
  /// By value.
  std::vector<Lifetime> lifetimes;
};

Liveness::Liveness(const Program &program, Storages found)
    : storages(std::move(found)), lifetimes(program.slots.size()) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const fb::StepT &step = *program.steps[i];
    if (storages.areViews[i])
      continue; // Reads nothing.
    for (uint32_t slot : step.operands)
      if (auto &reads = lifetimes[value(slot)].reads;
          reads.empty() || reads.back() != static_cast<int64_t>(i))
        reads.push_back(static_cast<int64_t>(i));
    for (uint32_t slot : step.results)
      lifetimes[value(slot)].definition = static_cast<int64_t>(i);
  }
  for (uint32_t slot : program.outputs)
    lifetimes[value(slot)].reads.push_back(
        static_cast<int64_t>(program.steps.size()));
  findPeak(program.steps.size());
}

void Liveness::findPeak(size_t numSteps) {
  std::vector<int64_t> change(numSteps + 1, 0);
  for (uint32_t slot = 0; slot < storages.roots.size(); ++slot) {
    const LiveRange &range = storages.ranges[slot];
    if (storages.roots[slot] != slot || range.first < 0 ||
        storages.kinds[slot] == StorageKind::caller)
      continue;
    change[range.first] += range.bytes;
    if (range.last < static_cast<int64_t>(numSteps))
      change[range.last + 1] -= range.bytes;
  }
  int64_t held = 0;
  for (size_t i = 0; i < numSteps; ++i) {
    held += change[i];
    if (held > peakBytes)
      peakStep = static_cast<int64_t>(i), peakBytes = held;
  }
}

std::vector<uint32_t> Liveness::idleAtPeak() const {
  std::vector<uint32_t> idle;
  for (uint32_t slot = 0; slot < lifetimes.size(); ++slot) {
    const Lifetime &life = lifetimes[slot];
    if (value(slot) == slot && isPlanned(slot) && life.definition >= 0 &&
        life.definition < peakStep && life.last() > peakStep &&
        !std::binary_search(life.reads.begin(), life.reads.end(), peakStep))
      idle.push_back(slot);
  }
  std::stable_sort(idle.begin(), idle.end(),
                   [&](uint32_t a, uint32_t b) { return bytes(a) > bytes(b); });
  return idle;
}

/// The steps that compute one value again before step `use`.
class Chain {
public:
  Chain(Program &program, const Liveness &liveness, const DeviceModel &device,
        uint32_t value, int64_t use)
      : program(program), liveness(liveness), device(device), value(value),
        use(use) {}

  /// Whether they can be found, and cost at most `budget`; sets `ns`.
  bool collect(double budget);
  /// Puts them into the program, and what they compute into the steps from
  /// `use` on.
  std::vector<Recomputation::Step> insert();

  double ns = 0;

private:
  bool add(uint32_t slot);
  bool isThere(uint32_t slot) const;
  void findMoved();
  bool isMoved(int64_t number) const {
    return std::find(moved.begin(), moved.end(), number) != moved.end();
  }
  /// A slot like `slot`.
  uint32_t addCopy(uint32_t slot) {
    program.slots.push_back(std::make_unique<fb::SlotT>(*program.slots[slot]));
    return program.slots.size() - 1;
  }
  uint32_t rename(uint32_t slot) const {
    auto it = renamed.find(slot);
    return it == renamed.end() ? slot : it->second;
  }

  Program &program;
  const Liveness &liveness;
  const DeviceModel &device;
  uint32_t value;
  int64_t use;
  /// Numbers of steps, in the order in which they run; and those among them
  /// that need not run before as well, for nobody reads their results there.
  std::vector<int64_t> steps, moved;
  std::unordered_map<uint32_t, uint32_t> renamed;
};

/// Whether the slot is held at `use` anyway, or is worth being held.
bool Chain::isThere(uint32_t slot) const {
  if (liveness.isCallers(slot))
    return true;
  if (liveness.value(slot) == value)
    return false;
  return liveness.of(slot).last() >= use ||
         liveness.bytes(slot) * 2 <= liveness.bytes(value);
}

/// The step that computes `slot`, after those that it needs.
bool Chain::add(uint32_t slot) {
  auto found =
      std::find_if(program.steps.begin(), program.steps.end(),
                   [&](const auto &step) { return computes(*step, slot); });
  if (found == program.steps.end())
    return false;
  int64_t number = found - program.steps.begin();
  if (std::find(steps.begin(), steps.end(), number) != steps.end())
    return true;
  for (uint32_t operand : (*found)->operands)
    if (!isThere(operand) && !add(operand))
      return false;
  steps.push_back(number);
  return steps.size() <= kMaxSteps;
}

void Chain::findMoved() {
  for (auto number = steps.rbegin(); number != steps.rend(); ++number) {
    bool isRead = false;
    for (int64_t i = *number + 1; i < use && !isRead; ++i)
      isRead =
          !isMoved(i) &&
          std::any_of(program.steps[i]->operands.begin(),
                      program.steps[i]->operands.end(), [&](uint32_t slot) {
                        return computes(*program.steps[*number], slot);
                      });
    bool isReturned = std::any_of(
        program.outputs.begin(), program.outputs.end(),
        [&](uint32_t slot) { return computes(*program.steps[*number], slot); });
    if (!isRead && !isReturned)
      moved.push_back(*number);
  }
}

/// The value itself, and its views that are read later; a view that is made
/// later is made of what is computed again.
bool Chain::collect(double budget) {
  auto later = std::span(program.steps).subspan(use);
  for (const auto &step : later)
    for (uint32_t slot : step->operands) {
      if (liveness.value(slot) != value)
        continue;
      bool isMadeLater =
          std::any_of(later.begin(), later.end(), [&](const auto &other) {
            return computes(*other, slot);
          });
      if (!isMadeLater && !add(slot))
        return false;
    }
  findMoved();
  for (int64_t number : steps)
    if (!isMoved(number))
      ns += estimateStepNs(program, *program.steps[number], device);
  return !steps.empty() && ns <= budget;
}

std::vector<Recomputation::Step> Chain::insert() {
  std::vector<Recomputation::Step> report;
  Steps again;
  for (int64_t number : steps) {
    auto step = std::make_unique<fb::StepT>(*program.steps[number]);
    for (uint32_t &slot : step->operands)
      slot = rename(slot);
    if (!isMoved(number)) {
      for (uint32_t &slot : step->results)
        slot = renamed[slot] = addCopy(slot);
      report.push_back({step->location, liveness.bytes(value),
                        estimateStepNs(program, *step, device)});
    }
    again.push_back(std::move(step));
  }
  for (size_t i = use; i < program.steps.size(); ++i)
    for (uint32_t &slot : program.steps[i]->operands)
      slot = rename(slot);
  program.steps.insert(program.steps.begin() + use,
                       std::make_move_iterator(again.begin()),
                       std::make_move_iterator(again.end()));
  std::sort(moved.begin(), moved.end(), std::greater());
  for (int64_t number : moved)
    program.steps.erase(program.steps.begin() + number);
  return report;
}

class Recomputer {
public:
  Recomputer(Program &program, const DeviceModel &device,
             RecomputeLimits limits);
  Expected<Recomputation> run();

private:
  Expected<bool> recomputeOne(const Liveness &liveness);
  /// Sets the steps, and with them the slots, back.
  void restore(const Steps &steps, size_t numSlots);

  Program &program;
  const DeviceModel &device;
  RecomputeLimits limits;
  double budget = 0;
  std::vector<Recomputation::Step> taken;
};

Recomputer::Recomputer(Program &program, const DeviceModel &device,
                       RecomputeLimits limits)
    : program(program), device(device), limits(limits) {
  for (const auto &step : program.steps)
    if (double ns = estimateStepNs(program, *step, device);
        ns != kCannotRecompute)
      budget += ns * limits.maxTimeShare;
}

Expected<bool> Recomputer::recomputeOne(const Liveness &liveness) {
  for (uint32_t value : liveness.idleAtPeak()) {
    const std::vector<int64_t> &reads = liveness.of(value).reads;
    int64_t use =
        *std::upper_bound(reads.begin(), reads.end(), liveness.peakStep);
    Chain chain(program, liveness, device, value, use);
    if (!chain.collect(budget))
      continue;
    budget -= chain.ns;
    for (Recomputation::Step &step : chain.insert())
      taken.push_back(std::move(step));
    return true;
  }
  return false;
}

void Recomputer::restore(const Steps &steps, size_t numSlots) {
  program.steps = copyOf(steps);
  program.slots.resize(numSlots);
}

Expected<Recomputation> Recomputer::run() {
  const Steps before = copyOf(program.steps);
  const size_t numSlots = program.slots.size();
  const int64_t peakBefore = plannedPeakBytes(program);
  Steps best;
  size_t bestSlots = 0, bestTaken = 0;
  int64_t leastHeld = std::numeric_limits<int64_t>::max();
  bool isChanged = false;
  for (int i = 0; i <= kMaxValues; ++i) {
    TANDEM_ASSIGN_OR_RETURN(
        Storages storages,
        findStorages(program, {.inPlace = true, .parts = false}));
    Liveness liveness(program, std::move(storages));
    if (liveness.peakBytes < leastHeld) {
      leastHeld = liveness.peakBytes;
      best = copyOf(program.steps);
      bestSlots = program.slots.size();
      bestTaken = taken.size();
    }
    TANDEM_ASSIGN_OR_RETURN(bool isLower, recomputeOne(liveness));
    if (!isLower)
      break;
    isChanged = true;
  }
  if (!isChanged)
    return Recomputation();
  restore(best, bestSlots);
  taken.resize(bestTaken);
  TANDEM_RETURN_IF_ERROR(planMemory(program));
  int64_t saved = peakBefore - plannedPeakBytes(program);
  double least = taken.empty() ? 0 : limits.minPeakShare * double(peakBefore);
  if (saved > 0 && double(saved) >= least)
    return Recomputation{std::move(taken), saved};
  restore(before, numSlots);
  TANDEM_RETURN_IF_ERROR(planMemory(program));
  return Recomputation();
}

} // namespace

Expected<Recomputation> recomputeForMemory(Program &program,
                                           const DeviceModel &device,
                                           RecomputeLimits limits) {
  return Recomputer(program, device, limits).run();
}

} // namespace tandem
