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
#include "../FFTLines.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/CustomCall.h"
#include "tandem/Runtime/Provider.h"
#include "tandem/Support/Strides.h"

#include <algorithm>
#include <cassert>

using namespace tandem;
using namespace tandem::reference;

std::vector<double> reference::evaluateInDouble(const OpDesc &op,
                                                Operands operands,
                                                const Shape &shape) {
  Tensor result = *Tensor::allocate({DType::f64, shape});
  [[maybe_unused]] const Status status =
      evaluateByReference(op, operands, {&result, 1});
  assert(status && "only custom calls have no reference");
  return widen<double>(result);
}

std::vector<double> reference::sumOfMagnitudes(const OpDesc &op,
                                               Operands operands,
                                               const Shape &shape) {
  std::vector<Tensor> magnitudes;
  for (const Tensor &operand : operands)
    magnitudes.push_back(mapElements(operand, finiteMagnitude));
  return evaluateInDouble(op, magnitudes, shape);
}

namespace {

/// The errors of `units` roundings in the computing type, and of one more to
/// the result's type where that is narrower. A zero has no error.
Errors relativeErrors(const Tensor &result, double units) {
  const DType dtype = result.dtype(), computed = computeType(dtype);
  double relative = units * unitRoundoff(computed), least = 0;
  if (dtype != computed) {
    relative += unitRoundoff(dtype);
    least = leastPositive(dtype) / 2;
  }
  Errors errors = widen<double>(result);
  for (double &value : errors)
    value = std::isfinite(value) && value != 0
                ? std::max(relative * std::fabs(value), least)
                : 0;
  return errors;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Adds what a function errs beyond relative errors: the terms of
/// Rounding::cancelling and Rounding::power, and subnormal results, which eager
/// functions may flush to zero. For softmax, exp(x - max) / sum, the relative
/// error grows with max - x, which is at most the negative logarithm of the
/// result.
void addFunctionErrors(Rounding rounding, Operands operands,
                       const Tensor &result, Errors &errors) {
  const DType computed = computeType(result.dtype());
  const double unit = unitRoundoff(computed), least = leastNormal(computed);
  const bool isSoftmax = rounding == Rounding::softmax,
             isPower = rounding == Rounding::power || isSoftmax;
  const std::vector<double> values = widen<double>(result),
                            x = widen<double>(operands[0]);
  for (size_t i = 0; i < errors.size(); ++i) {
    const double magnitude = std::fabs(values[i]);
    if (rounding == Rounding::cancelling && std::isfinite(values[i]))
      errors[i] += 2 * unit * std::min(std::fabs(x[i]), 16.0);
    if (isPower && std::isfinite(values[i]) && magnitude > 0)
      errors[i] += 2 * unit * magnitude * std::fabs(std::log(magnitude));
    if (magnitude < least && (magnitude > 0 || isSoftmax))
      errors[i] += least;
  }
}

/// The errors of an addition to a contraction of `termsBefore` terms. A kernel
/// may begin the sum of the contraction with the addend. No order of adding the
/// terms overflows while both the contraction's terms and the addend stay below
/// half of the largest number.
Errors errorsOfAddition(const OpDesc &op, Operands operands,
                        const Tensor &result, double termsBefore) {
  Errors errors = relativeErrors(result, std::sqrt(termsBefore));
  OpDesc sum = op;
  sum.kind = OpKind::add;
  const std::vector<double> magnitudes =
      sumOfMagnitudes(sum, operands, result.shape());
  for (size_t i = 0; i < errors.size(); ++i)
    if (magnitudes[i] >= largestNumber(computeType(result.dtype())) / 2)
      errors[i] = kInfinity;
  return errors;
}

/// (1 - y) g may overflow where y is not from 0 to 1 (S1 of sigmoid_backward).
void addSigmoidBackwardErrors(Operands operands, const Tensor &result,
                              Errors &errors) {
  const double most = largestNumber(computeType(result.dtype())) / 2;
  const std::vector<double> ys = widen<double>(operands[0]),
                            gs = widen<double>(operands[1]);
  size_t element = 0;
  for (StridedIndex<2> i(
           result.shape(),
           {broadcastStrides(operands[0].shape(), result.shape()),
            broadcastStrides(operands[1].shape(), result.shape())});
       !i.done(); i.next(), ++element) {
    const double y = ys[i.offset(0)], product = (1 - y) * gs[i.offset(1)];
    if ((y < 0 || y > 1) && std::isfinite(product) && std::fabs(product) > most)
      errors[element] = kInfinity;
  }
}

Errors errorsOfFunction(const OpDesc &op, Operands operands,
                        const Tensor &result, const OpErrors &facts,
                        double termsBefore) {
  if ((op.kind == OpKind::add || op.kind == OpKind::sub) && termsBefore > 1)
    return errorsOfAddition(op, operands, result, termsBefore);
  double units = facts.units;
  if (facts.rounding == Rounding::softmax) // The power and the sum of powers.
    units = 2 * units + facts.sumUnits();
  Errors errors = relativeErrors(result, units);
  if (facts.rounding != Rounding::once)
    addFunctionErrors(facts.rounding, operands, result, errors);
  if (op.kind == OpKind::sigmoid_backward)
    addSigmoidBackwardErrors(operands, result, errors);
  return errors;
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// The number of randomly rounding terms that has the error of `terms` terms.
/// If all weights are equal, most terms may be equal, too, and round in the
/// same direction: the errors of K such terms are like those of the square of K
/// random ones.
double randomTerms(double terms, const Tensor &weights) {
  const std::vector<double> w = widen<double>(weights);
  const bool areEqual =
      std::adjacent_find(w.begin(), w.end(), std::not_equal_to<>()) == w.end();
  return areEqual ? terms * terms : terms;
}

/// A mean overflows where the sum does. The factors of TF32 may all err with
/// one sign, as they do for operands of few values, and those beyond the
/// largest number of TF32 may become infinite.
Errors errorsOfSum(const OpDesc &op, Operands operands, const Tensor &result,
                   const OpErrors &facts) {
  constexpr double kLargestTF32 = 0x1.ff8p127;
  const bool isMean = facts.rounding == Rounding::mean;
  const DType computed = computeType(result.dtype());
  double most = largestNumber(computed) / (isMean ? facts.terms : 1);
  double terms = facts.terms;
  const bool isContraction = getOpInfo(op.kind).family == OpFamily::contraction;
  if (isContraction) { // See errorsOfAddition; a bias is a term.
    most /= 2;
    terms = randomTerms(terms + static_cast<double>(operands.size() - 2),
                        operands[1]);
    if (facts.productError > 0 &&
        std::max(largestMagnitude(operands[0]), largestMagnitude(operands[1])) >
            kLargestTF32)
      most = 0;
  }
  Errors errors = relativeErrors(result, facts.units + (isMean ? 1 : 0));
  const bool isResize = op.kind == OpKind::resize;
  if (isResize) // The weights of each dim and their products are rounded, too.
    terms += 3 * static_cast<double>(op.attrs.AsResizeAttrs()->dims.size());
  const std::vector<double> magnitudes =
      isResize ? resizedMagnitudes(op, operands[0], result.shape())
               : sumOfMagnitudes(op, operands, result.shape());
  const double relative =
      std::sqrt(terms) * unitRoundoff(computed) + facts.productError;
  for (size_t i = 0; i < errors.size(); ++i)
    if (magnitudes[i] >= most)
      errors[i] = kInfinity;
    else if (!std::isnan(magnitudes[i])) // The mean of nothing has no error.
      errors[i] += relative * magnitudes[i];
  if (isResize) // Products may be subnormal.
    for (size_t i = 0; i < errors.size(); ++i)
      if (magnitudes[i] > 0)
        errors[i] += terms * leastPositive(computed);
  if (isContraction)
    addContractionErrors(errors, op, operands, result, facts);
  return errors;
}

/// Factors above and below 1 in any order: their products may overflow or lose
/// digits by themselves.
Errors errorsOfProduct(const OpDesc &op, const Tensor &operand,
                       const Tensor &result, double terms) {
  const double largest = largestNumber(computeType(result.dtype())),
               least = leastNormal(computeType(result.dtype()));
  auto productOf = [&](double (*limit)(double)) {
    const Tensor factors = mapElements(
        operand, [&](double x) { return limit(finiteMagnitude(x)); });
    return evaluateInDouble(op, {&factors, 1}, result.shape());
  };
  const std::vector<double> results = widen<double>(result);
  const std::vector<double> large =
      productOf([](double x) { return std::max(x, 1.0); });
  const std::vector<double> small =
      productOf([](double x) { return x == 0 ? 1 : std::min(x, 1.0); });
  Errors errors = relativeErrors(result, std::sqrt(terms) + 2);
  for (size_t i = 0; i < errors.size(); ++i)
    if (large[i] >= largest || (small[i] < least && std::isinf(results[i])))
      errors[i] = kInfinity; // Infinity times what has become 0 is NaN.
    else if (small[i] < least)
      errors[i] += least * large[i];
  return errors;
}

//===----------------------------------------------------------------------===//
// log_sum_exp and Fourier transforms
//===----------------------------------------------------------------------===//

/// m + log(sum(exp(x - m))) for the largest m of the elements so far: the sum
/// has a relative error, which is an absolute one of its logarithm. A sum may
/// be multiplied by an exponential at each element, which errs as a function
/// does. The distances x - m have relative errors, which count as much as their
/// exponentials weigh: no more than the logarithm of the number of terms.
Errors errorsOfLogSumExp(const Tensor &result, const OpErrors &facts) {
  const double unit = unitRoundoff(computeType(result.dtype()));
  const double absolute =
      facts.units * (facts.sumUnits() + 2) + 2 * std::log(facts.terms + 1);
  Errors errors = relativeErrors(result, 4);
  const std::vector<double> values = widen<double>(result);
  for (size_t i = 0; i < errors.size(); ++i)
    if (std::isfinite(values[i]))
      errors[i] += absolute * unit;
  return errors;
}

/// The norm and the sum of the magnitudes of a line.
struct LineSize {
  double norm = 0, sum = 0;
};

LineSize sizeOfLine(const std::vector<double> &from,
                    const eager::FFTLines &lines, int64_t outer,
                    int64_t inner) {
  LineSize size;
  const int64_t parts = lines.readsReal() ? 1 : 2;
  for (int64_t k = 0; k < lines.inSize; ++k)
    for (int64_t part = 0; part < parts; ++part) {
      const double x = finiteMagnitude(
          from[((outer * lines.inSize + k) * lines.inner + inner) * parts +
               part]);
      size.norm = std::hypot(size.norm, x);
      size.sum += x;
    }
  // An irfft reads half of the line.
  const double factor = lines.writesReal() ? 2 : 1;
  return {size.norm * factor, size.sum * factor};
}

/// See FourierError. Products of roots of unity with small elements, and small
/// results, may be flushed to zero.
Errors errorsOfFourier(const OpDesc &op, const Tensor &operand,
                       const Tensor &result, const OpErrors &facts) {
  const eager::FFTLines lines(op, operand.type(), result.type());
  const DType computed = computeType(result.dtype());
  const double unit = facts.sumUnits() * unitRoundoff(computed);
  const double scale = lines.isInverse() ? 1 / facts.terms : 1;
  const std::vector<double> from = widen<double>(operand);
  const int64_t parts = lines.writesReal() ? 1 : 2;
  Errors errors = relativeErrors(result, 2);
  for (int64_t i = 0; i < lines.outer; ++i)
    for (int64_t j = 0; j < lines.inner; ++j) {
      const LineSize size = sizeOfLine(from, lines, i, j);
      const double error = size.sum >= largestNumber(computed) / 2
                               ? kInfinity
                               : scale * (unit * size.norm +
                                          facts.terms * leastNormal(computed)) +
                                     leastNormal(computed);
      for (int64_t k = 0; k < lines.outSize * parts; ++k)
        errors[((i * lines.outSize + k / parts) * lines.inner + j) * parts +
               k % parts] += error;
    }
  return errors;
}

//===----------------------------------------------------------------------===//
// batch_norm and custom calls
//===----------------------------------------------------------------------===//

/// (x - mean) f + offset with f = scale / sqrt(variance + epsilon), or
/// x f + (offset - mean f) where |mean f| <= 8 max(1, |offset|), or (x - mean)
/// / sqrt(variance + epsilon) scale + offset: anything where a difference, a
/// quotient or a product of one form may overflow (S2 of batch_norm).
Errors errorsOfBatchNorm(const OpDesc &op, Operands operands,
                         const Tensor &result, double units) {
  const auto &attrs = *op.attrs.AsBatchNormAttrs();
  const DType computed = computeType(result.dtype());
  std::vector<double> values[5]; // Input, scale, offset, mean, variance.
  for (size_t i = 0; i < operands.size(); ++i)
    values[i] = widen<double>(operands[i]);
  // Numbers that the computing type does not have, nearly: the class of what is
  // infinite or NaN already is the same in every form.
  auto overflows = [&](std::initializer_list<double> steps) {
    return std::any_of(steps.begin(), steps.end(), [&](double step) {
      return std::isfinite(step) && step > largestNumber(computed) / 2;
    });
  };
  Errors errors = relativeErrors(result, 1);
  for (StridedIndex<1> i(result.shape(), {rowMajorStrides(result.shape())});
       !i.done(); i.next()) {
    const int64_t c = i[static_cast<int>(attrs.axis)];
    const double x = values[0][i.offset(0)], scale = std::fabs(values[1][c]),
                 offset = std::fabs(values[2][c]), mean = values[3][c];
    const double deviation = std::sqrt(values[4][c] + attrs.epsilon);
    const double factor = scale / deviation, centered = std::fabs(x - mean),
                 folded = std::fabs(mean) * factor;
    double sum = centered * factor + offset;
    // An infinity times a factor that may be flushed is NaN.
    const bool mayVanish =
        std::isinf(centered) && factor > 0 && factor < leastNormal(computed);
    const bool mayOverflow =
        overflows({centered, centered / deviation, factor, centered * factor,
                   std::fabs(x) * factor, sum, deviation * deviation});
    if (folded <= 8 * std::max(1.0, offset))
      sum += folded;
    if (mayVanish || mayOverflow)
      errors[i.offset(0)] = kInfinity;
    else if (std::isfinite(sum))
      errors[i.offset(0)] += units * unitRoundoff(computed) * sum;
  }
  return errors;
}

/// How far the function of the user may be from its reference.
Errors errorsOfCustomCall(const OpDesc &op, const Tensor &result) {
  const auto call =
      findCustomCall(op.attrs.AsCustomCallAttrs()->target, hostDevice());
  if (!call || call->relativeError == 0)
    return {};
  Errors values = widen<double>(result);
  double squares = 0;
  for (double value : values)
    squares += finiteMagnitude(value) * finiteMagnitude(value);
  const double rms = std::sqrt(squares / std::max<double>(values.size(), 1));
  for (double &value : values)
    value = std::isfinite(value)
                ? call->relativeError * (std::fabs(value) + rms)
                : 0;
  return values;
}

Errors errorsOfRounding(const OpDesc &op, Operands operands,
                        const Tensor &result, const OpErrors &facts,
                        double termsBefore, size_t number) {
  switch (facts.rounding) {
  case Rounding::exact:
  case Rounding::updates: // Every tier rounds after each update.
    return {};
  case Rounding::once:
  case Rounding::function:
  case Rounding::cancelling:
  case Rounding::power:
  case Rounding::softmax:
    return errorsOfFunction(op, operands, result, facts, termsBefore);
  case Rounding::conversion:
    return facts.isRoundedToHalf ? relativeErrors(result, 0) : Errors();
  case Rounding::sum:
  case Rounding::mean:
    return errorsOfSum(op, operands, result, facts);
  case Rounding::product:
    return errorsOfProduct(op, operands[0], result, facts.terms);
  case Rounding::moments: {
    Errors errors = relativeErrors(result, facts.units);
    addMomentsErrors(errors, op, operands[0], result, facts, number);
    return errors;
  }
  case Rounding::batchNorm:
    return errorsOfBatchNorm(op, operands, result, facts.units);
  case Rounding::softmaxBackward: {
    Errors errors = relativeErrors(result, facts.units);
    addSoftmaxBackwardErrors(errors, op, operands, facts);
    return errors;
  }
  case Rounding::layerNorm: {
    Errors errors = relativeErrors(result, 1);
    addLayerNormErrors(errors, op, operands, facts, number);
    return errors;
  }
  case Rounding::layerNormBackward: {
    Errors errors = relativeErrors(result, 1);
    addLayerNormBackwardErrors(errors, operands, facts, number);
    return errors;
  }
  case Rounding::logSumExp:
    return errorsOfLogSumExp(result, facts);
  case Rounding::fourier:
    return errorsOfFourier(op, operands[0], result, facts);
  case Rounding::unknown:
    return errorsOfCustomCall(op, result);
  case Rounding::own: // Never returned by errorsOf.
    break;
  }
  __builtin_unreachable();
}

} // namespace

Errors reference::localErrors(const OpDesc &op, Operands operands,
                              const Tensor &result, const OpErrors &facts,
                              double termsBefore, size_t number) {
  if (!isFloat(result.dtype()))
    return {};
  Errors errors =
      errorsOfRounding(op, operands, result, facts, termsBefore, number);
  const bool errs = std::any_of(errors.begin(), errors.end(),
                                [](double error) { return error > 0; });
  return errs ? errors : Errors();
}
