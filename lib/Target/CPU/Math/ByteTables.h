//===- ByteTables.h - Reading tables of bytes -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_MATH_BYTETABLES_H
#define TANDEM_LIB_TARGET_CPU_MATH_BYTETABLES_H

#include "mlir/IR/PatternMatch.h"

namespace tandem {

/// Adds the pattern that replaces tandem_cpu.look_up_bytes. With `vbmi`
/// (AVX-512 VBMI), the table is in four registers, and each of two vpermi2b
/// finds up to 64 bytes in two of the registers. Otherwise, if `shuffledBytes`
/// is not 0, vpshufb finds bytes in registers of that many bytes. Otherwise,
/// each byte takes a load.
void populateByteTablePatterns(mlir::RewritePatternSet &patterns, bool vbmi,
                               int64_t shuffledBytes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MATH_BYTETABLES_H
