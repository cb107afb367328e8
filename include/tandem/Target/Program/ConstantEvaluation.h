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

/// Returns a program without inputs that computes `value` by `ops`, which must
/// be in order and include the constants. Fails with a located diagnostic where
/// an op has no step.
mlir::FailureOr<Program>
makeConstantProgram(mlir::Value value, llvm::ArrayRef<mlir::Operation *> ops);

/// Runs a program of makeConstantProgram and returns the value as an eager call
/// computes it.
Expected<Tensor> runConstantProgram(Program program);

/// Returns the elements of `value`: those of a constant, or of what an eager
/// program computes of constants. Returns nothing where `value` depends on more
/// than constants. Fails where that would move more than `mostBytes` bytes or
/// take as long (savedBytes), and where a constant cannot be read or the
/// program cannot be run; the message is what must follow the name of the
/// value.
Expected<std::optional<Tensor>> evaluateConstant(mlir::Value value,
                                                 double mostBytes);

} // namespace tandem

#endif // TANDEM_TARGET_PROGRAM_CONSTANTEVALUATION_H
