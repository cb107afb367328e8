//===- ReverseMode.h - Gradients of the ops of a block ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_REVERSEMODE_H
#define TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_REVERSEMODE_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tandem {

/// Returns true if the value is a tensor of floats.
bool isOfFloats(mlir::Value value);

/// Builds the gradients of the values of a block, or of the body of a loop. Ops
/// are visited from the last to the first. Each op adds the gradients of its
/// operands, which it builds from those of its results.
class ReverseMode {
public:
  /// Gradients are built by `builder`.
  explicit ReverseMode(mlir::OpBuilder &builder) : builder(builder) {}

  /// Makes the values active: gradients with respect to them are built.
  void activate(mlir::ValueRange values) {
    active.insert(values.begin(), values.end());
  }
  bool isActive(mlir::Value value) const { return active.contains(value); }
  /// Makes the results of floats active of each op that reads an active value,
  /// if the op is in the range.
  void propagate(llvm::ArrayRef<mlir::Operation *> ops);

  /// Adds a gradient to a value.
  void add(mlir::Value value, mlir::Value gradient) {
    terms[value].push_back(gradient);
  }
  /// The gradient of a value: the sum of what the ops that read the value have
  /// added. Null if they have added nothing.
  mlir::Value gradientOf(mlir::Value value);

  /// Visits the ops in reverse order. Fails after an error at an op that has no
  /// gradient.
  llvm::LogicalResult visit(llvm::ArrayRef<mlir::Operation *> ops);

private:
  llvm::LogicalResult visit(mlir::Operation *op);
  llvm::LogicalResult visitCustomCall(ir::CustomCallOp call,
                                      llvm::ArrayRef<mlir::Value> gradients);
  mlir::Value sum(llvm::ArrayRef<mlir::Value> values, mlir::Location loc);

  mlir::OpBuilder &builder;
  llvm::DenseSet<mlir::Value> active;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> terms;
};

/// Builds a loop that computes the gradients of the active operands of `loop`
/// from those of its results, and adds them to `reverse`. Replaces `loop` by a
/// loop that also returns the carried values of all iterations. Null gradients
/// are zeros.
llvm::LogicalResult differentiateLoop(ir::LoopOp loop,
                                      llvm::ArrayRef<mlir::Value> gradients,
                                      mlir::OpBuilder &builder,
                                      ReverseMode &reverse);

} // namespace tandem

#endif // TANDEM_LIB_DIALECT_TANDEM_TRANSFORMS_REVERSEMODE_H
