//===- ByteFaults.h - Wrong products of 8-bit integers ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Faults of tandem-cpu-mutate-kernel, like those of RoundingFaults.h.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_MUTATION_BYTEFAULTS_H
#define TANDEM_LIB_TARGET_CPU_MUTATION_BYTEFAULTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tandem {

/// Two or four products that an instruction adds are not added.
bool dropByteProducts(mlir::LLVM::LLVMFuncOp body, size_t place);
/// The sum of the products of an instruction saturates at 16 bits, as that of
/// vpmaddubsw does.
bool saturateProducts(mlir::LLVM::LLVMFuncOp body, size_t place);
/// Signed bytes are read as unsigned ones, or unsigned as signed.
bool swapSign(mlir::LLVM::LLVMFuncOp body, size_t place);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MUTATION_BYTEFAULTS_H
