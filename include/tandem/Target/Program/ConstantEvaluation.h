//===- ConstantEvaluation.h - Values of ops on constants --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_PROGRAM_CONSTANTEVALUATION_H
#define TANDEM_TARGET_PROGRAM_CONSTANTEVALUATION_H

#include "tandem/Runtime/Program.h"
#include "tandem/Support/Error.h"

#include "mlir/IR/Value.h"

#include <optional>

namespace tandem {

/// Whether `op` computes a value that can be computed once if its operands are
/// constants: an op of the op table with one result and static types.
bool canEvaluate(mlir::Operation *op);

/// Returns a program without inputs that computes `value` by running `ops`.
/// `ops` must include the constants, and each op must come after the ops whose
/// results it reads. Fails with a located diagnostic if an op cannot be a step.
mlir::FailureOr<Program>
makeConstantProgram(mlir::Value value, llvm::ArrayRef<mlir::Operation *> ops);

/// Runs a program of makeConstantProgram and returns the value as an eager call
/// computes it.
Expected<Tensor> runConstantProgram(Program program);

/// Returns the elements of `value`, which is a constant or is computed from
/// constants by an eager program. Returns nothing if `value` does not depend
/// only on constants. Fails if the computation would cost more than moving
/// `mostBytes` bytes (savedBytes), if a constant cannot be read, or if the
/// program cannot be run. The message of the Error is the predicate of a
/// sentence whose subject is the value.
Expected<std::optional<Tensor>> evaluateConstant(mlir::Value value,
                                                 double mostBytes);

} // namespace tandem

#endif // TANDEM_TARGET_PROGRAM_CONSTANTEVALUATION_H
