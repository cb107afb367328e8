//===- IntegerDivision.h - Division of integer vectors ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_MATH_INTEGERDIVISION_H
#define TANDEM_LIB_TARGET_CPU_MATH_INTEGERDIVISION_H

#include "mlir/IR/PatternMatch.h"

namespace tandem {

/// Adds patterns for division of vectors of integers, for which
/// processors have no instruction. Integers of up to 32 bits are divided as
/// floats with at least twice as many bits. The truncated quotients are exact,
/// because a quotient that is not an integer differs from the next integer by
/// more than the rounding error. Division by constants is left to LLVM, which
/// multiplies instead.
///
/// If `avx512` is set, signed integers of 64 bits are divided as f64 too, and
/// the quotient is corrected with its remainder. AVX-512 has the instructions
/// that convert such integers.
void populateIntegerDivisionPatterns(mlir::RewritePatternSet &patterns,
                                     bool avx512);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MATH_INTEGERDIVISION_H
