//===- Roundings.h - Errors of rounding and summing -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_REFERENCE_ROUNDINGS_H
#define TANDEM_RUNTIME_EAGER_REFERENCE_ROUNDINGS_H

#include "Evaluate.h"

#include "tandem/Runtime/Compare.h"

#include <limits>
#include <vector>

namespace tandem::reference {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How far each element of a result may be from reference's; infinite where it
/// may be anything.
using Errors = std::vector<double>;

/// The type that values of `dtype` are computed in.
inline DType computeType(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}
/// The largest relative error of rounding to nearest.
inline double unitRoundoff(DType dtype) { return epsilonOf(dtype) / 2; }

inline double largestNumber(DType computed) {
  return computed == DType::f64 ? std::numeric_limits<double>::max()
                                : std::numeric_limits<float>::max();
}
/// What may be added to a contraction, which overflows by itself where its
/// terms have as much, without an order in which both together do.
inline double mostBesides(DType computed) {
  return largestNumber(computed) / 2;
}
inline double leastNormal(DType computed) {
  return computed == DType::f64 ? std::numeric_limits<double>::min()
                                : std::numeric_limits<float>::min();
}

/// Magnitudes of the finite elements, 0 for the others, which decide the class
/// of a result in any order and have no roundings.
Tensor finiteMagnitudes(const Tensor &tensor);

/// The op on the magnitudes of its operands, in f64.
std::vector<double>
sumOfMagnitudes(const OpDesc &op, Operands operands, const Shape &shape,
                void (*evaluate)(const OpDesc &, Operands, Tensor &));

/// Roundings of `steps` units of the computing type, and one to the type of
/// the result where that is narrower. A zero has none.
Errors relativeErrors(const Tensor &result, double steps);

/// Adds the roundings of sums of `terms` terms, whose magnitudes add up to
/// `sums`; an order in which a partial sum overflows, that is, in which it is
/// `most` or more, is as right as another. The mean of nothing, a NaN, has no
/// roundings.
void addSumErrors(Errors &errors, const std::vector<double> &sums, double terms,
                  DType computed, double most);
inline void addSumErrors(Errors &errors, const std::vector<double> &sums,
                         double terms, DType computed) {
  addSumErrors(errors, sums, terms, computed, largestNumber(computed));
}

/// The errors of convolutions and matrix products; see localErrors.
Errors errorsOfConv(const OpDesc &op, Operands operands, const Tensor &result);
Errors errorsOfMatmul(const OpDesc &op, Operands operands,
                      const Tensor &result);

} // namespace tandem::reference

#endif // TANDEM_RUNTIME_EAGER_REFERENCE_ROUNDINGS_H
