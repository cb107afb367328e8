//===- LibraryCall.h - Contractions as calls of libraries -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_LIBRARYCALL_H
#define TANDEM_DIALECT_TANDEM_IR_LIBRARYCALL_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Support/Error.h"

#include "llvm/ADT/SmallVector.h"

namespace tandem::ir {

/// A contraction with its epilogue, in the form that libraries compute in one
/// call: activation(contraction + residual + bias).
struct LibraryCall {
  explicit LibraryCall(ContractionOpInterface contraction);

  /// Adds `op`, which reads `result`, to the epilogue. The message of the Error
  /// says why `op` cannot be part of an epilogue, as a clause that continues a
  /// sentence about the op.
  Status add(mlir::Operation *op);

  /// Returns the operands of the contraction, followed by the bias of a matmul,
  /// if any, and by the residual, if any.
  llvm::SmallVector<mlir::Value, 4> operands() const;

  ContractionOpInterface contraction;
  /// The last value of the call.
  mlir::Value result;
  /// A conv's own bias, or an added tensor with one element for each output
  /// channel or column, whose other dims are 1. Null where there is none.
  mlir::Value bias;
  /// An added tensor of the result's type. Null where there is none.
  mlir::Value residual;
  /// A relu, or a gelu by tanh. Null where there is none.
  mlir::Operation *activation = nullptr;

private:
  Status addOperand(AddOp op);
};

/// The call that a fusion of kind `library` stands for. The Error says which of
/// its ops does not fit.
Expected<LibraryCall> describeLibraryCall(FusionOp fusion);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_LIBRARYCALL_H
