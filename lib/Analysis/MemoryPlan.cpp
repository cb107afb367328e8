//===- MemoryPlan.cpp - Live ranges to arena offsets ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/MemoryPlan.h"

#include "tandem/Runtime/Tensor.h"

#include <algorithm>
#include <numeric>

namespace tandem {
namespace {

constexpr int64_t kAlignment = Allocator::kAlignment;

int64_t alignUp(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// The start of the smallest gap of at least `bytes` between `taken` (sorted by
/// offset, possibly overlapping), or the end of the last of them.
int64_t bestFit(std::span<const std::pair<int64_t, int64_t>> taken,
                int64_t bytes) {
  int64_t best = -1, bestGap = 0, end = 0;
  for (auto [offset, limit] : taken) {
    int64_t gap = offset - end;
    if (gap >= bytes && (best < 0 || gap < bestGap))
      best = end, bestGap = gap;
    end = std::max(end, limit);
  }
  return best < 0 ? end : best;
}

/// Plans the slots of one program.
class Planner {
public:
  explicit Planner(Program &program)
      : program(program), storage(program.slots.size()),
        fixed(program.slots.size()) {
    std::iota(storage.begin(), storage.end(), 0);
  }
  Status plan();

private:
  /// Joins the storage of reshapes with that of their operands.
  void joinViews();
  /// Marks what is not in the arena.
  void markFixed();
  Expected<std::vector<LiveRange>> liveRanges() const;
  uint32_t root(uint32_t slot) const {
    while (storage[slot] != slot)
      slot = storage[slot];
    return slot;
  }

  Program &program;
  /// Slot to the slot whose bytes it shares, towards the first of them.
  std::vector<uint32_t> storage;
  /// By slot; true where the storage is outside the arena.
  std::vector<bool> fixed;
};

void Planner::joinViews() {
  for (const auto &step : program.steps)
    if (step->op && step->op->kind == OpKind::reshape)
      storage[step->results[0]] = root(step->operands[0]);
}

void Planner::markFixed() {
  for (uint32_t slot : program.inputs)
    fixed[root(slot)] = true;
  for (const auto &constant : program.constants)
    fixed[root(constant->slot)] = true;
  for (uint32_t slot : program.outputs)
    fixed[root(slot)] = true;
}

Expected<std::vector<LiveRange>> Planner::liveRanges() const {
  std::vector<LiveRange> ranges(program.slots.size(), {-1, -1, 0});
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
          int64_t bytes, checkedBytes(fromFlat(*program.slots[slot]->type)));
      range.bytes = std::max(range.bytes, bytes);
    }
  }
  return ranges;
}

Status Planner::plan() {
  joinViews();
  markFixed();
  TANDEM_ASSIGN_OR_RETURN(std::vector<LiveRange> ranges, liveRanges());
  std::vector<LiveRange> planned;
  std::vector<int64_t> position(program.slots.size(), -1);
  int64_t total = 0;
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot) {
    if (root(slot) != slot || fixed[slot] || ranges[slot].first < 0)
      continue;
    if (__builtin_add_overflow(total, ranges[slot].bytes + kAlignment, &total))
      return fail("plan", "the bytes of all intermediates overflow");
    position[slot] = planned.size();
    planned.push_back(ranges[slot]);
  }
  ArenaLayout layout = layOut(planned);
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot) {
    int64_t at = position[root(slot)];
    program.slots[slot]->arena_offset = at < 0 ? -1 : layout.offsets[at];
  }
  program.arena_bytes = layout.bytes;
  return {};
}

} // namespace

ArenaLayout layOut(std::span<const LiveRange> ranges) {
  ArenaLayout layout;
  layout.offsets.resize(ranges.size());
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(-ranges[a].bytes, a) < std::pair(-ranges[b].bytes, b);
  });
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t i = 0; i < order.size(); ++i) {
    const LiveRange &range = ranges[order[i]];
    taken.clear();
    for (size_t other : std::span(order).first(i))
      if (range.overlaps(ranges[other]))
        taken.push_back({layout.offsets[other],
                         layout.offsets[other] + alignUp(ranges[other].bytes)});
    std::sort(taken.begin(), taken.end());
    int64_t offset = bestFit(taken, alignUp(range.bytes));
    layout.offsets[order[i]] = offset;
    layout.bytes = std::max(layout.bytes, offset + alignUp(range.bytes));
  }
  return layout;
}

Status planMemory(Program &program) { return Planner(program).plan(); }

} // namespace tandem
