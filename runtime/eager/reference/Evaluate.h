//===- Evaluate.h - One function per family of ops --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference semantics of every op, one function per family, as plain loops
// that are written for clarity. Each function reads `operands` and writes every
// element of `result`, whose type must be the one that the shape rules infer.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_REFERENCE_EVALUATE_H
#define TANDEM_RUNTIME_EAGER_REFERENCE_EVALUATE_H

#include "tandem/Runtime/Tensor.h"
#include "tandem/Support/ShapeRules.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tandem::reference {

using Operands = std::span<const Tensor>;

void evaluateUnary(const OpDesc &op, Operands operands, Tensor &result);
void evaluateCast(const OpDesc &op, Operands operands, Tensor &result);
void evaluateBinary(const OpDesc &op, Operands operands, Tensor &result);
void evaluateCompare(const OpDesc &op, Operands operands, Tensor &result);
void evaluateSelect(const OpDesc &op, Operands operands, Tensor &result);
void evaluateClamp(const OpDesc &op, Operands operands, Tensor &result);

void evaluateReshape(const OpDesc &op, Operands operands, Tensor &result);
void evaluateTranspose(const OpDesc &op, Operands operands, Tensor &result);
void evaluateBroadcast(const OpDesc &op, Operands operands, Tensor &result);
void evaluateSlice(const OpDesc &op, Operands operands, Tensor &result);
void evaluatePad(const OpDesc &op, Operands operands, Tensor &result);
void evaluateConcat(const OpDesc &op, Operands operands, Tensor &result);
void evaluateIota(const OpDesc &op, Operands operands, Tensor &result);
void evaluateGather(const OpDesc &op, Operands operands, Tensor &result);

void evaluateScatter(const OpDesc &op, Operands operands, Tensor &result);
/// topk and sort: the elements, and their indices.
void evaluateOrder(const OpDesc &op, Operands operands,
                   std::span<Tensor> results);

void evaluateScan(const OpDesc &op, Operands operands, Tensor &result);
void evaluateFFT(const OpDesc &op, Operands operands, Tensor &result);

void evaluateConv(const OpDesc &op, Operands operands, Tensor &result);
void evaluateConvBackwardData(const OpDesc &op, Operands operands,
                              Tensor &result);
void evaluateConvBackwardWeights(const OpDesc &op, Operands operands,
                                 Tensor &result);
void evaluateMatmul(const OpDesc &op, Operands operands, Tensor &result);
void evaluatePool(const OpDesc &op, Operands operands, Tensor &result);
/// max_pool_with_index: the values, and the index.
void evaluatePoolWithIndex(const OpDesc &op, Operands operands,
                           std::span<Tensor> results);
/// max_pool_backward and avg_pool_backward.
void evaluatePoolBackward(const OpDesc &op, Operands operands, Tensor &result);
/// The mean, and the variance.
void evaluateMoments(const OpDesc &op, Operands operands,
                     std::span<Tensor> results);
void evaluateRandom(const OpDesc &op, Operands operands, Tensor &result);
void evaluateResize(const OpDesc &op, Operands operands, Tensor &result);
/// The bytes of the extrapolation value of a resize as an element of `dtype`.
/// Integers are rounded as interpolated ones are.
std::vector<std::byte> resizeExtrapolation(const OpDesc &op, DType dtype);
/// For each result of a resize of floats, the sum of the magnitudes of what is
/// added; infinities and NaN count as 0.
std::vector<double> resizedMagnitudes(const OpDesc &op, const Tensor &operand,
                                      const Shape &shape);
void evaluateReduce(const OpDesc &op, Operands operands, Tensor &result);
void evaluateBatchNorm(const OpDesc &op, Operands operands, Tensor &result);
void evaluateSoftmax(const OpDesc &op, Operands operands, Tensor &result);
void evaluateSoftmaxBackward(const OpDesc &op, Operands operands,
                             Tensor &result);
void evaluateLayerNorm(const OpDesc &op, Operands operands,
                       std::span<Tensor> results);
void evaluateLayerNormBackward(const OpDesc &op, Operands operands,
                               std::span<Tensor> results);

/// A binary function of two elements; integers are those of 64 bits.
double applyBinary(BinaryKind kind, double a, double b);
int64_t applyBinary(BinaryKind kind, int64_t a, int64_t b);
uint64_t applyBinary(BinaryKind kind, uint64_t a, uint64_t b);

} // namespace tandem::reference

#endif // TANDEM_RUNTIME_EAGER_REFERENCE_EVALUATE_H
