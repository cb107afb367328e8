//===- ContractionErrors.cpp - Errors of contractions ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalErrors.h"
#include "Roundings.h"
#include "Wide.h"

#include "../Spatial.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace tandem;
using namespace tandem::reference;
using eager::SpatialConv;

namespace {

/// 1 where `is` says so of an element, else 0.
Tensor mark(const Tensor &tensor, bool (*is)(double)) {
  Tensor result = *Tensor::allocate({DType::f64, tensor.shape()});
  std::vector<double> values = widen<double>(tensor);
  for (double &value : values)
    value = is(value) ? 1 : 0;
  narrow(values, result);
  return result;
}

/// Instructions that multiply pairs of bf16 take subnormal numbers for 0, and
/// give 0 for subnormal sums: the product of one and infinity is NaN then.
void addFlushedProducts(Errors &errors, const OpDesc &op, Operands operands,
                        const Shape &shape, double terms,
                        void (*evaluate)(const OpDesc &, Operands, Tensor &)) {
  if (operands[0].dtype() != DType::bf16)
    return;
  double largest = 1;
  for (const Tensor &operand : operands)
    for (double value : widen<double>(operand))
      if (std::isfinite(value))
        largest = std::max(largest, std::fabs(value));
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
    const std::vector<double> products =
        sumOfMagnitudes(op, marks, shape, evaluate);
    for (size_t i = 0; i < products.size(); ++i)
      if (products[i] > 0)
        errors[i] = kInfinity;
  }
}

/// The terms of which a sum's roundings are like those of as many that round
/// at random. With weights of one value, terms may be equal by far, and round
/// the same way each time: K of them like the square of K.
double randomTerms(double terms, const Tensor &weights) {
  const std::vector<double> w = widen<double>(weights);
  bool areEqual =
      std::adjacent_find(w.begin(), w.end(), std::not_equal_to<>()) == w.end();
  return areEqual ? terms * terms : terms;
}

/// The largest magnitudes at the positions of an image, over its channels.
class LargestInputs {
public:
  LargestInputs(const SpatialConv &conv, const Tensor &input)
      : conv(conv), values(conv.batch * conv.in.size[1] * conv.in.size[2]) {
    const std::vector<double> x = widen<double>(finiteMagnitudes(input));
    auto value = values.begin();
    for (int64_t n = 0; n < conv.batch; ++n)
      for (int64_t h = 0; h < conv.in.size[1]; ++h)
        for (int64_t w = 0; w < conv.in.size[2]; ++w, ++value)
          for (int64_t c = 0; c < conv.in.channelSize; ++c)
            *value = std::max(*value,
                              x[n * conv.in.batch + c * conv.in.channel +
                                h * conv.in.stride[1] + w * conv.in.stride[2]]);
  }

  /// The largest that is at most `limit` in the window of an output, widened by
  /// `more` positions on each side.
  double around(int64_t n, const int64_t *at, int64_t more,
                double limit = kInfinity) const {
    auto range = [&](int i) {
      int64_t first = at[i] - conv.padLow[i];
      return std::pair(std::max<int64_t>(0, first - more),
                       std::min(conv.in.size[i], first + 3 + more));
    };
    auto [top, bottom] = range(1);
    auto [left, right] = range(2);
    double largest = 0;
    for (int64_t h = top; h < bottom; ++h)
      for (int64_t w = left; w < right; ++w)
        if (double value =
                values[(n * conv.in.size[1] + h) * conv.in.size[2] + w];
            value <= limit)
          largest = std::max(largest, value);
    return largest;
  }

private:
  const SpatialConv &conv;
  std::vector<double> values;
};

/// The sum of the magnitudes of each output channel's weights.
std::vector<double> weightsOfChannels(const SpatialConv &conv,
                                      const Tensor &kernel) {
  const std::vector<double> w = widen<double>(finiteMagnitudes(kernel));
  std::vector<double> sums(conv.outputChannels);
  for (int64_t o = 0; o < conv.outputChannels; ++o)
    for (int64_t c = 0; c < conv.groupInputChannels; ++c)
      for (int64_t h = 0; h < 3; ++h)
        for (int64_t x = 0; x < 3; ++x)
          sums[o] += w[o * conv.weights.batch + c * conv.weights.channel +
                       h * conv.weights.stride[1] + x * conv.weights.stride[2]];
  return sums;
}

/// Adds the errors of a convolution for which mayErrNormwise is true. They are
/// up to 3 units of the largest element that any output of a tile reads, times
/// the magnitudes of all weights (measured on random data, see
/// docs/Contractions.md); bounds are at least twice what is added here. A tile
/// is computed so only where its largest element is at most 2^12 times that of
/// any of its windows: larger ones are not in tiles of this output.
void addNormwiseErrors(Errors &errors, const SpatialConv &conv,
                       Operands operands) {
  constexpr double kUnits = 1.5, kMaxAboveWindow = 4096;
  constexpr int64_t kOtherOutputsOfTile = 3;
  const LargestInputs inputs(conv, operands[0]);
  const std::vector<double> weights = weightsOfChannels(conv, operands[1]);
  double unit = kUnits * unitRoundoff(DType::f32);
  for (int64_t n = 0; n < conv.batch; ++n)
    for (int64_t h = 0; h < conv.output[1]; ++h)
      for (int64_t w = 0; w < conv.output[2]; ++w) {
        const int64_t at[3] = {0, h, w};
        double limit = kMaxAboveWindow * inputs.around(n, at, 0);
        double largest = inputs.around(n, at, kOtherOutputsOfTile, limit);
        int64_t first = n * conv.out.batch + conv.out.offset(at);
        for (int64_t o = 0; o < conv.outputChannels; ++o)
          errors[first + o * conv.out.channel] += unit * largest * weights[o];
      }
}

/// Padding under a weight that is not finite adds nothing or NaN (S1 of conv).
void addPaddedWeights(Errors &errors, const SpatialConv &conv,
                      const Tensor &kernel) {
  const std::vector<double> w = widen<double>(kernel);
  auto isNotFinite = [&](int64_t channel, const int64_t *tap) {
    int64_t first = channel * conv.weights.batch + conv.weights.offset(tap);
    for (int64_t c = 0; c < conv.groupInputChannels; ++c)
      if (!std::isfinite(w[first + c * conv.weights.channel]))
        return true;
    return false;
  };
  eager::forEachIndex(conv.window, [&](const int64_t *tap) {
    for (int64_t o = 0; o < conv.outputChannels; ++o)
      if (isNotFinite(o, tap))
        eager::forEachIndex(conv.output, [&](const int64_t *at) {
          bool isPadding = !conv.inputOffset(at, tap);
          for (int64_t n = 0; n < conv.batch && isPadding; ++n)
            errors[n * conv.out.batch + o * conv.out.channel +
                   conv.out.offset(at)] = kInfinity;
        });
  });
}

} // namespace

/// Adds the errors of operands of f32 that are rounded to the 10 mantissa bits
/// of TF32, in products whose magnitudes add up to `sums`. An operand that is
/// beyond the largest number of TF32 may become infinite.
static void addRoundedOperands(Errors &errors, const std::vector<double> &sums,
                               Operands operands, Precision precision) {
  constexpr double kLargest = 0x1.ff8p127;
  if (precision != Precision::tf32 || operands[0].dtype() != DType::f32)
    return;
  bool isLarge = false;
  for (const Tensor &operand : operands)
    for (double value : widen<double>(operand))
      isLarge |= std::isfinite(value) && std::fabs(value) > kLargest;
  // Both factors of a product err; all errors may have one sign, as they have
  // for operands of few values.
  for (size_t i = 0; i < errors.size(); ++i)
    errors[i] = isLarge ? kInfinity : errors[i] + 2 * kTF32Unit * sums[i];
}

Errors reference::errorsOfConv(const OpDesc &op, Operands operands,
                               const Tensor &result, Precision precision) {
  const auto conv =
      SpatialConv::of(*op.attrs.AsConvAttrs(), operands[0].shape(),
                      operands[1].shape(), result.shape());
  const double terms =
      sumTerms(op, operands, result) + (operands.size() > 2 ? 1 : 0);
  const DType computed = computeType(result.dtype());
  Errors errors = relativeErrors(result, 1);
  const std::vector<double> sums =
      sumOfMagnitudes(op, operands, result.shape(), evaluateConv);
  addSumErrors(errors, sums, randomTerms(terms, operands[1]), computed,
               mostBesides(computed));
  addRoundedOperands(errors, sums, operands.first(2), precision);
  addFlushedProducts(errors, op, operands.first(2), result.shape(), terms,
                     evaluateConv);
  if (mayErrNormwise(*op.attrs.AsConvAttrs(), operands[1].shape(),
                     result.dtype()))
    addNormwiseErrors(errors, conv, operands);
  addPaddedWeights(errors, conv, operands[1]);
  return errors;
}

Errors reference::errorsOfMatmul(const OpDesc &op, Operands operands,
                                 const Tensor &result, Precision precision) {
  const double terms = sumTerms(op, operands, result);
  const DType computed = computeType(result.dtype());
  Errors errors = relativeErrors(result, 1);
  const std::vector<double> sums =
      sumOfMagnitudes(op, operands, result.shape(), evaluateMatmul);
  addSumErrors(errors, sums, randomTerms(terms, operands[1]), computed,
               mostBesides(computed));
  addRoundedOperands(errors, sums, operands, precision);
  addFlushedProducts(errors, op, operands, result.shape(), terms,
                     evaluateMatmul);
  return errors;
}

double reference::sumTerms(const OpDesc &op, Operands operands,
                           const Tensor &result) {
  if (const auto *attrs = op.attrs.AsConvAttrs()) {
    const auto conv = SpatialConv::of(*attrs, operands[0].shape(),
                                      operands[1].shape(), result.shape());
    return static_cast<double>(conv.groupInputChannels * conv.window[0] *
                               conv.window[1] * conv.window[2]);
  }
  if (op.kind != OpKind::matmul)
    return 1;
  const auto *attrs = op.attrs.AsMatmulAttrs();
  return static_cast<double>(
      eager::MatmulDims::of(attrs && attrs->transpose_lhs,
                            attrs && attrs->transpose_rhs, operands[0].shape(),
                            operands[1].shape(), result.shape())
          .k);
}
