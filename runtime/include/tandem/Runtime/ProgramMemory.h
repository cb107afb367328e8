//===- ProgramMemory.h - Which bytes a Program holds when -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the memory plan and the executor must agree on.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAMMEMORY_H
#define TANDEM_RUNTIME_PROGRAMMEMORY_H

#include "tandem/Runtime/Program.h"

namespace tandem {

/// By step: the slots whose value nobody reads after it, in no order. Inputs,
/// constants and outputs are never among them.
std::vector<std::vector<uint32_t>> slotsDeadAfter(const Program &program);

/// Whether `step` is a reshape whose operand and result have one place: the
/// same bytes under another type, and nothing to execute.
bool isView(const Program &program, const fb::StepT &step);

/// The most bytes that one call holds at once beside inputs and constants: the
/// arena, slots that are allocated when written, or when another slot first
/// lives in them (until nobody reads them), and, while step i runs,
/// workspaces[i] bytes (none where there are fewer). The program is verified,
/// and slots that are allocated have static types.
int64_t plannedPeakBytes(const Program &program,
                         std::span<const int64_t> workspaces = {});

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAMMEMORY_H
