//===- MomentsErrors.cpp - Errors of means and variances ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalErrors.h"

#include "tandem/Runtime/Compare.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::reference;

/// The means of a function of the elements.
template <typename Function>
static std::vector<double> meansOf(const fb::MomentsAttrsT &attrs,
                                   const Tensor &operand, const Shape &shape,
                                   Function function) {
  OpDesc mean;
  mean.kind = OpKind::reduce;
  mean.attrs.Set(
      fb::ReduceAttrsT{{}, fb::ReduceKind::mean, attrs.dims, attrs.keep_dims});
  const Tensor values = mapElements(operand, function);
  return evaluateInDouble(mean, {&values, 1}, shape);
}

/// The mean is a sum. The variance is computed in f64, from means which err by
/// units of roundoff of f64 relative to the root mean square of the elements:
/// it errs by the product of that with the standard deviation, and by its
/// square.
void reference::addMomentsErrors(Errors &errors, const OpDesc &op,
                                 const Tensor &operand, const Tensor &result,
                                 const OpErrors &facts, size_t number) {
  const auto &attrs = *op.attrs.AsMomentsAttrs();
  const DType computed = computeType(result.dtype());
  const double wide =
      (2 * std::sqrt(facts.terms) + facts.units) * unitRoundoff(DType::f64);
  const double most = largestNumber(DType::f64) / (4 * facts.terms + 4);
  const bool isMean = number == 0;
  const std::vector<double> sizes =
      meansOf(attrs, operand, result.shape(), [&](double x) {
        const double magnitude = finiteMagnitude(x);
        return isMean ? magnitude : magnitude * magnitude;
      });
  const std::vector<double> values = widen<double>(result);
  for (size_t i = 0; i < errors.size(); ++i) {
    if (sizes[i] >= most) {
      errors[i] = kInfinity;
    } else if (isMean && !std::isnan(sizes[i])) {
      errors[i] += wide * sizes[i];
    } else if (std::isfinite(values[i])) {
      const double shift = wide * std::sqrt(sizes[i]);
      errors[i] += wide * values[i] + 2 * shift * std::sqrt(values[i]) +
                   shift * shift + leastPositive(computed);
    }
  }
}
