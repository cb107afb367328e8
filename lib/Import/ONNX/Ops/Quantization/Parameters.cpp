//===- Parameters.cpp - Scales and zero points of ONNX ops ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops/Quantization/Quantization.h"

#include "tandem/Target/Program/ConstantEvaluation.h"

#include "mlir/IR/Matchers.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using llvm::Twine;

namespace tandem::onnx {

QuantizedTensor quantizedOperand(Node &node, unsigned i, int64_t axis) {
  return {node.operand(i), node.nameOf(i), axis};
}

/// Operand `i`, whose parameters may differ along the dim that is `fromEnd`
/// dims before the end, if the operand is a matrix.
static QuantizedTensor matrixOperand(Node &node, unsigned i, int64_t fromEnd) {
  QuantizedTensor tensor = quantizedOperand(node, i);
  const int64_t rank = node.rank(tensor.value);
  tensor.isMatrix = rank >= 2;
  if (tensor.isMatrix)
    tensor.axis = rank - fromEnd;
  return tensor;
}

QuantizedTensor leftMatrix(Node &node, unsigned i) {
  return matrixOperand(node, i, /*fromEnd=*/2);
}

QuantizedTensor rightMatrix(Node &node, unsigned i) {
  return matrixOperand(node, i, /*fromEnd=*/1);
}

QuantizedTensor asFactor(Node &node, QuantizedTensor tensor, Value other) {
  if (node.rank(other) >= 2)
    return tensor;
  return {tensor.value, tensor.name};
}

//===----------------------------------------------------------------------===//
// Shapes and types
//===----------------------------------------------------------------------===//

namespace {

bool hasOneElement(Node &node, Value value) {
  const RankedTensorType type = node.type(value);
  return type.hasStaticShape() && type.getNumElements() == 1;
}

/// The size of a dim; nothing if it is free.
std::optional<int64_t> sizeOf(Node &node, Value value, int64_t dim) {
  return node.sizesOf(value)[dim].value();
}

/// An error unless a parameter of as many dims as the matrix has one element
/// along the dim that the product sums over, and broadcasts along the others.
bool requireMatrixParameter(Node &node, unsigned i,
                            const QuantizedTensor &tensor) {
  Value parameter = node.operand(i);
  const int64_t rank = node.rank(tensor.value);
  if (!node.requireRank(node.nameOf(i), node.rank(parameter), rank))
    return false;
  for (int64_t dim = 0; dim < rank; ++dim) {
    const std::optional<int64_t> found = sizeOf(node, parameter, dim),
                                 size = sizeOf(node, tensor.value, dim);
    const bool isSummed = dim >= rank - 2 && dim != tensor.axis;
    if (!found || found == 1 || (!isSummed && (!size || found == size)))
      continue;
    const std::string wanted =
        isSummed || size == 1 ? "1" : "1 or " + std::to_string(*size);
    return node.require(false, node.nameOf(i) + " has " + Twine(*found) +
                                   " elements along dim " + Twine(dim) +
                                   ", not " + wanted + ", for " + tensor.name);
  }
  return true;
}

} // namespace

bool requireParameter(Node &node, unsigned i, const QuantizedTensor &tensor) {
  Value parameter = node.operand(i);
  if (node.hasFailed())
    return false;
  if (hasOneElement(node, parameter))
    return true;
  if (tensor.isMatrix && node.rank(parameter) > 1)
    return requireMatrixParameter(node, i, tensor);
  if (node.rank(parameter) > 1)
    return node.requireRank(node.nameOf(i), node.rank(parameter),
                            tensor.axis == kWholeTensor ? 0 : 1);
  const std::optional<int64_t> count =
      node.rank(parameter) == 1 ? sizeOf(node, parameter, 0) : 1;
  if (tensor.axis == kWholeTensor)
    return node.require(!count || count == 1,
                        node.nameOf(i) + " has " + Twine(count.value_or(0)) +
                            " elements; it must be one number for all of " +
                            tensor.name);
  if (!node.require(tensor.axis < node.rank(tensor.value),
                    node.nameOf(i) + " has " + Twine(count.value_or(0)) +
                        " elements; " + tensor.name + " has no dim " +
                        Twine(tensor.axis)))
    return false;
  const std::optional<int64_t> size = sizeOf(node, tensor.value, tensor.axis);
  return node.require(!count || !size || count == size,
                      node.nameOf(i) + " has " + Twine(count.value_or(0)) +
                          " elements; dim " + Twine(tensor.axis) + " of " +
                          tensor.name + " has " + Twine(size.value_or(0)));
}

bool requireZeroPointType(Node &node, unsigned i,
                          const QuantizedTensor &tensor) {
  const Type type = node.element(node.operand(i)),
             wanted = node.element(tensor.value);
  if (node.hasFailed() || type == wanted)
    return !node.hasFailed();
  std::string message;
  llvm::raw_string_ostream(message)
      << "the zero point " << node.nameOf(i) << " has the type " << type
      << ", and " << tensor.name << " the type " << wanted;
  return node.require(false, message);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {

bool obeys(double scale, ScaleRule rule) {
  switch (rule) {
  case ScaleRule::Positive:
    return std::isfinite(scale) && scale > 0;
  case ScaleRule::NotNegative:
    return std::isfinite(scale) && scale >= 0;
  case ScaleRule::Finite:
    return std::isfinite(scale);
  }
  return false;
}

StringRef describe(ScaleRule rule) {
  switch (rule) {
  case ScaleRule::Positive:
    return "a scale that numbers are divided by must be positive and finite";
  case ScaleRule::NotNegative:
    return "a scale must be finite and not negative";
  case ScaleRule::Finite:
    return "a scale must be finite";
  }
  return "";
}

} // namespace

bool requireScale(Node &node, unsigned i, ScaleRule rule) {
  Value scale = node.operand(i);
  if (node.hasFailed())
    return false;
  if (!node.isFloat(scale)) {
    std::string message;
    llvm::raw_string_ostream(message)
        << "the scale " << node.nameOf(i) << " has the type "
        << node.element(scale) << ", not one of floats";
    return node.require(false, message);
  }
  while (auto cast = scale.getDefiningOp<ir::CastOp>())
    scale = cast.getInput();
  if (!matchPattern(scale, m_Constant()))
    return true;
  Expected<std::optional<Tensor>> elements =
      evaluateConstant(scale, kMaxEvaluatedBytes);
  if (!elements || !*elements)
    return true; // It is too large to be read while importing.
  const std::optional<FoundNumber> wrong = findNumber(
      **elements, [&](double number) { return !obeys(number, rule); });
  if (!wrong)
    return true;
  std::string message;
  llvm::raw_string_ostream stream(message);
  if ((*elements)->shape().numElements() > 1)
    stream << "element " << wrong->index << " of ";
  stream << "the scale " << node.nameOf(i) << " is "
         << llvm::format("%g", wrong->number) << "; " << describe(rule);
  return node.require(false, message);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value alignParameter(Node &node, Value parameter, int64_t axis, int64_t rank) {
  if (hasOneElement(node, parameter))
    return node.reshape(parameter, {});
  return node.rank(parameter) == 1 ? alongAxis(node, parameter, axis, rank)
                                   : parameter;
}

Value scaleOf(Node &node, unsigned i, const QuantizedTensor &tensor,
              ScaleRule rule) {
  if (!requireParameter(node, i, tensor) || !requireScale(node, i, rule))
    return {};
  return node.cast(alignParameter(node, node.operand(i), tensor.axis,
                                  node.rank(tensor.value)),
                   f32(node));
}

} // namespace tandem::onnx
