//===- Differentiate.h - Gradients of a function ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_DIFFERENTIATE_H
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_DIFFERENTIATE_H

#include "mlir/Support/LLVM.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tandem {

/// Options for differentiating a function: the loss, and the arguments with
/// respect to which the loss is differentiated.
struct DifferentiateOptions {
  /// The numbers of the arguments to differentiate with respect to. They must
  /// have a float element type. If the list is empty, the gradients of all
  /// float arguments are computed.
  llvm::SmallVector<int64_t> wrt;
  /// The result that is the loss.
  int64_t loss = 0;
  /// If true, an argument with the type of the loss is appended, the seed. The
  /// gradients are then those of sum(loss * seed), where `*` multiplies element
  /// by element. If false, the loss must have one element.
  bool hasSeed = false;
};

/// Returns the numbers of the arguments to differentiate with respect to: `wrt`
/// or, if `wrt` is empty, all float arguments. If an argument does not exist or
/// is not of floats, emits an error at the function and fails.
mlir::FailureOr<llvm::SmallVector<int64_t>>
findArguments(mlir::func::FuncOp function, const DifferentiateOptions &options);

/// Appends the gradients of the loss with respect to the chosen arguments to
/// the results of `function`, in the order of these arguments. This is pass
/// tandem-differentiate as a function. Gradients have the types of the
/// arguments. All types must be static. On failure an error has been emitted at
/// the function or at an op.
llvm::LogicalResult differentiate(mlir::func::FuncOp function,
                                  const DifferentiateOptions &options);

} // namespace tandem

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_DIFFERENTIATE_H
