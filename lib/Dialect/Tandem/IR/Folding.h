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

/// Whether the elements of `value` are floats.
bool hasFloats(mlir::Value value);

/// The constant that defines `value`, if one does.
mlir::DenseElementsAttr getConstant(mlir::Value value);

/// Returns `value` if it has the type of `op`'s only result, so that it may
/// replace that result; otherwise null.
mlir::Value asResultOf(mlir::Operation *op, mlir::Value value);

/// Adds a pattern that makes declared result types as static as the inferred
/// ones.
void populateRefineResultTypes(mlir::RewritePatternSet &patterns);

/// Adds the folder of all ops: by the rules of Folds.def first, then of ops all
/// of whose operands are constants.
void addFolder(mlir::Dialect &dialect);

/// The operands of an op, as far as they are constants; the others are null.
using Operands = llvm::ArrayRef<mlir::Attribute>;

/// The rules of the folder. Each takes an op of its row's kind, and returns
/// what replaces the op's result, or that result itself where it has changed
/// the op in place; null where it does not apply.
namespace folds {
#define TANDEM_FOLD(OP, RULE)                                                  \
  mlir::OpFoldResult RULE(mlir::Operation *op, Operands operands);
#include "Folds.def"
} // namespace folds

/// A row of Folds.def.
struct FoldRule {
  llvm::StringLiteral op, name;
  mlir::TypeID id;
  mlir::OpFoldResult (*apply)(mlir::Operation *op, Operands operands);
};

/// All rows, in their order.
llvm::ArrayRef<FoldRule> getFoldRules();

} // namespace tandem::ir

#endif // TANDEM_LIB_DIALECT_TANDEM_IR_FOLDING_H
