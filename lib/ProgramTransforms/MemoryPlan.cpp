//===- MemoryPlan.cpp - Slots to places in memory -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/ProgramTransforms/MemoryPlan.h"

#include "StepOrder.h"
#include "Storage.h"

#include "tandem/Runtime/Program/ProgramMemory.h"

#include <algorithm>

namespace tandem {
namespace {

void setPlace(Program &program, uint32_t slot, SlotPlace place) {
  fb::SlotT &value = *program.slots[slot];
  value.host = static_cast<int32_t>(place.memory);
  value.arena_offset = place.offset;
}

void clearPlaces(Program &program) {
  for (const auto &slot : program.slots)
    slot->host = slot->arena_offset = -1;
}

/// Places slots that are in the storage of another value in the memory of the
/// storage's root.
void placeInRoots(Program &program, const Storages &storages) {
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot)
    if (const uint32_t root = storages.roots[slot];
        storages.values[slot] != root)
      setPlace(program, slot, {root, storages.offsets[slot]});
}

/// Places the result of each view where its operand is.
void placeViews(Program &program, const std::vector<bool> &areViews) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    if (!areViews[i])
      continue;
    const fb::StepT &step = *program.steps[i];
    const uint32_t operand = step.operands[0], result = step.results[0];
    SlotPlace place = placeOf(program, operand);
    place.offset += *findViewOffset(program, step);
    // A reshape of a slot with memory of its own has no place, either.
    if (step.op->kind == OpKind::slice ||
        program.slots[operand]->arena_offset >= 0)
      setPlace(program, result, place);
  }
}

/// Gives storages that are planned a place in the arena or in an output's
/// memory before that is used.
void place(Program &program, const Storages &storages) {
  std::vector<LiveRange> planned;
  std::vector<Region> regions;
  std::vector<uint32_t> hosts;
  std::vector<size_t> position(program.slots.size());
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot) {
    if (storages.roots[slot] != slot || storages.ranges[slot].first < 0)
      continue;
    if (storages.kinds[slot] == StorageKind::planned) {
      position[slot] = planned.size();
      planned.push_back(storages.ranges[slot]);
    } else if (storages.kinds[slot] == StorageKind::output) {
      hosts.push_back(slot);
      regions.push_back(
          {storages.ranges[slot].bytes, storages.ranges[slot].first});
    }
  }
  ArenaLayout layout = layOut(planned, regions);
  clearPlaces(program);
  placeInRoots(program, storages);
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot) {
    const uint32_t root = storages.roots[slot];
    if (storages.kinds[root] != StorageKind::planned ||
        storages.ranges[root].first < 0)
      continue;
    const size_t at = position[root];
    setPlace(program, slot,
             {layout.regions[at] < 0
                  ? SlotPlace::kArena
                  : static_cast<int64_t>(hosts[layout.regions[at]]),
              layout.offsets[at] + storages.offsets[slot]});
  }
  placeViews(program, storages.areViews);
  program.arena_bytes = layout.bytes;
  program.planned = true;
}

/// Lets slices and concats share memory, unless the layout then takes more
/// memory than is acceptable for copying less.
Status plan(Program &program) {
  TANDEM_ASSIGN_OR_RETURN(Storages shared, findStorages(program));
  place(program, shared);
  TANDEM_ASSIGN_OR_RETURN(
      Storages apart, findStorages(program, {.inPlace = true, .parts = false}));
  if (shared.roots == apart.roots)
    return {};
  const int64_t peak = plannedPeakBytes(program);
  place(program, apart);
  if (const int64_t least = plannedPeakBytes(program);
      peak <= least || mayRise(least, peak))
    place(program, shared);
  return {};
}

/// Plans the bodies of loops, each by itself: an iteration's memory is the
/// loop's. They use the program's kernels.
Status planBodies(Program &program) {
  for (const auto &step : program.steps) {
    if (!step->loop)
      continue;
    Program body;
    static_cast<fb::ProgramT &>(body) = std::move(*step->loop->body);
    body.kernels.swap(program.kernels);
    Status status = planMemory(body);
    body.kernels.swap(program.kernels);
    static_cast<fb::ProgramT &>(*step->loop->body) = std::move(body);
    TANDEM_RETURN_IF_ERROR(std::move(status));
  }
  return {};
}

} // namespace

Status placeParts(Program &program) {
  const auto isStatic = [&](const auto &slot) {
    return fromFlat(*slot->type).isStatic();
  };
  clearPlaces(program);
  if (!std::ranges::all_of(program.slots, isStatic)) {
    placeViews(program, findViewsOfInputs(program));
    return {};
  }
  TANDEM_ASSIGN_OR_RETURN(
      const Storages storages,
      findStorages(program, {.inPlace = false, .parts = true}));
  placeInRoots(program, storages);
  placeViews(program, storages.areViews);
  return {};
}

Status planMemory(Program &program) {
  TANDEM_RETURN_IF_ERROR(planBodies(program));
  orderUpdatesLast(program);
  TANDEM_RETURN_IF_ERROR(plan(program));
  std::vector<uint32_t> order = orderByMemory(program);
  if (std::is_sorted(order.begin(), order.end()))
    return {};
  int64_t before = plannedPeakBytes(program);
  permuteSteps(program, order);
  TANDEM_RETURN_IF_ERROR(plan(program));
  if (plannedPeakBytes(program) < before)
    return {};
  std::vector<uint32_t> back(order.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    back[order[i]] = i;
  permuteSteps(program, back);
  return plan(program);
}

} // namespace tandem
