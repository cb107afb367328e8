//===- InPlace.h - Results in the memory of operands -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_INPLACE_H
#define TANDEM_LIB_TARGET_CPU_INPLACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tandem {

/// Numbers of a kernel's operand and result that may be one memory.
struct InPlacePair {
  unsigned operand, result;
};

/// How the linalg.generics of a kernel follow each other: each runs all its
/// loops, maybe on another thread than the next; or all run for one iteration
/// of the loops that they share, the kernel's outermost, before the next one.
enum class OpOrder { Apart, PerIteration };

/// The pairs of `kernel`, in linalg form: one linalg.generic of parallel loops
/// (all of a loop kernel, the epilogue of a contraction, a last op of a
/// reduction) computes the result, of elements as wide as the operand's. The
/// operand is read by that op alone or, PerIteration, by ops before it, each
/// time as an input at the place in memory that the same loops write. A
/// lowering that computes an element twice, or stores before it has loaded,
/// must not use this.
llvm::SmallVector<InPlacePair> findInPlacePairs(mlir::func::FuncOp kernel,
                                                OpOrder order = OpOrder::Apart);

/// The pairs as attribute kInPlaceAttrName; none where there are none.
void setInPlacePairs(mlir::ModuleOp module, llvm::ArrayRef<InPlacePair> pairs);
llvm::SmallVector<InPlacePair> getInPlacePairs(mlir::ModuleOp module);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_INPLACE_H
