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

/// A conv or one of its gradients whose first operand is so large that no
/// window reads outside of it. Its result has the same type.
struct UnpaddedConv {
  OpDesc op;
  Shape input;

  UnpaddedConv(const OpDesc &given, const Tensor &operand, const Shape &kernel);
};

UnpaddedConv::UnpaddedConv(const OpDesc &given, const Tensor &operand,
                           const Shape &kernel)
    : op(given), input(operand.shape()) {
  fb::ConvAttrsT &attrs = *op.attrs.AsConvAttrs();
  const LayoutDims images = *parseLayout(attrs.input_layout, false),
                   kernels = *parseLayout(attrs.kernel_layout, true);
  for (int i = 0; i < images.numSpatial; ++i) {
    int64_t &size = input[images.spatial[i]];
    if (op.kind != OpKind::conv_backward_data) {
      size += attrs.pad_low[i] + attrs.pad_high[i];
      attrs.pad_low[i] = attrs.pad_high[i] = 0;
      continue;
    }
    const int64_t reach =
        attrs.dilations[i] * (kernel[kernels.spatial[i]] - 1) +
        attrs.output_padding[i];
    const int64_t more = reach / attrs.strides[i] + 1;
    size += 2 * more;
    attrs.pad_low[i] += more * attrs.strides[i];
    attrs.pad_high[i] += more * attrs.strides[i];
  }
}

/// The sum of the elements of the second operand, such as weights, that each
/// element of the result is a sum over, inside the first operand and in its
/// padding.
std::vector<double> weightsOfResults(const OpDesc &op, const Tensor &operand,
                                     const Tensor &kernel, const Shape &shape) {
  const UnpaddedConv conv(op, operand, kernel.shape());
  Tensor ones = *Tensor::allocate({DType::f64, conv.input});
  std::fill_n(ones.as<double>(), conv.input.numElements(), 1.0);
  const Tensor factors[] = {ones, kernel};
  return evaluateInDouble(conv.op, factors, shape);
}

/// The sizes of a tensor as (batch, channel, D, H, W), and its strides.
Shape sizesOf(const SpatialTensor &tensor) {
  return {tensor.batchSize, tensor.channelSize, tensor.size[0], tensor.size[1],
          tensor.size[2]};
}
Strides stridesOf(const SpatialTensor &tensor) {
  return {tensor.batch, tensor.channel, tensor.stride[0], tensor.stride[1],
          tensor.stride[2]};
}

/// The largest magnitudes at the positions of an image, over its channels. The
/// operand of conv_backward_data counts as an image with as many positions
/// between its elements as the strides say.
class LargestInputs {
public:
  LargestInputs(const SpatialConv &conv, bool isBackward, const Tensor &input)
      : image(isBackward ? conv.out : conv.in) {
    for (int i = 0; i < 2; ++i) {
      const int64_t size = image.size[1 + i],
                    extent = (conv.window[1 + i] - 1) * conv.dilations[1 + i];
      apart[i] = isBackward ? conv.strides[1 + i] : 1;
      sizes[i] = size == 0 ? 0 : (size - 1) * apart[i] + 1;
      windows[i] = extent + 1;
      low[i] = isBackward ? extent - conv.padLow[1 + i] : conv.padLow[1 + i];
    }
    values.resize(image.batchSize * sizes[0] * sizes[1]);
    const std::vector<double> x = widen<double>(input);
    const Strides own = {sizes[0] * sizes[1], 0, 0, apart[0] * sizes[1],
                         apart[1]};
    for (StridedIndex<2> i(sizesOf(image), {stridesOf(image), own}); !i.done();
         i.next())
      values[i.offset(1)] =
          std::max(values[i.offset(1)], finiteMagnitude(x[i.offset(0)]));
  }

  /// The largest that is at most `limit` in the window of an output, widened by
  /// `more` elements on each side.
  double around(int64_t n, const int64_t *at, int64_t more,
                double limit = kInfinity) const {
    std::array<int64_t, 2> first, last;
    for (int i = 0; i < 2; ++i) {
      const int64_t start = at[1 + i] - low[i];
      first[i] = std::max<int64_t>(0, start - more * apart[i]);
      last[i] = std::min(sizes[i], start + windows[i] + more * apart[i]);
    }
    double largest = 0;
    for (int64_t h = first[0]; h < last[0]; ++h)
      for (int64_t w = first[1]; w < last[1]; ++w)
        if (const double value = values[(n * sizes[0] + h) * sizes[1] + w];
            value <= limit)
          largest = std::max(largest, value);
    return largest;
  }

private:
  SpatialTensor image;
  std::array<int64_t, 2> apart, sizes, windows, low;
  std::vector<double> values;
};

/// Adds the error that NormwiseConv describes. Bounds are at least twice what
/// is added here.
void addNormwiseErrors(Errors &errors, const OpDesc &op, Operands operands,
                       const Shape &shape) {
  const auto &attrs = *op.attrs.AsConvAttrs();
  const bool isBackward = op.kind == OpKind::conv_backward_data;
  const auto conv =
      (isBackward ? SpatialConv::ofBackwardData : SpatialConv::of)(
          attrs, operands[0].shape(), operands[1].shape(), shape);
  const SpatialTensor &out = isBackward ? conv.in : conv.out;
  const LargestInputs inputs(conv, isBackward, operands[0]);
  const std::vector<double> weights = weightsOfResults(
      op, operands[0], mapElements(operands[1], finiteMagnitude), shape);
  const double unit = NormwiseConv::kUnits / 2 * unitRoundoff(DType::f32);
  for (int64_t n = 0; n < out.batchSize; ++n)
    eager::forEachIndex(out.size, [&](const int64_t *at) {
      const double limit =
          NormwiseConv::kMaxAboveWindow * inputs.around(n, at, 0);
      const double largest =
          inputs.around(n, at, NormwiseConv::kNeighbors, limit);
      const int64_t first = n * out.batch + out.offset(at);
      for (int64_t o = 0; o < out.channelSize; ++o) {
        const int64_t i = first + o * out.channel;
        errors[i] += unit * largest * weights[i];
      }
    });
}

/// Adds an error to elements for which padding is multiplied by a weight that
/// is not finite: the product adds nothing or NaN (S1 of conv). An element has
/// such a product if fewer of its non-finite weights meet elements of the input
/// than there are such weights.
void addPaddedWeights(Errors &errors, const OpDesc &op, Operands operands,
                      const Shape &shape) {
  const Tensor marks[] = {
      mark(operands[0], [](double) { return true; }),
      mark(operands[1], [](double w) { return !std::isfinite(w); })};
  if (largestMagnitude(marks[1]) == 0)
    return;
  const std::vector<double> all =
                                weightsOfResults(op, marks[0], marks[1], shape),
                            inside = evaluateInDouble(op, marks, shape);
  for (size_t i = 0; i < errors.size(); ++i)
    if (inside[i] < all[i])
      errors[i] = kInfinity;
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
  if (!op.attrs.AsConvAttrs())
    return;
  if (facts.isNormwise)
    addNormwiseErrors(errors, op, factors, shape);
  addPaddedWeights(errors, op, factors, shape);
}
