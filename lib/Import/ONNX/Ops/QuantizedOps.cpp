//===- QuantizedOps.cpp - Quantized ops of com.microsoft ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is what ONNX has for real numbers, of numbers that are quantized, with a
// quantized result. ONNX Runtime's quantizer and optimizer write them.
//
//===----------------------------------------------------------------------===//

#include "Ops/Activations.h"
#include "Ops/Quantization.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// A scale, in f32, for the elements of `x`.
Value scaleFor(Node &node, unsigned i, Value x, int64_t axis) {
  return node.cast(alignParameter(node, node.operand(i), axis, node.rank(x)),
                   f32(node));
}

/// The real numbers that operand `i` stands for; its scale and zero point are
/// the next two.
Value real(Node &node, unsigned i) {
  Value x = node.operand(i);
  Value centered = node.cast(center(node, x, i + 2, 1), f32(node));
  return node.mul(centered, scaleFor(node, i + 1, x, 1));
}

/// Sets the result to real numbers, quantized by the scale and zero point that
/// are operands `i` and `i` + 1, of a type like that of operand `like`.
void quantizedResult(Node &node, Value values, unsigned i, unsigned like) {
  Value zeroPoint;
  if (node.hasOperand(i + 1))
    zeroPoint = alignParameter(node, node.operand(i + 1), 1, node.rank(values));
  Type type = node.element(zeroPoint ? zeroPoint : node.operand(like));
  Value scaled = node.div(values, scaleFor(node, i, values, 1));
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

/// Products of integers as real numbers, and a bias, which is operand `bias`.
Value scaleProducts(Node &node, Value products, Value scale, unsigned bias) {
  Value result = node.mul(node.cast(products, f32(node)), scale);
  return node.hasOperand(bias) ? node.add(result, node.operand(bias)) : result;
}

} // namespace

void convertMicrosoftDynamicQuantizeMatMul(Node &node) {
  Value rhs = node.operand(1);
  Quantized lhs = quantizeDynamically(node, node.operand(0));
  Type i32 = node.state().builder.getI32Type();
  Value left =
      node.sub(node.cast(lhs.values, i32), node.cast(lhs.zeroPoint, i32));
  const int64_t columns = node.rank(rhs) - 1;
  Value products = multiplyMatrices(node, left, center(node, rhs, 3, columns));
  Value scale = node.mul(lhs.scale, scaleFor(node, 2, rhs, columns));
  node.result(0, scaleProducts(node, products, scale, 4));
}

void convertMicrosoftMatMulIntegerToFloat(Node &node) {
  Value lhs = node.operand(0), rhs = node.operand(1);
  if (!requireBytes(node, lhs, rhs))
    return;
  const int64_t rows = std::max<int64_t>(node.rank(lhs) - 2, 0);
  const int64_t columns = node.rank(rhs) - 1;
  Value products = multiplyMatrices(node, center(node, lhs, 4, rows),
                                    center(node, rhs, 5, columns));
  Value scale =
      node.mul(scaleFor(node, 2, lhs, rows), scaleFor(node, 3, rhs, columns));
  node.result(0, scaleProducts(node, products, scale, 6));
}

void convertMicrosoftQGemm(Node &node) {
  Value lhs = node.operand(0), rhs = node.operand(3);
  if (!requireBytes(node, lhs, rhs))
    return;
  const bool isTransposed = node.getInt("transB", 0);
  SmallVector<NamedAttribute> attributes;
  if (node.getInt("transA", 0))
    attributes.push_back(node.unit("transpose_lhs"));
  if (isTransposed)
    attributes.push_back(node.unit("transpose_rhs"));
  Value products = node.emit<ir::MatmulOp>(
      {center(node, lhs, 2, 0), center(node, rhs, 5, isTransposed ? 0 : 1)},
      attributes);
  if (node.hasOperand(6))
    products = node.add(products, node.operand(6));
  Value scale =
      node.mul(scaleFor(node, 1, products, 1), scaleFor(node, 4, products, 1));
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
  // Before that operator set, over all dims from there on.
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
