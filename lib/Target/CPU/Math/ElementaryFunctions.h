//===- ElementaryFunctions.h - exp, log, tanh, erf, … -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_MATH_ELEMENTARYFUNCTIONS_H
#define TANDEM_LIB_TARGET_CPU_MATH_ELEMENTARYFUNCTIONS_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace tandem {

/// Adds patterns that expand math.exp, expm1, log, log1p, powf, tanh, erf, sin,
/// cos, asin, acos and atan on f32 and f64 and vectors of them. Results are
/// within 2 ULP for every argument, including NaN and infinities. The sums 1 +
/// erf(x) and 1 + tanh(x) are expanded as a whole, within 2 ULP of 1. `avx512`
/// says that the target has AVX-512.
void populateElementaryFunctionPatterns(mlir::RewritePatternSet &patterns,
                                        bool avx512);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MATH_ELEMENTARYFUNCTIONS_H
