//===- ContractionErrors.cpp - Errors of contractions ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalErrors.h"

#include "../Spatial.h"

#include "tandem/Runtime/Compare.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::reference;
using eager::SpatialConv;
using eager::SpatialTensor;

namespace {

//===----------------------------------------------------------------------===//
// Operands that are flushed
//===----------------------------------------------------------------------===//

/// 1 where `is` says so of an element, else 0.
Tensor mark(const Tensor &tensor, bool (*is)(double)) {
  return mapElements(tensor, [is](double x) { return is(x) ? 1 : 0; });
}

/// Instructions that multiply pairs of bf16 take subnormal numbers for 0, and
/// give 0 for subnormal sums: the product of one and infinity is NaN then.
void addFlushedProducts(Errors &errors, const OpDesc &op, Operands operands,
                        const Shape &shape, double terms) {
  const double largest = std::max(
      {1.0, largestMagnitude(operands[0]), largestMagnitude(operands[1])});
  for (double &error : errors)
    error += terms * leastNormal(DType::f32) * largest;
  auto isInfinite = [](double x) { return std::isinf(x); };
  auto isSubnormal = [](double x) {
    return x != 0 && std::fabs(x) < leastNormal(DType::f32);
  };
  for (int infinite : {0, 1}) {
    Tensor marks[2];
    marks[infinite] = mark(operands[infinite], isInfinite);
    marks[1 - infinite] = mark(operands[1 - infinite], isSubnormal);
    const std::vector<double> products = evaluateInDouble(op, marks, shape);
    for (size_t i = 0; i < products.size(); ++i)
      if (products[i] > 0)
        errors[i] = kInfinity;
  }
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The sizes of a tensor as (batch, channel, D, H, W), and its strides.
Shape sizesOf(const SpatialTensor &tensor) {
  return {tensor.batchSize, tensor.channelSize, tensor.size[0], tensor.size[1],
          tensor.size[2]};
}
Strides stridesOf(const SpatialTensor &tensor) {
  return {tensor.batch, tensor.channel, tensor.stride[0], tensor.stride[1],
          tensor.stride[2]};
}

/// The sum of the magnitudes of each output channel's weights.
std::vector<double> weightsOfChannels(const SpatialTensor &weights,
                                      const Tensor &kernel) {
  const std::vector<double> w = widen<double>(kernel);
  std::vector<double> sums(weights.batchSize);
  for (StridedIndex<2> i(sizesOf(weights), {stridesOf(weights), Strides{1}});
       !i.done(); i.next())
    sums[i.offset(1)] += finiteMagnitude(w[i.offset(0)]);
  return sums;
}

/// The largest magnitudes at the positions of an image, over its channels.
class LargestInputs {
public:
  LargestInputs(const SpatialConv &conv, const Tensor &input)
      : conv(conv), height(conv.in.size[1]), width(conv.in.size[2]),
        values(conv.batch * height * width) {
    const std::vector<double> x = widen<double>(input);
    const Strides own = {height * width, 0, 0, width, 1};
    for (StridedIndex<2> i(sizesOf(conv.in), {stridesOf(conv.in), own});
         !i.done(); i.next())
      values[i.offset(1)] =
          std::max(values[i.offset(1)], finiteMagnitude(x[i.offset(0)]));
  }

  /// The largest that is at most `limit` in the window of an output, widened by
  /// `more` positions on each side.
  double around(int64_t n, const int64_t *at, int64_t more,
                double limit = kInfinity) const {
    const int64_t top = at[1] - conv.padLow[1], left = at[2] - conv.padLow[2];
    double largest = 0;
    for (int64_t h = std::max<int64_t>(0, top - more);
         h < std::min(height, top + conv.window[1] + more); ++h)
      for (int64_t w = std::max<int64_t>(0, left - more);
           w < std::min(width, left + conv.window[2] + more); ++w)
        if (const double value = values[(n * height + h) * width + w];
            value <= limit)
          largest = std::max(largest, value);
    return largest;
  }

private:
  const SpatialConv &conv;
  int64_t height, width;
  std::vector<double> values;
};

/// Adds the error that NormwiseConv describes. Bounds are at least twice what
/// is added here.
void addNormwiseErrors(Errors &errors, const SpatialConv &conv,
                       Operands operands) {
  const LargestInputs inputs(conv, operands[0]);
  const std::vector<double> weights =
      weightsOfChannels(conv.weights, operands[1]);
  const double unit = NormwiseConv::kUnits / 2 * unitRoundoff(DType::f32);
  for (int64_t n = 0; n < conv.batch; ++n)
    eager::forEachIndex(conv.output, [&](const int64_t *at) {
      const double limit =
          NormwiseConv::kMaxAboveWindow * inputs.around(n, at, 0);
      const double largest =
          inputs.around(n, at, NormwiseConv::kNeighbors, limit);
      const int64_t first = n * conv.out.batch + conv.out.offset(at);
      for (int64_t o = 0; o < conv.outputChannels; ++o)
        errors[first + o * conv.out.channel] += unit * largest * weights[o];
    });
}

/// Padding under a weight that is not finite adds nothing or NaN (S1 of conv).
/// The window of an element reads padding there if fewer such weights are on
/// elements of the input than the output channel has.
void addPaddedWeights(Errors &errors, const OpDesc &op, Operands operands,
                      const Shape &shape, const SpatialConv &conv) {
  const Tensor marks[] = {
      mark(operands[0], [](double) { return true; }),
      mark(operands[1], [](double w) { return !std::isfinite(w); })};
  if (largestMagnitude(marks[1]) == 0)
    return;
  const std::vector<double> all = weightsOfChannels(conv.weights, marks[1]),
                            inside = evaluateInDouble(op, marks, shape);
  for (StridedIndex<2> i(sizesOf(conv.out), {stridesOf(conv.out), {0, 1}});
       !i.done(); i.next())
    if (inside[i.offset(0)] < all[i.offset(1)])
      errors[i.offset(0)] = kInfinity;
}

} // namespace

void reference::addContractionErrors(Errors &errors, const OpDesc &op,
                                     Operands operands, const Tensor &result,
                                     const OpErrors &facts) {
  const Operands factors = operands.first(2);
  const Shape &shape = result.shape();
  if (factors[0].dtype() == DType::bf16)
    addFlushedProducts(errors, op, factors, shape,
                       facts.terms + static_cast<double>(operands.size() - 2));
  const auto *attrs = op.attrs.AsConvAttrs();
  if (!attrs)
    return;
  const auto conv =
      SpatialConv::of(*attrs, factors[0].shape(), factors[1].shape(), shape);
  if (facts.isNormwise)
    addNormwiseErrors(errors, conv, factors);
  addPaddedWeights(errors, op, factors, shape, conv);
}
