//===- ProgramMemory.h - Lifetimes and peak memory of a Program -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that determine when the memory of a slot is in use. The memory planner
// and the executor share these rules.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAM_PROGRAMMEMORY_H
#define TANDEM_RUNTIME_PROGRAM_PROGRAMMEMORY_H

#include "tandem/Runtime/Program.h"

#include <optional>
#include <span>
#include <vector>

namespace tandem {

/// For each step, the slots whose last use is in this step, in no particular
/// order. A slot in which other slots are placed is in use until the last use
/// of those slots. The lists never contain inputs, constants or outputs.
std::vector<std::vector<uint32_t>> slotsDeadAfter(const Program &program);

/// The place where the value of a slot begins: `offset` bytes into `memory`,
/// which is the number of a slot with memory of its own, or kArena.
struct SlotPlace {
  static constexpr int64_t kArena = -1;
  int64_t memory, offset;
  bool operator==(const SlotPlace &) const = default;
};
SlotPlace placeOf(const fb::ProgramT &program, uint32_t slot);

/// If the result of `step` consists of consecutive bytes of its operand,
/// returns where these begin in the operand, in bytes. That is the case for
/// reshapes, and for slices of static types whose elements have no gaps between
/// them (findContiguousSlice), if the bytes begin at a multiple of
/// Allocator::kAlignment. The program must be verified.
std::optional<int64_t> findViewOffset(const fb::ProgramT &program,
                                      const fb::StepT &step);

/// Returns what findViewOffset returns, but only if the result is placed at
/// these bytes: the result is then a view of the operand, and executing the
/// step does nothing. The operand and the result of such a reshape have the
/// same place. The result of such a slice is placed in the memory of another
/// slot, `Slot.host`, at `Slot.arena_offset`.
std::optional<int64_t> viewOffset(const fb::ProgramT &program,
                                  const fb::StepT &step);
bool isView(const fb::ProgramT &program, const fb::StepT &step);

/// If `step` is a concat whose operands are consecutive bytes of the result,
/// returns where each of them begins in the result, in bytes
/// (findContiguousOperands), and otherwise an empty vector.
std::vector<int64_t> findConcatOffsets(const fb::ProgramT &program,
                                       const fb::StepT &step);

/// For each operand of `step`, whether its memory is already its part of the
/// result's memory, so that executing the step need not copy the operand. True
/// only for operands of a concat that the memory plan places in the memory of
/// the result.
std::vector<bool> findOperandsInPlace(const fb::ProgramT &program,
                                      const fb::StepT &step);

/// The largest number of bytes that a call holds at the same time, not counting
/// inputs and constants. The number includes the following:
///
/// - the arena;
/// - slots with memory of their own, from the first write to the slot, or to a
///   slot that is placed in its memory, until the last read;
/// - workspaces[i] bytes while step i runs, and none for steps beyond the end
///   of `workspaces`.
///
/// The caller provides the memory of the slots in `given`, which does not
/// count. The program must be verified, and all slots that are allocated must
/// have static types.
int64_t plannedPeakBytes(const Program &program,
                         std::span<const int64_t> workspaces = {},
                         std::span<const uint32_t> given = {});

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_PROGRAMMEMORY_H
