//===- IntegerDivision.h - Quotients of integers in vectors -----*- C++ -*-===//
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

/// Signed division of vectors of up to 32 bits as division of floats with at
/// least twice as many bits, whose quotients, cut off, are exact: a quotient
/// that is not an integer is further from the next one than rounding reaches.
/// No processor divides integers in vectors. Divisors that are constants are
/// left to LLVM, which multiplies.
///
/// With `avx512`, which converts integers of 64 bits, those are divided as f64,
/// too, and the quotient is corrected by its remainder.
void populateIntegerDivisionPatterns(mlir::RewritePatternSet &patterns,
                                     bool avx512);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MATH_INTEGERDIVISION_H
