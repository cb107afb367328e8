//===- ProgramMemory.cpp - Which bytes a Program holds when ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Program/ProgramMemory.h"

#include "tandem/Runtime/Tensor.h"
#include "tandem/Support/ContiguousParts.h"

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
      for (int64_t slot : *slots)
        for (; slot >= 0 && !kept[slot]; slot = program.slots[slot]->host) {
          keep(slot);
          dead[i].push_back(slot);
        }
  return dead;
}

SlotPlace tandem::placeOf(const fb::ProgramT &program, uint32_t slot) {
  const fb::SlotT &value = *program.slots[slot];
  if (value.arena_offset < 0)
    return {slot, 0};
  return {value.host < 0 ? SlotPlace::kArena : value.host, value.arena_offset};
}

static TensorType typeOf(const fb::ProgramT &program, uint32_t slot) {
  return fromFlat(*program.slots[slot]->type);
}

static constexpr int64_t kAlignment = Allocator::kAlignment;

std::optional<int64_t> tandem::findViewOffset(const fb::ProgramT &program,
                                              const fb::StepT &step) {
  if (!step.op)
    return std::nullopt;
  if (step.op->kind == OpKind::reshape)
    return 0;
  const fb::SliceAttrsT *slice = step.op->attrs.AsSliceAttrs();
  if (!slice || !step.sizes.empty())
    return std::nullopt;
  const std::optional<int64_t> offset =
      findContiguousSlice(*slice, typeOf(program, step.operands[0]));
  return offset && *offset % kAlignment == 0 ? offset : std::nullopt;
}

std::optional<int64_t> tandem::viewOffset(const fb::ProgramT &program,
                                          const fb::StepT &step) {
  if (!step.op)
    return std::nullopt;
  const fb::SlotT &result = *program.slots[step.results[0]];
  if (step.op->kind == OpKind::reshape) {
    const fb::SlotT &operand = *program.slots[step.operands[0]];
    return operand.arena_offset == result.arena_offset &&
                   operand.host == result.host
               ? std::optional<int64_t>(0)
               : std::nullopt;
  }
  if (step.op->kind != OpKind::slice || result.arena_offset < 0)
    return std::nullopt;
  const std::optional<int64_t> offset = findViewOffset(program, step);
  if (!offset)
    return std::nullopt;
  SlotPlace begin = placeOf(program, step.operands[0]);
  begin.offset += *offset;
  return placeOf(program, step.results[0]) == begin ? offset : std::nullopt;
}

bool tandem::isView(const fb::ProgramT &program, const fb::StepT &step) {
  return viewOffset(program, step).has_value();
}

std::vector<int64_t> tandem::findConcatOffsets(const fb::ProgramT &program,
                                               const fb::StepT &step) {
  if (!step.op || step.op->kind != OpKind::concat)
    return {};
  std::vector<TensorType> operands;
  for (uint32_t slot : step.operands)
    operands.push_back(typeOf(program, slot));
  return findContiguousOperands(step.op->attrs.AsAxisAttrs()->axis, operands)
      .value_or(std::vector<int64_t>());
}

std::vector<bool> tandem::findOperandsInPlace(const fb::ProgramT &program,
                                              const fb::StepT &step) {
  std::vector<bool> areInPlace(step.operands.size(), false);
  const std::vector<int64_t> offsets = findConcatOffsets(program, step);
  for (size_t i = 0; i < offsets.size(); ++i) {
    SlotPlace part = placeOf(program, step.results[0]);
    part.offset += offsets[i];
    areInPlace[i] = placeOf(program, step.operands[i]) == part;
  }
  return areInPlace;
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
    const bool isView = tandem::isView(program, step);
    for (uint32_t slot : step.results) {
      const fb::SlotT &place = *program.slots[slot];
      if (isView)
        owner[slot] = owner[step.operands[0]];
      else if (place.arena_offset < 0)
        owner[slot] = bring(slot);
      else
        owner[slot] = place.host < 0 ? -1 : bring(place.host);
      // The slot that brought the memory has been counted then.
      if (owner[slot] >= 0 && owner[slot] != slot)
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
  /// Allocates the memory of `slot` where that has not happened. Returns the
  /// slot, or -1 if the memory is the caller's.
  int64_t bring(uint32_t slot) {
    if (isGiven[slot])
      return -1;
    if (!brought[slot]) {
      live += bytes(slot);
      values[slot] = 1;
    }
    brought[slot] = true;
    owner[slot] = slot;
    return slot;
  }
  int64_t bytes(uint32_t slot) const {
    return fromFlat(*program.slots[slot]->type).bytes();
  }

  const Program &program;
  /// `owner`: by slot, the slot that brought the memory that the slot is in; -1
  /// for memory of the arena or of the caller. `values`: by slot that brought
  /// memory, the number of values in that memory.
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
