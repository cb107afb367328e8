//===- BuildOp.h - Ops from their descriptions ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_BUILDOP_H
#define TANDEM_DIALECT_TANDEM_IR_BUILDOP_H

#include "tandem/Support/ShapeRules.h"

#include "mlir/IR/Builders.h"

namespace tandem::ir {

/// Creates the op that `op` describes: the inverse of
/// TandemOpInterface::getOpDesc. Its result types follow from the operands,
/// which must be Tandem tensors, by the op's shape rule. Where they are wrong,
/// emits an error at `location` and fails.
mlir::FailureOr<mlir::Operation *> buildOp(mlir::OpBuilder &builder,
                                           mlir::Location location,
                                           const OpDesc &op,
                                           mlir::ValueRange operands);

/// The splat of `value` in a type that must be static.
mlir::DenseElementsAttr getSplat(mlir::Type type, double value);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_BUILDOP_H
