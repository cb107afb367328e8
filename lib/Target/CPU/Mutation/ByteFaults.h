//===- ByteFaults.h - Wrong products of 8-bit integers ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Faults that tandem-cpu-mutate-kernel inserts. Each function spoils place
// number `place`, from 0, of the places in `body` that it can spoil, or returns
// false if there are fewer.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_MUTATION_BYTEFAULTS_H
#define TANDEM_LIB_TARGET_CPU_MUTATION_BYTEFAULTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tandem {

/// Replaces the sum of the products that one instruction computes by zero: two
/// products of vpmaddwd, or four of vpdpbusd.
bool dropByteProducts(mlir::LLVM::LLVMFuncOp body, size_t place);
/// Clamps the sum of the products that one instruction computes to 16 bits, as
/// vpmaddubsw clamps its sums.
bool saturateProducts(mlir::LLVM::LLVMFuncOp body, size_t place);
/// Makes an op read signed bytes as unsigned ones, or unsigned as signed.
bool swapSign(mlir::LLVM::LLVMFuncOp body, size_t place);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MUTATION_BYTEFAULTS_H
