//===- LocalErrors.cpp - What one op may add to an error ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op on 16-bit floats computes in f32 and rounds its result once. Its errors
// are those of f32 and one rounding to the type of the result: bf16 may be left
// unrounded between two ops of a kernel, and f32 values that differ a little
// may be rounded to neighbors of f16 (docs/Rationale.md, "16-bit floats").
//
// Sums are bounded by sqrt(K) u sum |terms|, the probabilistic bound of Higham
// and Mary (A new approach to probabilistic rounding error analysis, SISC
// 41(5), 2019), which holds for every order of summation.
//
//===----------------------------------------------------------------------===//

#include "LocalErrors.h"

#include "Roundings.h"
#include "Wide.h"
#include "tandem/Support/Strides.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::reference;
using fb::ReduceKind;

namespace {

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Adds what a function errs beyond roundingUnits: the terms of
/// Rounding::cancelling and Rounding::power, and subnormal results, which eager
/// functions may flush to zero.
void addFunctionErrors(Rounding rounding, Operands operands,
                       const Tensor &result, Errors &errors) {
  const DType computed = computeType(result.dtype());
  const double unit = unitRoundoff(computed), least = leastNormal(computed);
  const std::vector<double> values = widen<double>(result);
  std::vector<double> x;
  if (rounding == Rounding::cancelling)
    x = widen<double>(operands[0]);
  for (size_t i = 0; i < errors.size(); ++i) {
    const double magnitude = std::fabs(values[i]);
    if (rounding == Rounding::cancelling && std::isfinite(values[i]))
      errors[i] += 2 * unit * std::min(std::fabs(x[i]), 16.0);
    if (rounding == Rounding::power && std::isfinite(values[i]) &&
        magnitude > 0)
      errors[i] += 2 * unit * magnitude * std::fabs(std::log(magnitude));
    if (magnitude > 0 && magnitude < least)
      errors[i] += least;
  }
}

/// What is added to a sum of `termsBefore` terms may be where it begins.
Errors errorsOfSum(const OpDesc &op, Operands operands, const Tensor &result,
                   double termsBefore) {
  Errors errors = relativeErrors(result, std::sqrt(termsBefore));
  OpDesc sum = op;
  sum.kind = OpKind::add;
  const std::vector<double> magnitudes =
      sumOfMagnitudes(sum, operands, result.shape(), evaluateBinary);
  const double most = mostBesides(computeType(result.dtype()));
  for (size_t i = 0; i < errors.size(); ++i)
    if (magnitudes[i] >= most)
      errors[i] = kInfinity;
  return errors;
}

Errors errorsOfElementwise(const OpDesc &op, Operands operands,
                           const Tensor &result, double termsBefore) {
  bool isSum = op.kind == OpKind::add || op.kind == OpKind::sub;
  if (isSum && termsBefore > 1)
    return errorsOfSum(op, operands, result, termsBefore);
  const OpInfo info = getOpInfo(op.kind);
  const double units = roundingUnits(info.rounding);
  if (units == 0)
    return {};
  Errors errors = relativeErrors(result, units);
  if (info.isRoundedFunction())
    addFunctionErrors(info.rounding, operands, result, errors);
  return errors;
}

/// Every tier rounds equal numbers to equal ones. Computed values may differ
/// before they are rounded to 16 bits, or not be rounded (bf16).
Errors errorsOfCast(Operands operands, const Tensor &result) {
  bool mayBeLeftOut = isFloat(operands[0].dtype()) &&
                      byteWidth(result.dtype()) == 2 &&
                      operands[0].dtype() != result.dtype();
  return mayBeLeftOut ? relativeErrors(result, 0) : Errors();
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
  const std::vector<double> results = widen<double>(result);
  Errors errors = relativeErrors(result, std::sqrt(terms) + 2);
  for (size_t i = 0; i < errors.size(); ++i)
    if (large[i] >= largestNumber(computed) ||
        (small[i] < leastNormal(computed) && std::isinf(results[i])))
      errors[i] = kInfinity; // Infinity times what has become 0 is NaN.
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
  case ReduceKind::max:
  case ReduceKind::min:
  case ReduceKind::argmax:
    break;
  }
  return {};
}

Errors errorsOfPool(const OpDesc &op, Operands operands, const Tensor &result) {
  double terms = 1;
  for (int64_t size : op.attrs.AsPoolAttrs()->window)
    terms *= static_cast<double>(size);
  return errorsOfMean(op, operands, result, terms);
}

/// (x - mean) f + offset with f = scale / sqrt(variance + epsilon), or
/// x f + (offset - mean f) where |mean f| <= 8 max(1, |offset|), or (x - mean)
/// / sqrt(variance + epsilon) scale + offset: anything where a difference, a
/// quotient or a product of one form may overflow (S2 of batch_norm).
class BatchNormErrors {
public:
  BatchNormErrors(const OpDesc &op, Operands operands, DType dtype)
      : epsilon(op.attrs.AsBatchNormAttrs()->epsilon),
        computed(computeType(dtype)), x(widen<double>(operands[0])),
        scale(widen<double>(operands[1])), offset(widen<double>(operands[2])),
        mean(widen<double>(operands[3])), variance(widen<double>(operands[4])) {
  }

  /// Returns the error, beyond the last rounding, of the element at `at`, which
  /// is of channel `c`.
  double at(int64_t at, size_t c) const {
    const double deviation = std::sqrt(variance[c] + epsilon);
    const double factor = std::fabs(scale[c]) / deviation;
    const double centered = std::fabs(x[at] - mean[c]);
    const double folded = std::fabs(mean[c]) * factor;
    double sum = centered * factor + std::fabs(offset[c]);
    // An infinity times a factor that may be flushed is NaN.
    bool mayVanish =
        std::isinf(centered) && factor > 0 && factor < leastNormal(computed);
    bool mayOverflow = mayVanish || overflows(centered) ||
                       overflows(centered / deviation) || overflows(factor) ||
                       overflows(centered * factor) ||
                       overflows(std::fabs(x[at]) * factor) || overflows(sum) ||
                       overflows(deviation * deviation);
    if (folded <= 8 * std::max(1.0, std::fabs(offset[c])))
      sum += folded;
    if (mayOverflow)
      return kInfinity;
    return std::isfinite(sum) ? 8 * unitRoundoff(computed) * sum : 0;
  }

private:
  /// A number that the type which is computed in does not have, nearly: the
  /// class of what is infinite or NaN already is the same in every form.
  bool overflows(double value) const {
    return std::isfinite(value) && value > largestNumber(computed) / 2;
  }

  double epsilon;
  DType computed;
  std::vector<double> x, scale, offset, mean, variance;
};

Errors errorsOfBatchNorm(const OpDesc &op, Operands operands,
                         const Tensor &result) {
  const auto axis = static_cast<int>(op.attrs.AsBatchNormAttrs()->axis);
  const BatchNormErrors local(op, operands, result.dtype());
  Errors errors = relativeErrors(result, 1);
  const Strides own = rowMajorStrides(result.shape());
  for (StridedIndex<1> i(result.shape(), {own}); !i.done(); i.next())
    errors[i.offset(0)] += local.at(i.offset(0), i[axis]);
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

std::vector<double> reference::localErrors(const OpDesc &op, Operands operands,
                                           const Tensor &result,
                                           Precision precision,
                                           double termsBefore) {
  if (!isFloat(result.dtype()))
    return {};
  switch (op.kind) {
#define TANDEM_UNARY(kind, ...) case OpKind::kind:
#define TANDEM_BINARY(kind, ...) case OpKind::kind:
#include "tandem/Support/Ops.def"
    return errorsOfElementwise(op, operands, result, termsBefore);
  case OpKind::cast:
    return errorsOfCast(operands, result);
  case OpKind::conv:
    return errorsOfConv(op, operands, result, precision);
  case OpKind::matmul:
    return errorsOfMatmul(op, operands, result, precision);
  case OpKind::reduce:
    return errorsOfReduce(op, operands, result);
  case OpKind::avg_pool:
    return errorsOfPool(op, operands, result);
  case OpKind::batch_norm:
    return errorsOfBatchNorm(op, operands, result);
  case OpKind::softmax:
    return errorsOfSoftmax(op, result);
  case OpKind::bitcast:
  case OpKind::compare:
  case OpKind::select:
  case OpKind::clamp:
  case OpKind::reshape:
  case OpKind::transpose:
  case OpKind::broadcast:
  case OpKind::slice:
  case OpKind::pad:
  case OpKind::concat:
  case OpKind::iota:
  case OpKind::gather:
  case OpKind::scatter: // Every tier rounds after each update.
  case OpKind::topk:
  case OpKind::sort:
  case OpKind::max_pool:
  case OpKind::custom_call:
    break; // Nothing is rounded.
  }
  return {};
}
