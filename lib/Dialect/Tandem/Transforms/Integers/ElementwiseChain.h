//===- ElementwiseChain.h - Chains of elementwise ops -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_INTEGERS_ELEMENTWISECHAIN_H
#define TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_INTEGERS_ELEMENTWISECHAIN_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tandem {

/// Clones elementwise ops, given in order, for tensors of another shape. An
/// operand that `mapping` does not have must have one element, and is reshaped
/// to a scalar. Returns the result of the last clone.
mlir::Value cloneForShape(mlir::OpBuilder &builder,
                          llvm::ArrayRef<mlir::Operation *> ops,
                          mlir::IRMapping &mapping,
                          llvm::ArrayRef<int64_t> shape);

} // namespace tandem

#endif // TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_INTEGERS_ELEMENTWISECHAIN_H
