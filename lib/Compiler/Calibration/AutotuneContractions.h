//===- AutotuneContractions.h - Autotuning of contractions ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_CALIBRATION_AUTOTUNECONTRACTIONS_H
#define TANDEM_LIB_COMPILER_CALIBRATION_AUTOTUNECONTRACTIONS_H

#include "tandem/Tandem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tandem {

/// Times each convolution and matrix product of `function`, which must be
/// specialized and simplified, by itself on random data: once in a generated
/// kernel and once in the library. Leaves those ops to the library that it
/// computes faster (BackendChoice.h). Constant weights are constant in the
/// trial too. Each signature is timed once per process. Ops that cannot be
/// timed are left unchanged. Thread-safe.
void autotuneContractions(mlir::func::FuncOp function,
                          const CompileOptions &options);

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_CALIBRATION_AUTOTUNECONTRACTIONS_H
