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

/// The pairs of `kernel`, in linalg form: one linalg.generic of parallel loops
/// (all of the kernel, or the epilogue of a contraction) computes the result and
/// alone reads the operand, as an input that it indexes as it does the result,
/// of elements as wide. A lowering that computes an
/// element twice, or stores before it has loaded, must not use this.
llvm::SmallVector<InPlacePair> findInPlacePairs(mlir::func::FuncOp kernel);

/// The pairs as attribute kInPlaceAttrName; none where there are none.
void setInPlacePairs(mlir::ModuleOp module, llvm::ArrayRef<InPlacePair> pairs);
llvm::SmallVector<InPlacePair> getInPlacePairs(mlir::ModuleOp module);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_INPLACE_H
