//===- OpErrors.h - Rounding errors and jumps of ops ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the columns of the op table (OpTable.h) say about errors, as numbers.
// The two models of errors use these functions: the tolerances of certificates
// (runtime/engine/certificate) and the error bounds that the reference samples
// (runtime/eager/reference).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_OPERRORS_H
#define TANDEM_SUPPORT_OPERRORS_H

#include "tandem/Support/OpTable.h"
#include "tandem/Support/ShapeRules.h"

namespace tandem {

/// Returns the type in which arithmetic on floats of type `dtype` is done:
/// 16-bit floats are computed in f32.
constexpr DType computeType(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

/// The largest error of a function, as a multiple of the unit roundoff of the
/// type it is computed in: 4 units in the last place.
inline constexpr double kFunctionUnits = 8;

/// The largest relative error of rounding an f32 number to the 10 mantissa bits
/// of TF32.
inline constexpr double kTF32Unit = 0x1p-11;

/// Returns the largest relative error of an elementwise op whose operands are
/// exact, as a multiple of the unit roundoff of the type it is computed in. The
/// additional terms of Rounding::cancelling and Rounding::power are not
/// included. Returns 0 for Rounding::own.
double roundingUnits(Rounding rounding);

/// Returns OpInfo::jumps of `op`. If the table says Jumps::own, returns the
/// value for the attributes of `op` and this type of the result.
Jumps jumpsOf(const OpDesc &op, const TensorType &result);

/// Returns the distance between `x` and the nearest value at which an op with
/// one operand jumps; infinity for Jumps::never. `jumps` must be a kind that
/// depends on one element only, that is, not `atMultiples`, `whereEqual`,
/// `byRank` or `own`. If `x` is NaN, the result is NaN, or 0 for `everywhere`.
double distanceToJump(Jumps jumps, double x);

/// Returns true if a convolution may be computed from sums and differences of
/// its inputs and of its weights, which saves multiplications. The errors of an
/// element of the result are then relative to the largest inputs near its
/// window and not to the products that it sums up.
bool mayErrNormwise(const fb::ConvAttrsT &conv, const Shape &kernel,
                    DType result);

} // namespace tandem

#endif // TANDEM_SUPPORT_OPERRORS_H
