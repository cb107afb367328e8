//===- SumIntegers.h - Sums of quantized numbers ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_SUMINTEGERS_H
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_SUMINTEGERS_H

#include "mlir/IR/Operation.h"

namespace tandem {

/// Sums integers instead of quantized numbers. In `root`, each sum or mean of
/// (q - z) * s, with integers q of 8 bits, a zero point z and one constant
/// scale s, becomes the sum of n differences q - z times s, or times s / n for
/// a mean. With one zero point, the integers q are summed in i32. The sums are
/// of at most 2^24 and therefore exact in f32. All tiers then have the same
/// bits, in whatever order they sum. Otherwise, a difference in the last bit
/// could become a whole step when the result is quantized again.
void sumIntegers(mlir::Operation *root);

} // namespace tandem

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_SUMINTEGERS_H
