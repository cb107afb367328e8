//===- ProgramEmitter.h - Emitting functions as Programs --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_PROGRAM_PROGRAMEMITTER_H
#define TANDEM_TARGET_PROGRAM_PROGRAMEMITTER_H

#include "tandem/Runtime/Program.h"

#include "mlir/Support/LLVM.h"

#include "llvm/ADT/StringMap.h"

#include <string>

namespace mlir {
class Location;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace tandem {

/// The index in Program::kernels of each outlined kernel, by the symbol of its
/// module.
using KernelIndices = llvm::StringMap<int32_t>;

/// Emits `function` as a Program, op by op in order. A constant becomes a
/// constant slot, an op of the op table an op step, and a tandem.launch a
/// kernel step; the body of a fusion is emitted in its place. A function as
/// written gives the eager Program. A function after phase `kernels` gives the
/// compiled one, to which the caller adds the kernels and the memory plan.
///
/// Fails with a located diagnostic for an op that has no step, a type that a
/// slot cannot have, or a constant whose bytes overflow.
mlir::FailureOr<Program> emitProgram(mlir::func::FuncOp function,
                                     const KernelIndices &kernels = {});

/// Returns `file:line:col` of the first source location within `location`, or
/// an empty string if there is none.
std::string renderLocation(mlir::Location location);
/// Returns renderLocation of each location that is fused in `location`, in
/// order and without duplicates and empty strings.
std::vector<std::string> renderLocations(mlir::Location location);

} // namespace tandem

#endif // TANDEM_TARGET_PROGRAM_PROGRAMEMITTER_H
