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

/// What a function is differentiated with respect to.
struct DifferentiateOptions {
  /// The arguments, which must be floats. If the list is empty, all arguments
  /// of floats.
  llvm::SmallVector<int64_t> wrt;
  /// The result that is the loss.
  int64_t loss = 0;
  /// Appends an argument of the type of the loss, whose elements the gradients
  /// of the loss's elements are multiplied by. If it is not set, the loss must
  /// have one element.
  bool hasSeed = false;
};

/// Returns the numbers of the arguments that `options` asks for: `wrt`, or those
/// of floats. Fails, after an error at the function, if there is no such
/// argument or if it is not of floats.
mlir::FailureOr<llvm::SmallVector<int64_t>>
findArguments(mlir::func::FuncOp function, const DifferentiateOptions &options);

/// Appends to the results of `function` the gradients of its loss with respect
/// to arguments, in the order of these. This is pass tandem-differentiate as a
/// function. Gradients have the types of the arguments. All types must be
/// static. On failure an error has been emitted at the function or at an op.
llvm::LogicalResult differentiate(mlir::func::FuncOp function,
                                  const DifferentiateOptions &options);

} // namespace tandem

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_DIFFERENTIATE_H
