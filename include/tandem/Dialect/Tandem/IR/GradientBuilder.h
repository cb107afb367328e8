//===- GradientBuilder.h - Emitting the gradients of an op ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_GRADIENTBUILDER_H
#define TANDEM_DIALECT_TANDEM_IR_GRADIENTBUILDER_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tandem::ir {

/// Builds the gradients of one op, all of whose types are static.
///
/// The gradient of a value has the type of the value. Its elements are the
/// derivatives of one number, the loss, by the elements of the value. A null
/// Value stands for a gradient of zeros.
class GradientBuilder {
public:
  /// Builds the gradients of `op`. `results` has the gradients of its results.
  /// Gradients of an operand are passed to `add`, together with the index of
  /// the operand. `isWanted` tells for each operand whether its gradient is
  /// used.
  GradientBuilder(mlir::OpBuilder &builder, mlir::Operation *op,
                  llvm::ArrayRef<mlir::Value> results,
                  llvm::function_ref<bool(mlir::Value)> isWanted,
                  llvm::function_ref<void(unsigned, mlir::Value)> addGradient);

  /// The gradient of a result. It may be null if the op has several results.
  mlir::Value gradient(unsigned result = 0) const { return results[result]; }
  /// Returns true if the loss is differentiated with respect to the operand.
  bool isWanted(unsigned operand) const {
    return wants(op->getOperand(operand));
  }
  /// Adds a gradient to the operand. If the operand was broadcast, the gradient
  /// has the broadcast shape and is summed here. Null adds nothing.
  void add(unsigned operand, mlir::Value gradient);
  /// Emits an error at the op, with a hint that suggests a way to avoid the
  /// error.
  llvm::LogicalResult fail(const llvm::Twine &message, llvm::StringRef hint);

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

  /// Creates an op of the dialect and returns its first result. The result type
  /// is inferred.
  template <typename Op, typename... Args> mlir::Value create(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...)->getResult(0);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) { return create<AddOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return create<SubOp>(x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return create<MulOp>(x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return create<DivOp>(x, y); }
  mlir::Value neg(mlir::Value x) { return create<NegOp>(x); }
  mlir::Value mul(mlir::Value x, double factor) {
    return mul(x, scalar(factor, x));
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return create<SelectOp>(condition, x, y);
  }
  mlir::Value compare(ComparePredicate predicate, mlir::Value x,
                      mlir::Value y) {
    return create<CompareOp>(x, y, predicate);
  }
  mlir::Value cast(mlir::Value x, mlir::Type element) {
    return create<CastOp>(x, element);
  }
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  mlir::Value reduce(mlir::Value x, ReduceKind kind,
                     llvm::ArrayRef<int64_t> dims, bool keepDims);
  mlir::Value slice(mlir::Value x, llvm::ArrayRef<int64_t> starts,
                    llvm::ArrayRef<int64_t> limits,
                    llvm::ArrayRef<int64_t> strides);
  mlir::Value pad(mlir::Value x, llvm::ArrayRef<int64_t> low,
                  llvm::ArrayRef<int64_t> high,
                  llvm::ArrayRef<int64_t> interior);

  /// A number, as a tensor without dims of the element type of `like`.
  mlir::Value scalar(double number, mlir::Value like);
  /// A tensor whose elements are all `number`.
  mlir::Value splat(double number, mlir::RankedTensorType type);
  /// Sums `x` along the dims that broadcasting from `shape` added or repeated.
  mlir::Value sumTo(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  /// Returns a tensor of type `type` that is the sum of all elements of `x`,
  /// each at its index: element i of a line of `x` along `axis` is added to
  /// element indices[i] of the same line of the result. All other elements of
  /// the result are 0. `x` and `indices` (i64) have the same shape.
  mlir::Value addAlongLines(mlir::Value x, mlir::Value indices, int64_t axis,
                            mlir::RankedTensorType type);
  /// Reshapes the result of a reduction over `dims`: restores the removed dims
  /// with size 1. `rank` is the rank before the reduction.
  mlir::Value restoreDims(mlir::Value x, llvm::ArrayRef<int64_t> dims,
                          int64_t rank);
  /// Reshapes `x`, which has one element per index of dim `axis`, so that it
  /// broadcasts along the other dims of a tensor with `rank` dims.
  mlir::Value alongAxis(mlir::Value x, int64_t axis, int64_t rank);

private:
  mlir::OpBuilder &builder;
  mlir::Operation *op;
  mlir::Location loc;
  llvm::ArrayRef<mlir::Value> results;
  llvm::function_ref<bool(mlir::Value)> wants;
  llvm::function_ref<void(unsigned, mlir::Value)> addGradient;
};

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_GRADIENTBUILDER_H
