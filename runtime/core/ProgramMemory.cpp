//===- ProgramMemory.cpp - Which bytes a Program holds when ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Program/ProgramMemory.h"

#include <algorithm>

using namespace tandem;

std::vector<std::vector<uint32_t>>
tandem::slotsDeadAfter(const Program &program) {
  std::vector<bool> kept(program.slots.size(), false);
  auto keep = [&](uint32_t slot) { kept[slot] = true; };
  std::for_each(program.inputs.begin(), program.inputs.end(), keep);
  std::for_each(program.outputs.begin(), program.outputs.end(), keep);
  for (const Constant &constant : program.constants)
    keep(constant.slot);
  std::vector<std::vector<uint32_t>> dead(program.steps.size());
  for (size_t i = program.steps.size(); i-- > 0;)
    for (const auto *slots :
         {&program.steps[i]->operands, &program.steps[i]->results})
      for (uint32_t slot : *slots)
        if (!kept[slot]) {
          keep(slot);
          dead[i].push_back(slot);
        }
  return dead;
}

bool tandem::isView(const Program &program, const fb::StepT &step) {
  if (!step.op || step.op->kind != OpKind::reshape)
    return false;
  const fb::SlotT &operand = *program.slots[step.operands[0]];
  const fb::SlotT &result = *program.slots[step.results[0]];
  return operand.arena_offset == result.arena_offset &&
         operand.host == result.host;
}

namespace {

/// The bytes held while a program runs, step by step.
class Replay {
public:
  Replay(const Program &program, std::span<const uint32_t> given)
      : program(program), owner(program.slots.size(), -1),
        values(program.slots.size(), 0), brought(program.slots.size()),
        isGiven(program.slots.size()), live(program.arena_bytes) {
    for (uint32_t slot : given)
      isGiven[slot] = true;
  }

  void write(const fb::StepT &step) {
    for (uint32_t slot : step.results) {
      if (isView(program, step))
        owner[slot] = owner[step.operands[0]];
      else if (isGiven[slot])
        owner[slot] = -1;
      else if (program.slots[slot]->arena_offset < 0)
        owner[slot] = bring(slot);
      else if (int32_t host = program.slots[slot]->host;
               host >= 0 && !isGiven[host])
        bring(host);
      if (owner[slot] >= 0)
        ++values[owner[slot]];
    }
  }
  void free(std::span<const uint32_t> dead) {
    for (uint32_t slot : dead)
      if (int64_t memory = owner[slot]; memory >= 0 && --values[memory] == 0)
        live -= bytes(memory);
  }
  int64_t liveBytes() const { return live; }

private:
  /// Allocates the memory of `slot` where that has not happened.
  int64_t bring(uint32_t slot) {
    if (!brought[slot])
      live += bytes(slot);
    brought[slot] = true;
    return slot;
  }
  int64_t bytes(uint32_t slot) const {
    return fromFlat(*program.slots[slot]->type).bytes();
  }

  const Program &program;
  /// By slot: the slot that brought the memory it is in; -1 for the arena and
  /// what is the caller's. And how many values are in what a slot brought.
  std::vector<int64_t> owner, values;
  std::vector<bool> brought, isGiven;
  int64_t live;
};

} // namespace

int64_t tandem::plannedPeakBytes(const Program &program,
                                 std::span<const int64_t> workspaces,
                                 std::span<const uint32_t> given) {
  Replay replay(program, given);
  int64_t peak = replay.liveBytes();
  std::vector<std::vector<uint32_t>> dead = slotsDeadAfter(program);
  for (size_t i = 0; i < program.steps.size(); ++i) {
    replay.write(*program.steps[i]);
    int64_t workspace = i < workspaces.size() ? workspaces[i] : 0;
    peak = std::max(peak, replay.liveBytes() + workspace);
    replay.free(dead[i]);
  }
  return peak;
}
