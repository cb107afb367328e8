//===- QuantizedOps.cpp - Quantized ops of com.microsoft ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op applies a function that ONNX has for real numbers to quantized
// numbers, and quantizes the result. ONNX Runtime's quantizer and optimizer
// write these ops.
//
//===----------------------------------------------------------------------===//

#include "Ops/Activations.h"
#include "Ops/Attention.h"
#include "Ops/Quantization/Quantization.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// The real numbers that operand `i` stands for; its scale and zero point are
/// the next two.
Value real(Node &node, unsigned i) {
  const QuantizedTensor x = quantizedOperand(node, i);
  Value centered = node.cast(center(node, x, i + 2), f32(node));
  return node.mul(centered, scaleOf(node, i + 1, x));
}

/// Sets the result to real numbers, quantized by the scale and zero point that
/// are operands `i` and `i` + 1, of a type like that of operand `like`.
void quantizedResult(Node &node, Value values, unsigned i, unsigned like) {
  const QuantizedTensor result{values, "the result"};
  Value zeroPoint;
  if (node.hasOperand(i + 1) && requireParameter(node, i + 1, result))
    zeroPoint = node.reshape(node.operand(i + 1), {});
  Type type = node.element(zeroPoint ? zeroPoint : node.operand(like));
  Value scaled =
      node.div(values, scaleOf(node, i, result, ScaleRule::Positive));
  node.result(0, saturate(node, scaled, zeroPoint, type));
}

/// `function` of operand 0, whose channels may be the last dim.
void poolChannels(Node &node, Value (*function)(Node &, Value)) {
  Value x = real(node, 0);
  const bool isLast = node.getInt("channels_last", 0);
  const int64_t rank = node.rank(x);
  if (!node.require(rank >= 2, "needs two dims or more"))
    return;
  Ints toFirst = range(0, rank), toLast = toFirst;
  std::rotate(toFirst.begin() + 1, toFirst.end() - 1, toFirst.end());
  std::rotate(toLast.begin() + 1, toLast.begin() + 2, toLast.end());
  Value pooled = function(node, isLast ? node.transpose(x, toFirst) : x);
  quantizedResult(node, isLast ? node.transpose(pooled, toLast) : pooled, 3, 0);
}

/// Multiplies sums of products of integers by their scale, and adds the bias if
/// operand `bias` is given.
Value scaleProducts(Node &node, Value products, Value scale, unsigned bias) {
  Value result = node.mul(node.cast(products, f32(node)), scale);
  return node.hasOperand(bias) ? node.add(result, node.operand(bias)) : result;
}

} // namespace

void convertMicrosoftDynamicQuantizeMatMul(Node &node) {
  Value x = node.operand(0);
  const QuantizedTensor rhs = rightMatrix(node, 1);
  if (!node.require(node.isFloat(x), "quantizes floats only"))
    return;
  Quantized lhs = quantizeDynamically(node, x);
  if (!requireBytes(node, lhs.values, rhs.value))
    return;
  Type i32 = node.state().builder.getI32Type();
  Value left =
      node.sub(node.cast(lhs.values, i32), node.cast(lhs.zeroPoint, i32));
  Value products = multiplyMatrices(node, left, center(node, rhs, 3));
  Value scale = node.mul(lhs.scale, scaleOf(node, 2, asFactor(node, rhs, x)));
  node.result(0, scaleProducts(node, products, scale, 4));
}

void convertMicrosoftMatMulIntegerToFloat(Node &node) {
  node.widenHalves();
  const QuantizedTensor lhs = leftMatrix(node, 0), rhs = rightMatrix(node, 1);
  if (!requireBytes(node, lhs.value, rhs.value))
    return;
  Value products =
      multiplyMatrices(node, center(node, lhs, 4), center(node, rhs, 5));
  Value scale = node.mul(scaleOf(node, 2, asFactor(node, lhs, rhs.value)),
                         scaleOf(node, 3, asFactor(node, rhs, lhs.value)));
  node.result(0, scaleProducts(node, products, scale, 6));
}

/// One product of integers makes queries, keys and values of the input.
void convertMicrosoftQAttention(Node &node) {
  node.widenHalves();
  const QuantizedTensor x = quantizedOperand(node, 0),
                        weights = quantizedOperand(node, 1, 1);
  if (!requireBytes(node, x.value, weights.value) ||
      !node.requireRank(x.name, node.rank(x.value), 3) ||
      !node.requireRank(weights.name, node.rank(weights.value), 2))
    return;
  Value products =
      multiplyMatrices(node, center(node, x, 6), center(node, weights, 7));
  Value scale = node.mul(scaleOf(node, 3, x), scaleOf(node, 4, weights));
  attendProjection(node, scaleProducts(node, products, scale, 2),
                   {/*mask=*/5, /*past=*/8});
}

void convertMicrosoftQGemm(Node &node) {
  const bool isTransposed = node.getInt("transB", 0);
  const QuantizedTensor lhs = quantizedOperand(node, 0),
                        rhs = quantizedOperand(node, 3, isTransposed ? 0 : 1);
  if (!requireBytes(node, lhs.value, rhs.value) ||
      !node.requireRank(lhs.name, node.rank(lhs.value), 2) ||
      !node.requireRank(rhs.name, node.rank(rhs.value), 2))
    return;
  SmallVector<NamedAttribute> attributes;
  if (node.getInt("transA", 0))
    attributes.push_back(node.unit("transpose_lhs"));
  if (isTransposed)
    attributes.push_back(node.unit("transpose_rhs"));
  Value products = node.emit<ir::MatmulOp>(
      {center(node, lhs, 2), center(node, rhs, 5)}, attributes);
  if (node.hasOperand(6) &&
      node.require(node.element(node.operand(6)).isInteger(32),
                   node.nameOf(6) + " is a bias and not of i32"))
    products = node.add(products, node.operand(6));
  if (!requireParameter(node, 4, rhs) ||
      !requireScale(node, 4, ScaleRule::NotNegative))
    return;
  Value columns =
      node.cast(alignParameter(node, node.operand(4), 1, 2), f32(node));
  Value scale = node.mul(scaleOf(node, 1, lhs), columns);
  scale = node.mul(scale, node.scalar(scale, node.getFloat("alpha", 1)));
  Value result = node.mul(node.cast(products, f32(node)), scale);
  if (!node.hasOperand(7))
    return node.result(0, result);
  quantizedResult(node, result, 7, 0);
}

void convertMicrosoftQLinearAdd(Node &node) {
  quantizedResult(node, node.add(real(node, 0), real(node, 3)), 6, 0);
}

void convertMicrosoftQLinearAveragePool(Node &node) {
  poolChannels(node, averagePool);
}

void convertMicrosoftQLinearConcat(Node &node) {
  SmallVector<Value> parts;
  for (unsigned i = 2; i + 1 < node.numOperands(); i += 3)
    parts.push_back(real(node, i));
  if (!node.require(!parts.empty(), "has nothing to concatenate"))
    return;
  const int64_t axis = node.axis(node.getInt("axis", 1), node.rank(parts[0]));
  quantizedResult(node, node.concat(parts, axis), 0, 2);
}

void convertMicrosoftQLinearGlobalAveragePool(Node &node) {
  poolChannels(node, globalAveragePool);
}

void convertMicrosoftQLinearLeakyRelu(Node &node) {
  Value x = real(node, 0);
  quantizedResult(
      node, activate(node, {"leakyrelu", node.getFloat("alpha", 0.01), 0}, x),
      3, 0);
}

void convertMicrosoftQLinearMul(Node &node) {
  quantizedResult(node, node.mul(real(node, 0), real(node, 3)), 6, 0);
}

void convertMicrosoftQLinearSigmoid(Node &node) {
  quantizedResult(node, node.emit<ir::SigmoidOp>(real(node, 0)), 3, 0);
}

void convertMicrosoftQLinearSoftmax(Node &node) {
  Value x = real(node, 0);
  const Sizes shape = node.sizesOf(x);
  const int64_t axis = node.axis(node.getInt("axis", -1), node.rank(x));
  // Before operator set 13, a softmax treats all dims from the axis on as one.
  const bool isFlat = node.getInt("opset", 13) < 13;
  Value operand = isFlat ? flatten(node, x, axis) : x;
  Value result = node.emit<ir::SoftmaxOp>(
      operand, node.integer("axis", isFlat ? 1 : axis));
  quantizedResult(node, isFlat ? node.reshape(result, shape) : result, 3, 0);
}

void convertMicrosoftQLinearWhere(Node &node) {
  Value chosen = node.select(node.operand(0), real(node, 1), real(node, 4));
  quantizedResult(node, chosen, 7, 1);
}

} // namespace tandem::onnx
