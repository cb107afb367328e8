//===- OpErrors.h - Rounding errors and jumps of ops ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about the rounding errors of each op, for given types and attributes:
// the columns of the op table (OpTable.h), converted to numbers. Both error
// models are derived from these facts: the tolerances of certificates
// (runtime/engine/certificate) and the error bounds that the reference samples
// (runtime/eager/reference).
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_OPERRORS_H
#define TANDEM_SUPPORT_OPERRORS_H

#include "tandem/Support/Choices.h"
#include "tandem/Support/OpTable.h"
#include "tandem/Support/ShapeRules.h"

#include <limits>

namespace tandem {

/// Returns the type in which arithmetic on floats of type `dtype` is done:
/// 16-bit floats are computed in f32.
constexpr DType computeType(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}
/// Returns the largest finite number of a type that computeType returns.
constexpr double largestNumber(DType computed) {
  return computed == DType::f64 ? std::numeric_limits<double>::max()
                                : std::numeric_limits<float>::max();
}
/// Returns the smallest positive normal number of a type that computeType
/// returns. Smaller results may be flushed to zero.
constexpr double leastNormal(DType computed) {
  return computed == DType::f64 ? std::numeric_limits<double>::min()
                                : std::numeric_limits<float>::min();
}

/// The errors of one op for given types. `units` and sumUnits() are multiples
/// of the unit roundoff of the type in which the op computes or, for
/// Rounding::updates, of the type of the result.
struct OpErrors {
  /// Never Rounding::own.
  Rounding rounding = Rounding::exact;
  /// How errors of the operands change the result. The change is multiplied by
  /// `amplification`. Never Condition::own.
  Condition condition = Condition::relative;
  double amplification = 1;
  /// The number of terms, factors or updates of each element, or the number of
  /// terms that a softmax, a layer_norm or the gradient of one adds, or the
  /// length of a Fourier transform; 0 if there are none.
  double terms = 0;
  /// The largest error of roundings other than those of the terms. The
  /// additional terms of Rounding::cancelling and Rounding::power are not
  /// included.
  double units = 0;
  /// The largest relative error of a product whose factors are rounded before
  /// they are multiplied, as in TF32.
  double productError = 0;
  /// True if the error of an element may be large relative to the element,
  /// because terms may cancel.
  bool mayCancel = false;
  /// True for convolutions that may be computed from sums and differences of
  /// inputs and of weights, which saves multiplications. This holds for 3x3
  /// kernels in f32 with strides and dilations 1 and without groups, and for
  /// transposed convolutions that such convolutions may compute. The error
  /// of an element then depends on the largest inputs near the element's window
  /// and not only on the products that are summed (NormwiseConv).
  bool isNormwise = false;
  /// True for a result of 16 bits that is computed in f32 and rounded once. Two
  /// slightly different f32 values may be rounded to neighboring f16 values. A
  /// kernel does not round bf16 values between two of its ops.
  bool isRoundedToHalf = false;

  /// Returns true if the op only chooses elements or changes their signs.
  bool isExact() const { return rounding == Rounding::exact; }
  /// Returns true if all tiers round equal operands to equal results.
  bool isReproducible() const {
    return isExact() || rounding == Rounding::conversion ||
           rounding == Rounding::updates || rounding == Rounding::unknown;
  }
  /// Returns the typical error of rounding partial sums or products, relative
  /// to a typical result: the square root of the number of terms
  /// (docs/Engine.md, "Tolerance"). For Rounding::fourier, the error is
  /// relative to the norm of a line and grows with the logarithm of its length.
  double sumUnits() const;
};

/// The error of a discrete Fourier transform of length n, computed by any fast
/// algorithm (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
/// Theorem 24.2, and Bluestein's algorithm, which is three transforms of up to
/// 4 n elements). The error of an element is up to `kUnits` log2(4 n) units of
/// roundoff times the Euclidean norm of the line.
struct FourierError {
  static constexpr double kUnits = 4;
};

/// The additional error of a convolution with OpErrors::isNormwise. The error
/// of an element is up to `kUnits` max|x| sum|w|. The weights w are those that
/// are multiplied for the element. The inputs x are those of the element's
/// window and of `kNeighbors` positions on each side of the window, except
/// inputs that exceed `kMaxAboveWindow` times the window's largest input
/// (docs/Contractions.md).
struct NormwiseConv {
  static constexpr double kUnits = 3;
  static constexpr int64_t kNeighbors = 3;
  static constexpr double kMaxAboveWindow = 4096;
  /// The error, divided by the error of a sum in any order. For inputs and
  /// weights uniform in [-1, 1), the ratio is 3 sqrt(3) / 2 * sqrt(3) = 7.8.
  static constexpr double kTypicalFactor = 8;
};

/// Returns the errors of `op` for operands and a result of these static types.
OpErrors errorsOf(const OpDesc &op, std::span<const TensorType> operands,
                  const TensorType &result,
                  Precision precision = Precision::strict);

/// Returns OpInfo::jumps of `op`. If the table says Jumps::own, returns the
/// value for the attributes of `op` and this type of the result.
Jumps jumpsOf(const OpDesc &op, const TensorType &result);

/// Returns the distance between `x` and the nearest value at which an op with
/// one operand jumps; infinity for Jumps::never. `jumps` must be a kind that
/// depends on one element only, that is, not `atMultiples`, `whereEqual`,
/// `byRank` or `own`. If `x` is NaN, the result is NaN, or 0 for `everywhere`.
double distanceToJump(Jumps jumps, double x);

} // namespace tandem

#endif // TANDEM_SUPPORT_OPERRORS_H
