//===- Roundings.h - Errors of rounding and summing -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_REFERENCE_ROUNDINGS_H
#define TANDEM_RUNTIME_EAGER_REFERENCE_ROUNDINGS_H

#include "Evaluate.h"

#include "tandem/Support/Choices.h"
#include "tandem/Support/OpErrors.h"

#include "tandem/Runtime/Compare.h"

#include <limits>
#include <vector>

namespace tandem::reference {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How far each element of a result may be from the reference's; infinite where
/// it may be anything.
using Errors = std::vector<double>;

/// The largest relative error of rounding to nearest.
inline double unitRoundoff(DType dtype) { return epsilonOf(dtype) / 2; }

/// The largest finite number of a computing type.
inline double largestNumber(DType computed) {
  return computed == DType::f64 ? std::numeric_limits<double>::max()
                                : std::numeric_limits<float>::max();
}
/// Half of the largest number. Where a contraction's terms and what is added to
/// it afterwards each stay below this, no order of adding all of them
/// overflows.
inline double mostBesides(DType computed) {
  return largestNumber(computed) / 2;
}
/// The smallest positive normal number of a computing type.
inline double leastNormal(DType computed) {
  return computed == DType::f64 ? std::numeric_limits<double>::min()
                                : std::numeric_limits<float>::min();
}

/// The magnitudes of the elements, with 0 for those that are not finite: they
/// make the result infinite or NaN in any order of evaluation, and add no
/// rounding error.
Tensor finiteMagnitudes(const Tensor &tensor);

/// Evaluates the op on the magnitudes of its operands, in f64.
std::vector<double>
sumOfMagnitudes(const OpDesc &op, Operands operands, const Shape &shape,
                void (*evaluate)(const OpDesc &, Operands, Tensor &));

/// The errors of `steps` roundings in the computing type, and of one more to
/// the result's type where that is narrower. A zero has no error.
Errors relativeErrors(const Tensor &result, double steps);

/// Adds the rounding errors of sums of `terms` terms whose magnitudes add up to
/// `sums`. The error is infinite where a partial sum may reach `most`, because
/// some order of evaluation may then overflow. The mean of no elements, a NaN,
/// has no error.
void addSumErrors(Errors &errors, const std::vector<double> &sums, double terms,
                  DType computed, double most);
inline void addSumErrors(Errors &errors, const std::vector<double> &sums,
                         double terms, DType computed) {
  addSumErrors(errors, sums, terms, computed, largestNumber(computed));
}

/// The rounding errors of convolutions and matrix products, as in localErrors.
Errors errorsOfConv(const OpDesc &op, Operands operands, const Tensor &result,
                    Precision precision);
Errors errorsOfMatmul(const OpDesc &op, Operands operands, const Tensor &result,
                      Precision precision);

} // namespace tandem::reference

#endif // TANDEM_RUNTIME_EAGER_REFERENCE_ROUNDINGS_H
