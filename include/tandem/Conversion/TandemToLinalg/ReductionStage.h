//===- ReductionStage.h - The reductions of a linalg.generic ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of kind reduction in linalg form is a sequence of stages, which are
// ops over the same loops. The loops over kept dims precede the loops over
// reduced dims (docs/Reductions.md). This header contains the checks and
// queries of stages that all targets share.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_CONVERSION_TANDEMTOLINALG_REDUCTIONSTAGE_H
#define TANDEM_CONVERSION_TANDEMTOLINALG_REDUCTIONSTAGE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tandem {

/// Whether the result is a reduction, i.e. combines elements. Other results
/// have one element for each point of the loops.
bool combines(mlir::OpOperand &output);

/// Checks that `stage` is a stage of a reduction kernel, given those before it.
/// `hasMemory` says whether a value is an argument of the kernel or returned by
/// it.
mlir::LogicalResult
verifyReductionStage(mlir::linalg::GenericOp stage,
                     llvm::ArrayRef<mlir::linalg::GenericOp> before,
                     llvm::function_ref<bool(mlir::Value)> hasMemory);

// Below, the result must combine elements and must have been verified.

/// The neutral element of result `number` of `stage`.
mlir::TypedAttr getNeutral(mlir::linalg::GenericOp stage, unsigned number);
/// The op that combines two elements of the result.
mlir::Operation *getCombiner(mlir::linalg::GenericOp stage, unsigned number);
/// Combines two scalars or two vectors as the result combines elements.
mlir::Value combine(mlir::OpBuilder &builder, mlir::linalg::GenericOp stage,
                    unsigned number, mlir::Value a, mlir::Value b);
/// Whether a result of `stage` is a sum of floats, whose additions round.
bool addsFloats(mlir::linalg::GenericOp stage);

/// Returns the loop along which memory is accessed contiguously. The loop is a
/// reduced loop or the last of the `numKept` kept loops. If a stage stores a
/// result of the full shape, that result determines the loop, because it is
/// stored in vectors. Otherwise, the loop is the one along which most elements
/// of operands are contiguous.
unsigned chooseContiguousLoop(llvm::ArrayRef<mlir::linalg::GenericOp> stages,
                              unsigned numLoops, unsigned numKept);

} // namespace tandem

#endif // TANDEM_CONVERSION_TANDEMTOLINALG_REDUCTIONSTAGE_H
