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

/// Adds patterns that expand conversions to and from bf16, of scalars and
/// vectors, to integer arithmetic on f32. LLVM would call a function for each
/// element, which not every libgcc has, or use the instruction of AVX-512 BF16,
/// which treats subnormal numbers as zeros. The expansions round once, to
/// nearest even, also to subnormal results; NaN stays NaN. Conversions of
/// integers of more than 16 bits are not expanded. Conversions of f64 to f16
/// are expanded to conversions of f32 to f16.
void populateBF16ConversionPatterns(mlir::RewritePatternSet &patterns,
                                    bool avx512);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MATH_BF16CONVERSIONS_H
