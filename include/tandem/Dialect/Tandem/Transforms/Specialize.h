//===- Specialize.h - Static shapes for a signature -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_SPECIALIZE_H
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_SPECIALIZE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tandem {

/// Sets the argument types of `function` to `arguments`, one per argument, and
/// infers all other types anew. This is pass tandem-specialize as a function. A
/// dim of `arguments` may be dynamic if a dim of the same name is static.
/// Returns the number of op results whose type was refined. On failure an error
/// has been emitted at the argument or op, and the function is left partly
/// specialized.
mlir::FailureOr<int64_t>
specialize(mlir::func::FuncOp function,
           llvm::ArrayRef<mlir::RankedTensorType> arguments);

} // namespace tandem

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_SPECIALIZE_H
