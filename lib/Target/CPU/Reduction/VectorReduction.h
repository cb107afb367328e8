//===- VectorReduction.h - Reductions in vector registers -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_REDUCTION_VECTORREDUCTION_H
#define TANDEM_LIB_TARGET_CPU_REDUCTION_VECTORREDUCTION_H

#include "tandem/Conversion/TandemToLinalg/ReductionStage.h"

namespace tandem {

/// Creates a vector of the neutral element of result `number` of `stage`.
mlir::Value createNeutral(mlir::OpBuilder &builder,
                          mlir::linalg::GenericOp stage, unsigned number,
                          int64_t lanes);
/// Combines the halves of a vector, whose length must be a power of two, until
/// `lanes` lanes are left. The result is a scalar if that is one.
mlir::Value fold(mlir::OpBuilder &builder, mlir::linalg::GenericOp stage,
                 unsigned number, mlir::Value vector, int64_t lanes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_REDUCTION_VECTORREDUCTION_H
