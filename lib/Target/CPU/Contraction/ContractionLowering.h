//===- ContractionLowering.h - Lowering kernels of contractions -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONLOWERING_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONLOWERING_H

#include "tandem/Target/CPU/ContractionStrategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tandem {

/// Finds the contraction of a kernel in phase `linalg`. Returns null if the
/// kernel has none.
mlir::Operation *findContraction(mlir::func::FuncOp kernel);

/// Lowers a kernel of a contraction, with its prologue, epilogue and windows,
/// to loops over register tiles (docs/Contractions.md). `streamedBytes` is
/// DeviceModel::streamedBytes. On failure a diagnostic has been emitted.
mlir::LogicalResult lowerContractionKernel(mlir::ModuleOp module,
                                           mlir::func::FuncOp kernel,
                                           CoreModel core,
                                           int64_t streamedBytes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_CONTRACTIONLOWERING_H
