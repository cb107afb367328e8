//===- LocalErrors.h - The rounding errors of one op ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_REFERENCE_LOCALERRORS_H
#define TANDEM_RUNTIME_EAGER_REFERENCE_LOCALERRORS_H

#include "Evaluate.h"
#include "Wide.h"

#include "tandem/Support/OpErrors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tandem::reference {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How far each element of a result may be from the reference's; infinite where
/// it may be anything. Empty if no element has an error.
using Errors = std::vector<double>;

/// Bounds the rounding errors of one op's own arithmetic. For each element of
/// `result`, which the reference has computed from `operands`, returns how far
/// the result of another tier on the same operands may be from it. A bound is
/// infinite where an intermediate result may overflow in one order of
/// evaluation and not in another. `number` is that of the result among those of
/// the op. `termsBefore` is the largest number of terms
/// (OpErrors) of the contractions that made the operands: it matters because a
/// kernel may begin a sum with a term that the graph adds to it afterwards.
Errors localErrors(const OpDesc &op, Operands operands, const Tensor &result,
                   const OpErrors &facts, double termsBefore, size_t number);

/// Adds what a contraction errs beyond other sums.
void addContractionErrors(Errors &errors, const OpDesc &op, Operands operands,
                          const Tensor &result, const OpErrors &facts);

/// Adds what the sums of result `number` of a moments err.
void addMomentsErrors(Errors &errors, const OpDesc &op, const Tensor &operand,
                      const Tensor &result, const OpErrors &facts,
                      size_t number);

/// Adds what the sums and differences of a softmax_backward err.
void addSoftmaxBackwardErrors(Errors &errors, const OpDesc &op,
                              Operands operands, const OpErrors &facts);

/// Adds what the sums and differences of result `number` of a layer_norm err.
void addLayerNormErrors(Errors &errors, const OpDesc &op, Operands operands,
                        const OpErrors &facts, size_t number);
/// The same for a layer_norm_backward.
void addLayerNormBackwardErrors(Errors &errors, Operands operands,
                                const OpErrors &facts, size_t number);

/// The tensor in f64 with a function of each of its elements.
template <typename Function>
Tensor mapElements(const Tensor &tensor, Function function) {
  Tensor result = *Tensor::allocate({DType::f64, tensor.shape()});
  const std::vector<double> values = widen<double>(tensor);
  std::transform(values.begin(), values.end(), result.as<double>(), function);
  return result;
}

/// The magnitude of a number, and 0 for infinities and NaN: they make a result
/// infinite or NaN in any order of evaluation, and add no rounding error.
inline double finiteMagnitude(double x) {
  return std::isfinite(x) ? std::fabs(x) : 0;
}

/// Evaluates the op on operands in f64. The result has the given shape.
std::vector<double> evaluateInDouble(const OpDesc &op, Operands operands,
                                     const Shape &shape);
/// The same on the magnitudes of the operands.
std::vector<double> sumOfMagnitudes(const OpDesc &op, Operands operands,
                                    const Shape &shape);

} // namespace tandem::reference

#endif // TANDEM_RUNTIME_EAGER_REFERENCE_LOCALERRORS_H
