//===- ProgramMemory.h - Lifetimes and peak memory of a Program -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules on when a slot's memory is in use, which the memory planner and the
// executor share.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAMMEMORY_H
#define TANDEM_RUNTIME_PROGRAMMEMORY_H

#include "tandem/Runtime/Program.h"

namespace tandem {

/// For each step, the slots whose value no later step reads, in no particular
/// order. Inputs, constants and outputs are never among them.
std::vector<std::vector<uint32_t>> slotsDeadAfter(const Program &program);

/// Whether `step` is a reshape whose operand and result have the same place in
/// memory. Such a step has nothing to execute: its result is the same bytes
/// under another type.
bool isView(const Program &program, const fb::StepT &step);

/// The most bytes that one call holds at once beside inputs and constants. It
/// counts the arena; slots with memory of their own, from the time when they,
/// or another slot that is placed in them, are first written until nobody reads
/// them any more; and workspaces[i] bytes while step i runs (none for steps
/// beyond the end of `workspaces`). The program must be verified, and slots
/// that are allocated must have static types.
/// The memory of the slots in `given` is the caller's and does not count.
int64_t plannedPeakBytes(const Program &program,
                         std::span<const int64_t> workspaces = {},
                         std::span<const uint32_t> given = {});

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAMMEMORY_H
