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
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot) {
    fb::SlotT &place = *program.slots[slot];
    uint32_t storage = storages.roots[slot];
    place.host = place.arena_offset = -1;
    if (storages.kinds[storage] == StorageKind::planned &&
        storages.ranges[storage].first >= 0) {
      size_t at = position[storage];
      place.arena_offset = layout.offsets[at];
      if (layout.regions[at] >= 0)
        place.host = hosts[layout.regions[at]];
    } else if (storages.values[slot] != storage) { // In place of an output.
      place.arena_offset = 0;
      place.host = storage;
    }
  }
  program.arena_bytes = layout.bytes;
  program.planned = true;
}

Status plan(Program &program) {
  TANDEM_ASSIGN_OR_RETURN(Storages storages, findStorages(program));
  place(program, storages);
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
