//===- LayerNorm.cpp - Reference: layer norms and their gradients ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompensatedSum.h"
#include "Evaluate.h"
#include "Wide.h"

#include <cmath>

using namespace tandem;
using namespace tandem::reference;

/// The mean of function(i) for i < n.
template <typename Function>
static double meanOf(int64_t n, Function function) {
  CompensatedSum<double> sum;
  for (int64_t i = 0; i < n; ++i)
    sum.add(function(i));
  return sum.get() / static_cast<double>(n);
}

/// Operands: input, scale, offset. Results: y, mean, inverse deviation.
void reference::evaluateLayerNorm(const OpDesc &op, Operands operands,
                                  std::span<Tensor> results) {
  const double epsilon = op.attrs.AsLayerNormAttrs()->epsilon;
  std::vector<double> values = widen<double>(operands[0]);
  const std::vector<double> scale = widen<double>(operands[1]),
                            offset = widen<double>(operands[2]);
  const auto size = static_cast<int64_t>(scale.size());
  std::vector<double> means(results[1].shape().numElements()), inverse;
  for (size_t line = 0; line < means.size(); ++line) {
    double *x = values.data() + line * size;
    const double mean = meanOf(size, [&](int64_t i) { return x[i]; });
    const double variance =
        meanOf(size, [&](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
    means[line] = mean;
    inverse.push_back(1 / std::sqrt(variance + epsilon));
    for (int64_t i = 0; i < size; ++i)
      x[i] = (x[i] - mean) * inverse.back() * scale[i] + offset[i];
  }
  narrow(values, results[0]);
  narrow(means, results[1]);
  narrow(inverse, results[2]);
}

/// Operands: the gradient of y, then the input, the scale and the statistics.
/// Results: the gradients of the input, the scale and the offset.
void reference::evaluateLayerNormBackward(const OpDesc &, Operands operands,
                                          std::span<Tensor> results) {
  const std::vector<double> gradients = widen<double>(operands[0]);
  std::vector<double> values = widen<double>(operands[1]);
  const std::vector<double> scale = widen<double>(operands[2]),
                            mean = widen<double>(operands[3]),
                            inverse = widen<double>(operands[4]);
  const auto size = static_cast<int64_t>(scale.size());
  std::vector<CompensatedSum<double>> ofScale(size), ofOffset(size);
  for (size_t line = 0; line < mean.size(); ++line) {
    const double *g = gradients.data() + line * size;
    double *x = values.data() + line * size;
    for (int64_t i = 0; i < size; ++i) {
      x[i] = (x[i] - mean[line]) * inverse[line];
      ofScale[i].add(g[i] * x[i]);
      ofOffset[i].add(g[i]);
    }
    const double meanOfH =
        meanOf(size, [&](int64_t i) { return g[i] * scale[i]; });
    const double slope =
        meanOf(size, [&](int64_t i) { return g[i] * scale[i] * x[i]; });
    for (int64_t i = 0; i < size; ++i)
      x[i] = (g[i] * scale[i] - meanOfH - x[i] * slope) * inverse[line];
  }
  narrow(values, results[0]);
  for (int number : {1, 2}) {
    std::vector<double> sums;
    for (const auto &sum : number == 1 ? ofScale : ofOffset)
      sums.push_back(sum.get());
    narrow(sums, results[number]);
  }
}
