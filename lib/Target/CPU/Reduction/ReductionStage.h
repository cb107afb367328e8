//===- ReductionStage.h - The reductions of a linalg.generic ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONSTAGE_H
#define TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONSTAGE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tandem {

/// Whether the result combines elements (a reduction), instead of having one
/// element for each.
bool combines(mlir::OpOperand &output);

/// Checks that result `output` of a stage either combines elements in a
/// supported way or is stored at the index of the loops. A result that combines
/// nothing must be returned by the kernel.
mlir::LogicalResult verifyStageOutput(mlir::OpOperand &output, bool isReturned);

/// Creates a vector of the neutral element of result `number` of `stage`. Here
/// and below, the result must combine elements and must have been verified.
mlir::Value createNeutral(mlir::OpBuilder &builder,
                          mlir::linalg::GenericOp stage, unsigned number,
                          int64_t lanes);
/// Combines two scalars or two vectors as the result combines elements.
mlir::Value combine(mlir::OpBuilder &builder, mlir::linalg::GenericOp stage,
                    unsigned number, mlir::Value a, mlir::Value b);
/// Whether a result of `stage` is a sum of floats, whose additions round.
bool addsFloats(mlir::linalg::GenericOp stage);
/// Combines the halves of a vector, whose length must be a power of two, until
/// `lanes` lanes are left. The result is a scalar if that is one.
mlir::Value fold(mlir::OpBuilder &builder, mlir::linalg::GenericOp stage,
                 unsigned number, mlir::Value vector, int64_t lanes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONSTAGE_H
