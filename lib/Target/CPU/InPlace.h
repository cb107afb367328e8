//===- InPlace.h - Results in the memory of operands ------------*- C++ -*-===//
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

/// The numbers of an operand and a result of a kernel that may share memory.
struct InPlacePair {
  unsigned operand, result;
};

/// The order in which the linalg.generics of a kernel run. Apart: each runs all
/// its loops before the next one begins, possibly on different threads.
/// PerIteration: all run for one iteration of the outermost loops, which they
/// share, before the next iteration begins.
enum class OpOrder { Apart, PerIteration };

/// Finds the pairs of `kernel`, which must be in linalg form. In a pair, the
/// result is computed by a linalg.generic with parallel loops (the only op of a
/// loop kernel, the epilogue of a contraction, or a last op of a reduction),
/// and its elements are as wide as the operand's. Only that op reads the
/// operand or, with PerIteration, also ops before it; each time as an input at
/// the place in memory that the same iteration writes. A lowering that computes
/// an element twice, or stores before it has loaded, must not use this.
llvm::SmallVector<InPlacePair> findInPlacePairs(mlir::func::FuncOp kernel,
                                                OpOrder order = OpOrder::Apart);

/// Store the pairs in, and read them from, the attribute kInPlaceAttrName.
/// Without pairs there is no attribute.
void setInPlacePairs(mlir::ModuleOp module, llvm::ArrayRef<InPlacePair> pairs);
llvm::SmallVector<InPlacePair> getInPlacePairs(mlir::ModuleOp module);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_INPLACE_H
