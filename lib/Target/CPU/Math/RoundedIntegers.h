//===- RoundedIntegers.h - Converting rounded floats to integers -*- C++ -*-==//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_MATH_ROUNDEDINTEGERS_H
#define TANDEM_LIB_TARGET_CPU_MATH_ROUNDEDINTEGERS_H

#include "mlir/IR/PatternMatch.h"

namespace tandem {

/// Adds the pattern that replaces the conversion of a float of 32 bits to i32
/// if the float was rounded to even and clamped to a small range, as quantizing
/// does. An addition that rounds takes the place of math.roundeven and
/// arith.fptosi. If `fma` is set, multiplications and fused multiply-adds take
/// the place of a division by a constant before it. The results are the same.
void populateRoundedIntegerPatterns(mlir::RewritePatternSet &patterns,
                                    bool fma);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_MATH_ROUNDEDINTEGERS_H
