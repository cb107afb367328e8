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

#include <optional>

namespace tandem::ir {

class LoopOp;

/// Creates the op that `op` describes: the inverse of
/// TandemOpInterface::getOpDesc. The op's shape rule infers the result types
/// from the operands, which must be Tandem tensors. If the shape rule rejects
/// the operands, emits an error at `location` and fails.
mlir::FailureOr<mlir::Operation *> buildOp(mlir::OpBuilder &builder,
                                           mlir::Location location,
                                           const OpDesc &op,
                                           mlir::ValueRange operands);

/// The parts of a loop whose body is in a region that belongs to no op yet. The
/// arguments of the body are the carried values and the slices. The body has no
/// terminator, and may use all values that are visible where the loop will be.
struct LoopParts {
  llvm::ArrayRef<mlir::Value> carried, scanned;
  /// The number of iterations of a loop that scans nothing.
  std::optional<int64_t> trips;
  /// One flag for each scanned operand and each stacked result, or none.
  llvm::ArrayRef<bool> reversed;
  mlir::Region &body;
  /// The next carried values, and a slice of each stacked result.
  llvm::ArrayRef<mlir::Value> yielded;
};

/// Creates a loop at the insertion point of `builder` and moves the body there.
/// Ops that are the same in all iterations are moved in front of the loop.
/// Constants that the body uses are copied into the body. Any other value from
/// outside becomes a fixed operand, for which `addArgument` adds an argument to
/// the body.
LoopOp
buildLoop(mlir::OpBuilder &builder, mlir::Location location,
          mlir::TypeRange results, const LoopParts &parts,
          llvm::function_ref<mlir::Value(mlir::Value captured)> addArgument);

/// The splat of `value` in a type that must be static.
mlir::DenseElementsAttr getSplat(mlir::Type type, double value);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_BUILDOP_H
