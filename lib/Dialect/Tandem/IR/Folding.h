//===- Folding.h - Helpers of folders and patterns ------------ -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_IR_FOLDING_H
#define TANDEM_LIB_DIALECT_TANDEM_IR_FOLDING_H

#include "tandem/Dialect/Tandem/IR/BuildOp.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/PatternMatch.h"

namespace tandem::ir {

/// Whether all elements of a constant are `value`, exactly: -0.0 is not 0.0.
/// False for a null attribute.
bool isSplatOf(mlir::Attribute constant, double value);

/// The constant that defines `value`, if one does.
mlir::DenseElementsAttr getConstant(mlir::Value value);

/// Returns `value` if it has the type of `op`'s only result, so that it may
/// replace that result; otherwise null.
mlir::Value asResultOf(mlir::Operation *op, mlir::Value value);

/// Adds a pattern that makes declared result types as static as the inferred
/// ones.
void populateRefineResultTypes(mlir::RewritePatternSet &patterns);

/// Adds the folder of constants, which is the dialect's fallback for ops that
/// have no folder of their own.
void addConstantFolder(mlir::Dialect &dialect);

} // namespace tandem::ir

#endif // TANDEM_LIB_DIALECT_TANDEM_IR_FOLDING_H
