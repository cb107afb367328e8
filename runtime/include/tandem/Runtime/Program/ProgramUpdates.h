//===- ProgramUpdates.h - Outputs in the place of inputs --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An output of a program may update an input (Program::updates): a call writes
// the output to the memory of the input, such as new weights over the old ones.
// The memory planner and the executor share the rules below.
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

/// Returns, for each slot, the slot that owns its memory: for a view (isView),
/// or a view of a view, the slot at the beginning of the chain, and for any
/// other slot, the slot itself. A view may be a part of the root.
std::vector<uint32_t> findViewRoots(const fb::ProgramT &program);

/// For each update of the program, the step that may write the output directly
/// to the memory of the input. The entry is empty if a run must compute the
/// output elsewhere and copy it at the end. That is the case if one of the
/// following holds:
///
/// - no step computes the output;
/// - the memory plan gives the output an offset in other memory, or makes steps
///   write other slots to the memory of the output;
/// - a later step reads the old value, or another output has it;
/// - the step itself reads the old value and cannot compute in place. A kernel
///   can if Kernel.in_place has the pair of operand and result, and an
///   elementwise op can if it does not broadcast the operand. A step that reads
///   a view of a part of the old value cannot.
std::vector<std::optional<size_t>> findOverwrites(const Program &program);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_PROGRAMUPDATES_H
