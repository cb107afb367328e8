//===- MeasureContractions.h - Kernel or library, by trial ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_MEASURECONTRACTIONS_H
#define TANDEM_LIB_COMPILER_MEASURECONTRACTIONS_H

#include "tandem/Tandem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tandem {

/// Runs each convolution and matrix product of `function` (specialised,
/// simplified) by itself, as a kernel and as an op step, on random data, and
/// leaves those to the library that it computes faster (LibraryChoice.h).
/// Weights that are constant are constant in the trial, too. One signature is
/// tried once a process. What cannot be tried stays as it is. Thread-safe.
void measureContractions(mlir::func::FuncOp function,
                         const CompileOptions &options);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_MEASURECONTRACTIONS_H
