//===- Requantization.h - Quantizing scaled sums ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_REQUANTIZATION_H
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_REQUANTIZATION_H

#include "mlir/IR/Operation.h"

namespace tandem {

/// Divides scales and biases ahead of time. In `root`, each
///
///   round((sum * scale + bias) / divisor)
///
/// of sums of i32, where the divisor is a number and the others are constants,
/// becomes round(sum * (scale / divisor) + (bias / divisor)). The bias may be
/// missing. Likewise, each
///
///   round((a * scaleA + b * scaleB) / divisor)
///
/// of integers of 8 bits minus zero points, such as a residual sum, becomes
/// round(a * (scaleA / divisor) + b * (scaleB / divisor)). A relu may be in
/// front of the division. The operand of `round` differs by a few roundings.
/// The result therefore differs by at most 1, and only where the operand is
/// very close to the middle between two integers.
void divideScales(mlir::Operation *root);

} // namespace tandem

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_REQUANTIZATION_H
