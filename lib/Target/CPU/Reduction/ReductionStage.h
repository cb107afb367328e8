//===- ReductionStage.h - What a linalg.generic reduces --------*- C++ -*-===//
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

/// Whether the result is what elements are combined to, and not one of each.
bool combines(mlir::OpOperand &output);

/// Checks that result `output` of a stage is known how to combine, or is stored
/// where the loops are; what reduces nothing must be returned by the kernel.
mlir::LogicalResult verifyStageOutput(mlir::OpOperand &output, bool isReturned);

/// A vector of what result `number` of `stage` starts from. Here and below it
/// is one that combines elements, verified.
mlir::Value createNeutral(mlir::OpBuilder &builder,
                          mlir::linalg::GenericOp stage, unsigned number,
                          int64_t lanes);
/// Two scalars, or vectors, as the result combines elements.
mlir::Value combine(mlir::OpBuilder &builder, mlir::linalg::GenericOp stage,
                    unsigned number, mlir::Value a, mlir::Value b);
/// Whether a result of `stage` is a sum of floats, which rounds at each
/// element.
bool addsFloats(mlir::linalg::GenericOp stage);
/// Combines the halves of a vector, whose length is a power of two, until there
/// are `lanes`; a scalar for one.
mlir::Value fold(mlir::OpBuilder &builder, mlir::linalg::GenericOp stage,
                 unsigned number, mlir::Value vector, int64_t lanes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_REDUCTION_REDUCTIONSTAGE_H
