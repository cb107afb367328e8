//===- MemoryPlan.cpp - Slots to places in memory -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/MemoryPlan.h"

#include "StepOrder.h"

#include "tandem/Runtime/ProgramMemory.h"
#include "tandem/Runtime/Tensor.h"

#include <algorithm>
#include <numeric>

namespace tandem {
namespace {

/// Plans the slots of one program. A storage is the slots that share their
/// bytes, known by one of them, its root.
class Planner {
public:
  explicit Planner(Program &program)
      : program(program), parent(program.slots.size()),
        kinds(program.slots.size(), Kind::planned) {
    std::iota(parent.begin(), parent.end(), 0);
  }
  Status plan();

private:
  /// Who brings a storage's memory: this plan, the caller (inputs, constants),
  /// or the root, allocated when it is written (outputs).
  enum class Kind : uint8_t { planned, caller, output };

  void joinViews();
  void classify();
  Status findRanges();
  void joinInPlace(size_t index);
  bool mayJoin(const fb::StepT &step, size_t index,
               const fb::InPlace &pair) const;
  Status place();
  uint32_t root(uint32_t slot) const {
    while (parent[slot] != slot)
      slot = parent[slot];
    return slot;
  }

  Program &program;
  /// Towards the root; a root is its own parent.
  std::vector<uint32_t> parent;
  /// The roots when only views are joined.
  std::vector<uint32_t> viewed;
  /// By root.
  std::vector<Kind> kinds;
  std::vector<LiveRange> ranges;
};

/// A reshape's result is its operand.
void Planner::joinViews() {
  for (const auto &step : program.steps)
    if (step->op && step->op->kind == OpKind::reshape)
      parent[step->results[0]] = root(step->operands[0]);
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot)
    viewed.push_back(root(slot));
}

void Planner::classify() {
  for (uint32_t slot : program.outputs)
    kinds[root(slot)] = Kind::output;
  for (uint32_t slot : program.inputs)
    kinds[root(slot)] = Kind::caller;
  for (const auto &constant : program.constants)
    kinds[root(constant->slot)] = Kind::caller;
}

Status Planner::findRanges() {
  ranges.assign(program.slots.size(), {-1, -1, 0});
  int64_t total = 0;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const fb::StepT &step = *program.steps[i];
    for (uint32_t slot : step.operands)
      ranges[root(slot)].last = i;
    for (uint32_t slot : step.results) {
      LiveRange &range = ranges[root(slot)];
      if (range.first < 0)
        range.first = i;
      range.last = i;
      TANDEM_ASSIGN_OR_RETURN(
          range.bytes, checkedBytes(fromFlat(*program.slots[slot]->type)));
      if (__builtin_add_overflow(total, range.bytes + Allocator::kAlignment,
                                 &total))
        return fail("plan", "the bytes of all intermediates overflow");
    }
  }
  for (uint32_t slot : program.outputs)
    ranges[root(slot)].last = program.steps.size();
  return {};
}

/// Whether the result may take over the operand's memory: nobody else needs
/// that, and the kernel reads it nowhere but where it writes.
bool Planner::mayJoin(const fb::StepT &step, size_t index,
                      const fb::InPlace &pair) const {
  uint32_t from = root(step.operands[pair.operand()]);
  uint32_t to = root(step.results[pair.result()]);
  if (kinds[from] != Kind::planned || ranges[from].first < 0 ||
      ranges[from].last != static_cast<int64_t>(index) ||
      ranges[to].first != static_cast<int64_t>(index) ||
      ranges[from].bytes != ranges[to].bytes)
    return false;
  const std::vector<fb::InPlace> &legal =
      program.kernels[step.kernel]->in_place;
  for (uint32_t i = 0; i < step.operands.size(); ++i)
    if (root(step.operands[i]) == from &&
        std::none_of(legal.begin(), legal.end(), [&](fb::InPlace other) {
          return other.operand() == i && other.result() == pair.result();
        }))
      return false;
  return std::none_of(step.results.begin(), step.results.end(),
                      [&](uint32_t slot) { return root(slot) == from; });
}

void Planner::joinInPlace(size_t index) {
  const fb::StepT &step = *program.steps[index];
  if (step.op)
    return;
  for (const fb::InPlace &pair : program.kernels[step.kernel]->in_place) {
    if (!mayJoin(step, index, pair))
      continue;
    uint32_t from = root(step.operands[pair.operand()]);
    uint32_t to = root(step.results[pair.result()]);
    parent[from] = to;
    ranges[to].first = ranges[from].first;
  }
}

/// Gives storages that are planned a place in the arena or in an output's
/// memory before that is used.
Status Planner::place() {
  std::vector<LiveRange> planned;
  std::vector<Region> regions;
  std::vector<uint32_t> hosts;
  std::vector<size_t> position(program.slots.size());
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot) {
    if (root(slot) != slot || ranges[slot].first < 0)
      continue;
    if (kinds[slot] == Kind::planned) {
      position[slot] = planned.size();
      planned.push_back(ranges[slot]);
    } else if (kinds[slot] == Kind::output) {
      hosts.push_back(slot);
      regions.push_back({ranges[slot].bytes, ranges[slot].first});
    }
  }
  ArenaLayout layout = layOut(planned, regions);
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot) {
    fb::SlotT &place = *program.slots[slot];
    uint32_t storage = root(slot);
    place.host = place.arena_offset = -1;
    if (kinds[storage] == Kind::planned && ranges[storage].first >= 0) {
      size_t at = position[storage];
      place.arena_offset = layout.offsets[at];
      if (layout.regions[at] >= 0)
        place.host = hosts[layout.regions[at]];
    } else if (viewed[slot] != storage) { // In place of an output.
      place.arena_offset = 0;
      place.host = storage;
    }
  }
  program.arena_bytes = layout.bytes;
  program.planned = true;
  return {};
}

Status Planner::plan() {
  joinViews();
  classify();
  TANDEM_RETURN_IF_ERROR(findRanges());
  for (size_t i = 0; i < program.steps.size(); ++i)
    joinInPlace(i);
  return place();
}

} // namespace

Status planMemory(Program &program) {
  TANDEM_RETURN_IF_ERROR(Planner(program).plan());
  std::vector<uint32_t> order = orderByMemory(program);
  if (std::is_sorted(order.begin(), order.end()))
    return {};
  int64_t before = plannedPeakBytes(program);
  permuteSteps(program, order);
  TANDEM_RETURN_IF_ERROR(Planner(program).plan());
  if (plannedPeakBytes(program) < before)
    return {};
  std::vector<uint32_t> back(order.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    back[order[i]] = i;
  permuteSteps(program, back);
  return Planner(program).plan();
}

} // namespace tandem
