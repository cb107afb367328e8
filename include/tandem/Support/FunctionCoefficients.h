//===- FunctionCoefficients.h - Polynomials of f32 functions ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coefficients of minimax polynomials, fitted by Lawson's algorithm. Each array
// starts with the coefficient of the highest power. Eager and compiled code use
// the same coefficients. With the polynomials P, Q, R and W:
//
//   exp(r) = 1 + r + r^2 P(r)                     for |r| <= log(2) / 2,
//   erf(x) = x + x Q(x^2)                         for |x| <= kErfSmall,
//   erf(x) = sign(x) (1 - exp(|x| R(|x|) - |x|))  for larger |x| <= kErfMost,
//   erfc(x) = exp(x W(x) - x)                     for 0 <= x <= kErfMost,
//
// kExpTail holds the coefficients of P, kErfTail those of Q, kErfcExponent
// those of R, and kErfcWholeExponent those of W. The fit of W minimizes the
// error divided by 2 - erfc(x). For x > kErfMost, erf(x) rounds to 1.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_FUNCTIONCOEFFICIENTS_H
#define TANDEM_SUPPORT_FUNCTIONCOEFFICIENTS_H

namespace tandem {

inline constexpr double kExpTail[] = {
    1.381432050778867e-3, 8.368851070799413e-3, 4.1668401085020665e-2,
    1.6666519524044832e-1, 4.999999337308007e-1};
inline constexpr float kErfSmall = 0.92f, kErfMost = 4.0f;
inline constexpr double kErfTail[] = {
    -5.999406415527346e-4, 4.994830416264444e-3,   -2.6767719979165612e-2,
    1.1281845952150138e-1, -3.7612496460005523e-1, 1.283791499618962e-1};
inline constexpr double kErfcExponent[] = {
    2.1398495612941286e-4,  -3.2149556378301206e-3, 2.288996422283513e-2,
    -1.0526184300129927e-1, -6.357183154693302e-1,  -1.2851436087055018e-1};
inline constexpr double kErfcWholeExponent[] = {
    -3.33995162654279e-5,  3.2452986332280815e-4, -1.081900074442246e-3,
    -4.589590132343187e-4, 1.951894196730076e-2,  -1.028917763161051e-1,
    -6.366031371039422e-1, -1.283799138204821e-1};

} // namespace tandem

#endif // TANDEM_SUPPORT_FUNCTIONCOEFFICIENTS_H
