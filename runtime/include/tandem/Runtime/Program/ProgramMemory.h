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

namespace tandem {

/// For each step, the slots whose value no later step reads, in no particular
/// order. The lists never contain inputs, constants or outputs.
std::vector<std::vector<uint32_t>> slotsDeadAfter(const Program &program);

/// True if `step` is a reshape whose operand and result have the same place in
/// memory. Executing such a step does nothing, because the result consists of
/// the same bytes with another type.
bool isView(const Program &program, const fb::StepT &step);

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
