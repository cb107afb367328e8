//===- LocalErrors.cpp - What one op may add to an error ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats of 16 bits are computed in f32 and rounded once, where a kernel or an
// eager op stores them: so an op's own roundings are those of f32, and one to
// the type of the result, which a kernel may leave out between two of its ops.
//
// Sums are bounded by sqrt(K) u sum |terms|, the probabilistic bound of Higham
// and Mary (A new approach to probabilistic rounding error analysis, SISC
// 41(5), 2019), which holds for every order of summation.
//
//===----------------------------------------------------------------------===//

#include "LocalErrors.h"

#include "../Spatial.h"
#include "../Strides.h"
#include "Wide.h"

#include "tandem/Runtime/Compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace tandem;
using namespace tandem::reference;
using eager::rowMajorStrides;
using eager::SpatialConv;
using eager::StridedIndex;
using fb::ReduceKind;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Errors = std::vector<double>;

/// The type that values of `dtype` are computed in.
DType computeType(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}
/// The largest relative error of rounding to nearest.
double unitRoundoff(DType dtype) { return epsilonOf(dtype) / 2; }

double largestNumber(DType computed) {
  return computed == DType::f64 ? std::numeric_limits<double>::max()
                                : std::numeric_limits<float>::max();
}
double leastNormal(DType computed) {
  return computed == DType::f64 ? std::numeric_limits<double>::min()
                                : std::numeric_limits<float>::min();
}

/// Magnitudes of the finite elements, 0 for the others, which decide the class
/// of a result in any order and have no roundings.
Tensor finiteMagnitudes(const Tensor &tensor) {
  Tensor result = *Tensor::allocate({DType::f64, tensor.shape()});
  std::vector<double> values = widen<double>(tensor);
  for (double &value : values)
    value = std::isfinite(value) ? std::fabs(value) : 0;
  narrow(values, result);
  return result;
}

/// The op on the magnitudes of its operands, in f64.
template <typename Evaluate>
std::vector<double> sumOfMagnitudes(const OpDesc &op, Operands operands,
                                    const Shape &shape, Evaluate evaluate) {
  std::vector<Tensor> magnitudes;
  for (const Tensor &operand : operands)
    magnitudes.push_back(finiteMagnitudes(operand));
  Tensor sums = *Tensor::allocate({DType::f64, shape});
  evaluate(op, magnitudes, sums);
  return widen<double>(sums);
}

/// Roundings of `steps` units of the computing type, and one to the type of
/// the result where that is narrower. A zero has none.
Errors relativeErrors(const Tensor &result, double steps) {
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

/// Adds the roundings of sums of `terms` terms, whose magnitudes add up to
/// `sums`; an order in which a partial sum overflows is as right as another.
/// The mean of nothing, a NaN, has no roundings.
void addSumErrors(Errors &errors, const std::vector<double> &sums, double terms,
                  DType computed) {
  double unit = std::sqrt(terms) * unitRoundoff(computed);
  for (size_t i = 0; i < errors.size(); ++i)
    if (sums[i] >= largestNumber(computed))
      errors[i] = kInfinity;
    else if (!std::isnan(sums[i]))
      errors[i] += unit * sums[i];
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Roundings of a function, in units of the computing type: most are within
/// 4 ULP (docs/Eager.md), which is 8 units; 0 where nothing is rounded.
double unitsOf(OpKind kind) {
  switch (kind) {
  case OpKind::add:
  case OpKind::sub:
  case OpKind::mul:
  case OpKind::div:
  case OpKind::sqrt:
    return 1;
  case OpKind::exp:
  case OpKind::expm1:
  case OpKind::log:
  case OpKind::log1p:
  case OpKind::rsqrt:
  case OpKind::tanh:
  case OpKind::sigmoid:
  case OpKind::gelu:
  case OpKind::erf:
  case OpKind::sin:
  case OpKind::cos:
  case OpKind::pow:
    return 8;
  default:
    return 0;
  }
}

/// What a function adds beyond so many units of its result: cancellation in
/// 1 + erf(x), the logarithm's error in a power, and subnormal results, which
/// eager functions may flush.
void addFunctionErrors(const OpDesc &op, Operands operands,
                       const Tensor &result, Errors &errors) {
  if (unitsOf(op.kind) <= 1)
    return;
  DType computed = computeType(result.dtype());
  double unit = unitRoundoff(computed), least = leastNormal(computed);
  const std::vector<double> values = widen<double>(result);
  std::vector<double> x;
  if (op.kind == OpKind::gelu)
    x = widen<double>(operands[0]);
  for (size_t i = 0; i < errors.size(); ++i) {
    double magnitude = std::fabs(values[i]);
    if (op.kind == OpKind::gelu && std::isfinite(values[i]))
      errors[i] += 2 * unit * std::min(std::fabs(x[i]), 16.0);
    if (op.kind == OpKind::pow && std::isfinite(values[i]) && magnitude > 0)
      errors[i] += 2 * unit * magnitude * std::fabs(std::log(magnitude));
    if (magnitude > 0 && magnitude < least)
      errors[i] += least;
  }
}

Errors errorsOfElementwise(const OpDesc &op, Operands operands,
                           const Tensor &result, double termsBefore) {
  double units = unitsOf(op.kind);
  if (op.kind == OpKind::add || op.kind == OpKind::sub)
    units *= std::sqrt(termsBefore);
  if (units == 0)
    return {};
  Errors errors = relativeErrors(result, units);
  addFunctionErrors(op, operands, result, errors);
  return errors;
}

/// Every tier rounds numbers of 32 and 64 bits; a kernel may leave the rounding
/// of computed values to 16 bits out.
Errors errorsOfCast(Operands operands, const Tensor &result) {
  bool mayBeLeftOut = isFloat(operands[0].dtype()) &&
                      byteWidth(result.dtype()) == 2 &&
                      operands[0].dtype() != result.dtype();
  return mayBeLeftOut ? relativeErrors(result, 0) : Errors();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Instructions that multiply pairs of bf16 take subnormal numbers for 0, and
/// give 0 for subnormal sums.
void addFlushedProducts(Errors &errors, Operands operands, double terms) {
  if (operands[0].dtype() != DType::bf16)
    return;
  double largest = 1;
  for (const Tensor &operand : operands)
    for (double value : widen<double>(operand))
      if (std::isfinite(value))
        largest = std::max(largest, std::fabs(value));
  for (double &error : errors)
    error += terms * leastNormal(DType::f32) * largest;
}

/// Whether the compiled tier may take Winograd's method F(4x4, 3x3).
bool mayTakeWinograd(const SpatialConv &conv, DType dtype) {
  return dtype == DType::f32 && conv.in.numSpatial == 2 && conv.groups == 1 &&
         conv.window == eager::Spatial3{1, 3, 3} &&
         conv.strides == eager::Spatial3{1, 1, 1} &&
         conv.dilations == eager::Spatial3{1, 1, 1};
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

/// Winograd's method errs normwise: by up to 3 units of the largest element
/// that any output of a tile reads, times the magnitudes of all weights
/// (measured on random data, see docs/Contractions.md); bounds are at least
/// twice what is added here. A tile is computed so only where its largest
/// element is at most 2^12 times that of any of its windows: larger ones are
/// not in tiles of this output.
void addWinogradErrors(Errors &errors, const SpatialConv &conv,
                       Operands operands) {
  constexpr double kUnits = 1.5, kMostAboveWindow = 4096;
  constexpr int64_t kOtherOutputsOfTile = 3;
  const LargestInputs inputs(conv, operands[0]);
  const std::vector<double> weights = weightsOfChannels(conv, operands[1]);
  double unit = kUnits * unitRoundoff(DType::f32);
  for (int64_t n = 0; n < conv.batch; ++n)
    for (int64_t h = 0; h < conv.output[1]; ++h)
      for (int64_t w = 0; w < conv.output[2]; ++w) {
        const int64_t at[3] = {0, h, w};
        double limit = kMostAboveWindow * inputs.around(n, at, 0);
        double largest = inputs.around(n, at, kOtherOutputsOfTile, limit);
        double *out = &errors[n * conv.out.batch + conv.out.offset(at)];
        for (int64_t o = 0; o < conv.outputChannels; ++o)
          out[o * conv.out.channel] += unit * largest * weights[o];
      }
}

/// Calls `visit` with each index of a box.
template <typename Visit>
void forEachIndex(const eager::Spatial3 &sizes, Visit visit) {
  for (int64_t d = 0; d < sizes[0]; ++d)
    for (int64_t h = 0; h < sizes[1]; ++h)
      for (int64_t w = 0; w < sizes[2]; ++w) {
        const int64_t at[3] = {d, h, w};
        visit(at);
      }
}

/// Padding under a weight that is not finite adds nothing or NaN (S1 of conv).
void addPaddedWeights(Errors &errors, const SpatialConv &conv,
                      const Tensor &kernel) {
  const std::vector<double> w = widen<double>(kernel);
  auto isNotFinite = [&](int64_t channel, const int64_t *tap) {
    const double *k =
        &w[channel * conv.weights.batch + conv.weights.offset(tap)];
    for (int64_t c = 0; c < conv.groupInputChannels; ++c)
      if (!std::isfinite(k[c * conv.weights.channel]))
        return true;
    return false;
  };
  forEachIndex(conv.window, [&](const int64_t *tap) {
    for (int64_t o = 0; o < conv.outputChannels; ++o)
      if (isNotFinite(o, tap))
        forEachIndex(conv.output, [&](const int64_t *at) {
          bool isPadding = !conv.inputOffset(at, tap);
          for (int64_t n = 0; n < conv.batch && isPadding; ++n)
            errors[n * conv.out.batch + o * conv.out.channel +
                   conv.out.offset(at)] = kInfinity;
        });
  });
}

Errors errorsOfConv(const OpDesc &op, Operands operands, const Tensor &result) {
  const auto conv =
      SpatialConv::of(*op.attrs.AsConvAttrs(), operands[0].shape(),
                      operands[1].shape(), result.shape());
  const double terms =
      sumTerms(op, operands, result) + (operands.size() > 2 ? 1 : 0);
  Errors errors = relativeErrors(result, 1);
  addSumErrors(errors,
               sumOfMagnitudes(op, operands, result.shape(), evaluateConv),
               terms, computeType(result.dtype()));
  addFlushedProducts(errors, operands.first(2), terms);
  if (mayTakeWinograd(conv, result.dtype()))
    addWinogradErrors(errors, conv, operands);
  addPaddedWeights(errors, conv, operands[1]);
  return errors;
}

Errors errorsOfMatmul(const OpDesc &op, Operands operands,
                      const Tensor &result) {
  const double terms = sumTerms(op, operands, result);
  Errors errors = relativeErrors(result, 1);
  addSumErrors(errors,
               sumOfMagnitudes(op, operands, result.shape(), evaluateMatmul),
               terms, computeType(result.dtype()));
  addFlushedProducts(errors, operands, terms);
  return errors;
}

//===----------------------------------------------------------------------===//
// Windows, reductions, norms
//===----------------------------------------------------------------------===//

/// Means of windows, and of all the elements that are reduced.
Errors errorsOfMean(const OpDesc &op, Operands operands, const Tensor &result,
                    double terms) {
  Errors errors = relativeErrors(result, 2);
  std::vector<double> means =
      op.kind == OpKind::avg_pool
          ? sumOfMagnitudes(op, operands, result.shape(), evaluatePool)
          : sumOfMagnitudes(op, operands, result.shape(), evaluateReduce);
  // An order overflows where the sum does, not the mean.
  DType computed = computeType(result.dtype());
  for (size_t i = 0; i < errors.size(); ++i)
    if (means[i] * terms >= largestNumber(computed))
      errors[i] = kInfinity;
  addSumErrors(errors, means, terms, computed);
  return errors;
}

/// Factors above and below 1 in any order: their products may overflow or lose
/// digits by themselves.
Errors errorsOfProduct(const OpDesc &op, Operands operands,
                       const Tensor &result, double terms) {
  DType computed = computeType(result.dtype());
  auto product = [&](double (*limit)(double)) {
    Tensor factors = finiteMagnitudes(operands[0]);
    std::vector<double> values = widen<double>(factors);
    for (double &value : values)
      value = limit(value);
    narrow(values, factors);
    Tensor products = *Tensor::allocate({DType::f64, result.shape()});
    evaluateReduce(op, {&factors, 1}, products);
    return widen<double>(products);
  };
  const std::vector<double> large =
      product([](double x) { return std::max(x, 1.0); });
  const std::vector<double> small =
      product([](double x) { return x == 0 ? 1 : std::min(x, 1.0); });
  Errors errors = relativeErrors(result, std::sqrt(terms) + 2);
  for (size_t i = 0; i < errors.size(); ++i)
    if (large[i] >= largestNumber(computed))
      errors[i] = kInfinity;
    else if (small[i] < leastNormal(computed))
      errors[i] += leastNormal(computed) * large[i];
  return errors;
}

Errors errorsOfReduce(const OpDesc &op, Operands operands,
                      const Tensor &result) {
  const auto &attrs = *op.attrs.AsReduceAttrs();
  double terms = 1;
  for (int64_t dim : attrs.dims)
    terms *= static_cast<double>(operands[0].shape()[static_cast<int>(dim)]);
  switch (attrs.kind) {
  case ReduceKind::sum: {
    Errors errors = relativeErrors(result, 1);
    addSumErrors(errors,
                 sumOfMagnitudes(op, operands, result.shape(), evaluateReduce),
                 terms, computeType(result.dtype()));
    return errors;
  }
  case ReduceKind::mean:
    return errorsOfMean(op, operands, result, terms);
  case ReduceKind::prod:
    return errorsOfProduct(op, operands, result, terms);
  default:
    return {};
  }
}

Errors errorsOfPool(const OpDesc &op, Operands operands, const Tensor &result) {
  if (op.kind == OpKind::max_pool)
    return {};
  double terms = 1;
  for (int64_t size : op.attrs.AsPoolAttrs()->window)
    terms *= static_cast<double>(size);
  return errorsOfMean(op, operands, result, terms);
}

/// (x - mean) f + offset with f = scale / sqrt(variance + epsilon), or
/// x f + (offset - mean f) where |mean f| <= 8 max(1, |offset|).
Errors errorsOfBatchNorm(const OpDesc &op, Operands operands,
                         const Tensor &result) {
  const auto &attrs = *op.attrs.AsBatchNormAttrs();
  const std::vector<double> x = widen<double>(operands[0]),
                            scale = widen<double>(operands[1]),
                            offset = widen<double>(operands[2]),
                            mean = widen<double>(operands[3]),
                            variance = widen<double>(operands[4]);
  double unit = unitRoundoff(computeType(result.dtype()));
  Errors errors = relativeErrors(result, 1);
  const eager::Strides own = rowMajorStrides(result.shape());
  for (StridedIndex<1> i(result.shape(), {own}); !i.done(); i.next()) {
    const int64_t at = i.offset(0);
    const size_t c = i[static_cast<int>(attrs.axis)];
    double f = std::fabs(scale[c] / std::sqrt(variance[c] + attrs.epsilon));
    double folded = std::fabs(mean[c]) * f;
    double sum = std::fabs(x[at] - mean[c]) * f + std::fabs(offset[c]);
    if (folded <= 8 * std::max(1.0, std::fabs(offset[c])))
      sum += folded;
    if (std::isfinite(sum))
      errors[at] += 8 * unit * sum;
  }
  return errors;
}

/// exp(x - max) / sum: the relative error grows with max - x, which is at most
/// the negative logarithm of the result.
Errors errorsOfSoftmax(const OpDesc &op, const Tensor &result) {
  auto terms = static_cast<double>(
      result.shape()[static_cast<int>(op.attrs.AsAxisAttrs()->axis)]);
  DType computed = computeType(result.dtype());
  double unit = unitRoundoff(computed);
  const std::vector<double> values = widen<double>(result);
  Errors errors = relativeErrors(result, 16 + std::sqrt(terms));
  for (size_t i = 0; i < errors.size(); ++i) {
    if (values[i] > 0)
      errors[i] -= 2 * unit * values[i] * std::log(values[i]);
    if (values[i] < leastNormal(computed))
      errors[i] += leastNormal(computed);
  }
  return errors;
}

} // namespace

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

std::vector<double> reference::localErrors(const OpDesc &op, Operands operands,
                                           const Tensor &result,
                                           double termsBefore) {
  if (!isFloat(result.dtype()))
    return {};
  switch (op.kind) {
  case OpKind::cast:
    return errorsOfCast(operands, result);
  case OpKind::conv:
    return errorsOfConv(op, operands, result);
  case OpKind::matmul:
    return errorsOfMatmul(op, operands, result);
  case OpKind::reduce:
    return errorsOfReduce(op, operands, result);
  case OpKind::max_pool:
  case OpKind::avg_pool:
    return errorsOfPool(op, operands, result);
  case OpKind::batch_norm:
    return errorsOfBatchNorm(op, operands, result);
  case OpKind::softmax:
    return errorsOfSoftmax(op, result);
  default:
    return errorsOfElementwise(op, operands, result, termsBefore);
  }
}
