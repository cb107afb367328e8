//===- SoftmaxErrors.cpp - Errors of the gradient of a softmax ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalErrors.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Support/Strides.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::reference;

/// y (g - s) with s = sum(g y): s errs as a sum does, relative to the sum of
/// magnitudes m, and the difference relative to |g| + m. Products may be
/// subnormal. The result may be anything where |g| + m or its product with |y|
/// may overflow (S1 of softmax_backward).
void reference::addSoftmaxBackwardErrors(Errors &errors, const OpDesc &op,
                                         Operands operands,
                                         const OpErrors &facts) {
  const int axis = static_cast<int>(op.attrs.AsAxisAttrs()->axis);
  const DType computed = computeType(operands[0].dtype());
  const double unit = unitRoundoff(computed);
  const std::vector<double> y = widen<double>(operands[0]),
                            g = widen<double>(operands[1]);
  const Strides own = rowMajorStrides(operands[0].shape());
  const int64_t size = operands[0].shape()[axis], stride = own[axis];
  Shape lines = operands[0].shape();
  lines[axis] = size == 0 ? 0 : 1;
  for (StridedIndex<1> line(lines, {own}); !line.done(); line.next()) {
    double sum = 0, largest = 0;
    for (int64_t i = 0; i < size; ++i) {
      const int64_t at = line.offset(0) + i * stride;
      sum += finiteMagnitude(y[at]) * finiteMagnitude(g[at]);
      largest = std::max(largest, finiteMagnitude(g[at]));
    }
    const double most = largestNumber(computed) / 2;
    for (int64_t i = 0; i < size; ++i) {
      const int64_t at = line.offset(0) + i * stride;
      const double factor = finiteMagnitude(y[at]);
      const bool overflows = std::max(factor, 1.0) * (sum + largest) >= most;
      const double difference = unit * ((facts.sumUnits() + facts.units) * sum +
                                        facts.units * finiteMagnitude(g[at])) +
                                facts.terms * leastPositive(computed);
      errors[at] = overflows ? kInfinity
                             : errors[at] + leastPositive(computed) +
                                   factor * difference;
    }
  }
}
