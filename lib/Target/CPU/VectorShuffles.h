//===- VectorShuffles.h - Shuffles of whole vectors -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_VECTORSHUFFLES_H
#define TANDEM_LIB_TARGET_CPU_VECTORSHUFFLES_H

#include "mlir/IR/Builders.h"

namespace tandem {

/// Returns the elements of all `parts`, one part after another. The parts have
/// equal types, and their number is a power of two.
mlir::Value concatenate(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::SmallVector<mlir::Value> parts);

/// Returns the elements [first, first + count) of `vector`.
mlir::Value sliceVector(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value vector, int64_t first, int64_t count);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_VECTORSHUFFLES_H
