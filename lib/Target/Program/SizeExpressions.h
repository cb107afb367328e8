//===- SizeExpressions.h - Sizes that depend on inputs ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_PROGRAM_SIZEEXPRESSIONS_H
#define TANDEM_LIB_TARGET_PROGRAM_SIZEEXPRESSIONS_H

#include "tandem/Runtime/Program.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tandem {

/// Emits `tandem.sizes` of an op of `function` as the expressions of `step`, and
/// the dims that they refer to as the symbols of `program`.
mlir::LogicalResult emitSizes(mlir::Operation *op,
                              mlir::FunctionOpInterface function,
                              fb::StepT &step, fb::ProgramT &program);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_PROGRAM_SIZEEXPRESSIONS_H
