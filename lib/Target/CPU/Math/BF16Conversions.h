//===- BF16Conversions.h - bf16 without instructions for it -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_MATH_BF16CONVERSIONS_H
#define TANDEM_LIB_TARGET_CPU_MATH_BF16CONVERSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace tandem {

/// Conversions to and from bf16, of scalars and vectors, as integer arithmetic
/// on f32: LLVM would call a function for each element, which not every libgcc
/// has, or take subnormal numbers for zeros, as the instruction of AVX-512 BF16
/// does. They round once, to nearest even, subnormal results too; NaN stays
/// NaN. Integers of more than 16 bits are not converted.
void populateBF16ConversionPatterns(mlir::RewritePatternSet &patterns);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MATH_BF16CONVERSIONS_H
