//===- Roundings.cpp - Errors of rounding and summing ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Roundings.h"

#include "Wide.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::reference;

Tensor reference::finiteMagnitudes(const Tensor &tensor) {
  Tensor result = *Tensor::allocate({DType::f64, tensor.shape()});
  std::vector<double> values = widen<double>(tensor);
  for (double &value : values)
    value = std::isfinite(value) ? std::fabs(value) : 0;
  narrow(values, result);
  return result;
}

std::vector<double> reference::sumOfMagnitudes(
    const OpDesc &op, Operands operands, const Shape &shape,
    void (*evaluate)(const OpDesc &, Operands, Tensor &)) {
  std::vector<Tensor> magnitudes;
  for (const Tensor &operand : operands)
    magnitudes.push_back(finiteMagnitudes(operand));
  Tensor sums = *Tensor::allocate({DType::f64, shape});
  evaluate(op, magnitudes, sums);
  return widen<double>(sums);
}

Errors reference::relativeErrors(const Tensor &result, double steps) {
  DType dtype = result.dtype(), computed = computeType(dtype);
  double unit = steps * unitRoundoff(computed), least = 0;
  if (dtype != computed) {
    unit += unitRoundoff(dtype);
    least = leastPositive(dtype) / 2;
  }
  Errors errors = widen<double>(result);
  for (double &value : errors)
    value = std::isfinite(value) && value != 0
                ? std::max(unit * std::fabs(value), least)
                : 0;
  return errors;
}

void reference::addSumErrors(Errors &errors, const std::vector<double> &sums,
                             double terms, DType computed, double most) {
  double unit = std::sqrt(terms) * unitRoundoff(computed);
  for (size_t i = 0; i < errors.size(); ++i)
    if (sums[i] >= most)
      errors[i] = kInfinity;
    else if (!std::isnan(sums[i]))
      errors[i] += unit * sums[i];
}
