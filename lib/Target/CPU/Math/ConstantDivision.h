//===- ConstantDivision.h - Division by a constant ------------- -*- C++
//-*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_MATH_CONSTANTDIVISION_H
#define TANDEM_LIB_TARGET_CPU_MATH_CONSTANTDIVISION_H

#include "Math/ElementaryArithmetic.h"

#include <optional>

namespace tandem {

/// Divides floats of 32 bits by a constant with a multiplication and three
/// fused multiply-adds, which take 2 cycles where a division of 512 bits takes
/// 16 (Golden Cove) or 10 (Zen 4).
///
/// The quotient is correctly rounded, for these reasons. With the reciprocal in
/// two parts, y = RN(1/b) and z = RN(1/b - y), q = RN(x * y + RN(x * z)) is one
/// of the two floats next to x / b. The remainder r = x - q * b is then a
/// float, which a fused multiply-add computes without error, and RN(q + r * y)
/// is RN(x / b) (Markstein, "Computation of elementary functions on the IBM
/// RISC System/6000 processor", 1990, theorem 8.4). This does not hold for
/// quotients of a magnitude below 2^-30, whose remainder may be subnormal, and
/// for infinities and numbers near them.
class ConstantDivision {
public:
  /// Returns the division by `divisor`. Returns nothing unless the divisor is
  /// from 2^-60 to 2^60. Also returns nothing for powers of 2, because LLVM
  /// multiplies by their reciprocals.
  static std::optional<ConstantDivision> get(double divisor);

  /// Returns the float of least magnitude whose quotient, rounded to a float,
  /// has the sign of `quotient` and at least its magnitude, which is below
  /// 2^22.
  float findNumerator(double quotient) const;

  /// Emits the division of `x`, the magnitude of whose quotient is below 2^23.
  /// Quotients below 2^-30 are not exact, but remain below 2^-29.
  mlir::Value emit(const Arithmetic &arithmetic, mlir::Value x) const;

private:
  explicit ConstantDivision(float divisor);

  float divisor, reciprocal, rest;
};

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MATH_CONSTANTDIVISION_H
