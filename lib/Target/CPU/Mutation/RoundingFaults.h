//===- RoundingFaults.h - Wrong roundings to 16 bits ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Faults of tandem-cpu-mutate-kernel. Each spoils place number `place`, from 0,
// of those in `body` that it can spoil, or returns false where there are fewer.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_MUTATION_ROUNDINGFAULTS_H
#define TANDEM_LIB_TARGET_CPU_MUTATION_ROUNDINGFAULTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tandem {

/// All ops of one kind in `body`, in their order.
template <typename Op>
llvm::SmallVector<Op> collect(mlir::LLVM::LLVMFuncOp body) {
  llvm::SmallVector<Op> ops;
  body.walk([&](Op op) { ops.push_back(op); });
  return ops;
}

/// A result that is read again in the kernel is not rounded.
bool skipRounding(mlir::LLVM::LLVMFuncOp body, size_t place);
/// What overflows f16 becomes its largest number.
bool saturate(mlir::LLVM::LLVMFuncOp body, size_t place);
/// Numbers from 2^15 on become infinite.
bool overflowEarly(mlir::LLVM::LLVMFuncOp body, size_t place);
/// Subnormal numbers of f16 become zeros.
bool flushSubnormals(mlir::LLVM::LLVMFuncOp body, size_t place);
/// Only two binary digits of the mantissa are kept.
bool roundCoarsely(mlir::LLVM::LLVMFuncOp body, size_t place);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MUTATION_ROUNDINGFAULTS_H
