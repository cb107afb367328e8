//===- OpErrors.h - Rounding errors and jumps of ops ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numerical errors of each op: what the columns of the op table (OpTable.h)
// say about errors, as numbers, and a rule for each op that is not elementwise.
// The two models of errors are derived from these facts: the tolerances of
// certificates (runtime/engine/certificate) and the error bounds that the
// reference samples (runtime/eager/reference).
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

/// How an op computes the elements of a float result, as far as the error of
/// an element depends on it.
enum class ErrorRule : uint8_t {
  choice,     ///< Elements of operands, or constants; nothing is rounded.
  function,   ///< An elementwise function, which OpInfo::rounding describes.
  conversion, ///< A cast. All tiers round equal numbers to equal ones.
  sum,        ///< A sum of terms in any order.
  mean,       ///< A sum of terms in any order, divided by their number.
  product,    ///< A product of factors in any order.
  updates,   ///< A sum or product of updates in a fixed order, which is rounded
             ///< to the type of the result after each update.
  batchNorm, ///< (x - mean) / deviation * scale + offset, in several forms.
  softmax,   ///< A power divided by the sum of `terms` powers.
  unknown,   ///< A function of the user: equal operands give equal results.
};

/// The errors of one op for given types. All units are multiples of the unit
/// roundoff of the type in which the op computes or, for ErrorRule::updates, of
/// the type of the result.
struct OpErrors {
  ErrorRule rule = ErrorRule::choice;
  /// What errors of the operands become in the result, `amplification` times.
  /// Never Condition::own.
  Condition condition = Condition::relative;
  double amplification = 1;
  /// The number of terms, factors or updates of each element, or of powers that
  /// a softmax adds up; 0 if there are none.
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
  /// kernels in f32 with strides and dilations 1 and without groups. The error
  /// of an element is then relative to the largest inputs near its window and
  /// not only to the products that it sums up: see NormwiseConv.
  bool isNormwise = false;
  /// True for a result of 16 bits that is computed in f32 and rounded once. f32
  /// values that differ a little are rounded to neighbors of f16, and bf16 is
  /// not rounded at all between two ops of a kernel.
  bool isRoundedToHalf = false;

  /// Returns true if the op only chooses elements or changes their signs.
  bool isExact() const {
    return rule == ErrorRule::choice ||
           (rule == ErrorRule::function && units == 0);
  }
  /// Returns the typical error of rounding partial sums or products, relative
  /// to a typical result: the square root of the number of terms
  /// (docs/Engine.md, "Tolerance").
  double sumUnits() const;
};

/// The additional error of a convolution with OpErrors::isNormwise. The error
/// of an element is up to `kUnits` max|x| sum|w| over the weights w of its
/// channel and the inputs x of its window and of `kNeighbors` positions on each
/// side of it. Inputs that are more than `kMaxAboveWindow` times as large as
/// the largest input of the window do not count (docs/Contractions.md).
struct NormwiseConv {
  static constexpr double kUnits = 3;
  static constexpr int64_t kNeighbors = 3;
  static constexpr double kMaxAboveWindow = 4096;
  /// The error as a multiple of that of a sum in any order. For inputs and
  /// weights that are uniform in [-1, 1), it is 3 sqrt(3) / 2 sqrt(3) = 7.8.
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
