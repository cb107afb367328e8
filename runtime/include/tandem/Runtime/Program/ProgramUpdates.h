//===- ProgramUpdates.h - Outputs in the place of inputs --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may have outputs that take the place of inputs, such as the new
// weights of a training step (Program::updates). The memory planner and the
// executor share the rules below.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAM_PROGRAMUPDATES_H
#define TANDEM_RUNTIME_PROGRAM_PROGRAMUPDATES_H

#include "tandem/Runtime/Program.h"

#include <optional>
#include <vector>

namespace tandem {

/// Checks that each update of the program names an input and an output that
/// exist and have the same type, and that no update names an input or an output
/// that another update names. `verify` calls this function.
Status verifyUpdates(const fb::ProgramT &program);

/// The slot that the memory of each slot belongs to: the slot itself, or the
/// first operand of a chain of views (isView).
std::vector<uint32_t> findViewRoots(const Program &program);

/// For each update of the program, the step that may write the output directly
/// to the memory of the input. The entry is empty if a run must compute the
/// output elsewhere and copy it at the end. That is the case if one of the
/// following holds:
///
/// - no step computes the output, or the output has a planned place in memory,
///   or is the place of other slots;
/// - a later step, or an output, reads the old value;
/// - the step itself reads the old value, and may not compute in place: only
///   kernels (Kernel.in_place) and elementwise ops without broadcasting may.
std::vector<std::optional<size_t>> findOverwrites(const Program &program);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_PROGRAMUPDATES_H
