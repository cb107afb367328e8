//===- Quantization.cpp - ONNX ops on quantized numbers -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantized number q stands for (q - zero point) * scale. Scales and zero
// points are of a whole tensor, of an axis, or of blocks along one.
//
//===----------------------------------------------------------------------===//

#include "Ops/Quantization.h"

#include "Model/ModelFile.h"

#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

using namespace mlir;

namespace tandem::onnx {

Type f32(Node &node) { return node.state().builder.getF32Type(); }
static Type i32(Node &node) { return node.state().builder.getI32Type(); }

Value alignParameter(Node &node, Value parameter, int64_t axis, int64_t rank) {
  RankedTensorType type = node.type(parameter);
  if (type.hasStaticShape() && type.getNumElements() == 1)
    return node.reshape(parameter, {});
  return type.getRank() == 1 ? alongAxis(node, parameter, axis, rank)
                             : parameter;
}

Value saturate(Node &node, Value real, Value zeroPoint, Type type) {
  if (!node.require(type.isInteger(), "quantizes to integers only"))
    return {};
  Value rounded = node.cast(node.emit<ir::RoundOp>(real), f32(node));
  if (zeroPoint)
    rounded = node.add(rounded, node.cast(zeroPoint, f32(node)));
  return node.cast(rounded, type);
}

Value center(Node &node, Value x, unsigned i, int64_t axis) {
  Value centered = node.cast(x, i32(node));
  if (!node.hasOperand(i))
    return centered;
  Value zeroPoint = alignParameter(node, node.operand(i), axis, node.rank(x));
  return node.sub(centered, node.cast(zeroPoint, i32(node)));
}

bool requireBytes(Node &node, Value lhs, Value rhs) {
  return node.require(node.element(lhs).isInteger(8) &&
                          node.element(rhs).isInteger(8),
                      "takes integers of 8 bits");
}

Quantized quantizeDynamically(Node &node, Value x) {
  Value zero = node.scalar(x, 0);
  auto extreme = [&](ir::ReduceKind kind) {
    return node.reduce(kind, x, range(0, node.rank(x)), /*keepDims=*/false);
  };
  Value most = node.emit<ir::MaxOp>({extreme(ir::ReduceKind::max), zero});
  Value least = node.emit<ir::MinOp>({extreme(ir::ReduceKind::min), zero});
  Value isEmpty = node.compare(ir::ComparePredicate::eq, most, least);
  // The scale is 1 if all elements are zeros.
  Value width =
      node.select(isEmpty, node.scalar(x, 255), node.sub(most, least));
  Value scale = node.div(width, node.scalar(x, 255));
  Type type = IntegerType::get(node.state().builder.getContext(), 8,
                               IntegerType::Unsigned);
  Value zeroPoint =
      saturate(node, node.div(node.sub(zero, least), scale), {}, type);
  return {saturate(node, node.div(x, scale), zeroPoint, type), scale,
          zeroPoint};
}

namespace {

/// The parameter of QuantizeLinear or DequantizeLinear in operand `i` for the
/// elements of `x`; each of its elements is repeated `block_size` times.
Value parameterFor(Node &node, Value x, unsigned i) {
  Value parameter = node.operand(i);
  int64_t rank = node.rank(x), block = node.getInt("block_size", 0);
  bool isOne = node.type(parameter).hasStaticShape() &&
               node.type(parameter).getNumElements() == 1;
  if (isOne && block == 0)
    return node.reshape(parameter, {});
  int64_t axis = node.axis(node.getInt("axis", 1), rank);
  if (block == 0 || node.hasFailed())
    return alignParameter(node, parameter, axis, rank);
  if (!node.require(block > 0, "a block_size that is not positive") ||
      !node.requireRank("a parameter of blocks", node.rank(parameter), rank))
    return {};
  int64_t size = node.dim(x, axis);
  if (!node.require(node.dim(parameter, axis) ==
                        llvm::divideCeilSigned(size, block),
                    "a parameter of blocks needs an element for each block") ||
      !node.requireTable(size))
    return {};
  Ints blocks;
  for (int64_t at = 0; at < size; ++at)
    blocks.push_back(at / block);
  return pick(node, parameter, blocks, axis);
}

/// The element type that an attribute names; null where it is not given.
Type typeOf(Node &node, StringRef attribute) {
  int64_t number = node.getInt(attribute, 0);
  if (number == 0)
    return {};
  Expected<DType> dtype = convertDType(number);
  if (dtype)
    return ir::toMlirType(node.state().builder.getContext(), *dtype);
  node.error(dtype.error().message, dtype.error().hint);
  return {};
}

/// The convolution of integers of magnitudes up to 255, exact: in f32 where all
/// sums are, else in f64.
Value convolveIntegers(Node &node, Value x, Value kernel) {
  constexpr int64_t kLargestProduct = 255 * 255, kExactInF32 = 1 << 24;
  int64_t products = 1;
  Ints sizes = node.dims(kernel);
  if (!node.require(!sizes.empty(), "a kernel without dims"))
    return {};
  for (int64_t size : ArrayRef(sizes).drop_front())
    products *= size;
  Type type = products <= kExactInF32 / kLargestProduct
                  ? f32(node)
                  : Type(node.state().builder.getF64Type());
  Value result = convolve(node, {node.cast(x, type), node.cast(kernel, type)});
  return node.cast(result, i32(node));
}

/// The sums of products of two quantized tensors, quantized: operands 0 to 7 of
/// QLinearConv and QLinearMatMul.
Value requantize(Node &node, Value sums, Value lhsScale, Value rhsScale,
                 int64_t axis) {
  int64_t rank = node.rank(sums);
  auto scale = [&](Value parameter) {
    return node.cast(alignParameter(node, parameter, axis, rank), f32(node));
  };
  Value factor = node.div(node.mul(lhsScale, rhsScale), scale(node.operand(6)));
  Value zeroPoint = alignParameter(node, node.operand(7), axis, rank);
  Value real = node.mul(node.cast(sums, f32(node)), factor);
  return saturate(node, real, zeroPoint, node.element(zeroPoint));
}

} // namespace

void convertConvInteger(Node &node) {
  Value x = node.operand(0), kernel = node.operand(1);
  if (!requireBytes(node, x, kernel))
    return;
  node.result(0, convolveIntegers(node, center(node, x, 2, 1),
                                  center(node, kernel, 3, 0)));
}

void convertDequantizeLinear(Node &node) {
  Value x = node.operand(0), scale = parameterFor(node, x, 1);
  Type type = typeOf(node, "output_dtype");
  Value real = node.cast(x, f32(node));
  if (node.hasOperand(2))
    real = node.sub(real, node.cast(parameterFor(node, x, 2), f32(node)));
  real = node.mul(real, node.cast(scale, f32(node)));
  if (!node.hasFailed())
    node.result(0, node.cast(real, type ? type : node.element(scale)));
}

void convertDynamicQuantizeLinear(Node &node) {
  Quantized quantized = quantizeDynamically(node, node.operand(0));
  node.result(0, quantized.values);
  node.result(1, quantized.scale);
  node.result(2, quantized.zeroPoint);
}

void convertMatMulInteger(Node &node) {
  Value lhs = node.operand(0), rhs = node.operand(1);
  if (!requireBytes(node, lhs, rhs))
    return;
  // A vector of zero points has one for each row of the left operand, or for
  // each column of the right one.
  Value left = center(node, lhs, 2, std::max<int64_t>(node.rank(lhs) - 2, 0));
  Value right = center(node, rhs, 3, node.rank(rhs) - 1);
  node.result(0, multiplyMatrices(node, left, right));
}

void convertQLinearConv(Node &node) {
  Value x = node.operand(0), kernel = node.operand(3);
  if (!requireBytes(node, x, kernel))
    return;
  Value sums =
      convolveIntegers(node, center(node, x, 2, 1), center(node, kernel, 5, 0));
  if (node.hasFailed())
    return;
  int64_t rank = node.rank(sums);
  if (node.hasOperand(8))
    sums = node.add(sums, alongAxis(node, node.operand(8), 1, rank));
  Value scale = alignParameter(node, node.operand(1), 1, rank);
  Value kernelScale = alignParameter(node, node.operand(4), 1, rank);
  node.result(0, requantize(node, sums, scale, kernelScale, 1));
}

void convertQLinearMatMul(Node &node) {
  Value lhs = node.operand(0), rhs = node.operand(3);
  if (!requireBytes(node, lhs, rhs))
    return;
  int64_t rows = std::max<int64_t>(node.rank(lhs) - 2, 0);
  int64_t columns = node.rank(rhs) - 1;
  Value sums = multiplyMatrices(node, center(node, lhs, 2, rows),
                                center(node, rhs, 5, columns));
  auto scale = [&](unsigned i, int64_t axis, Value of) {
    return node.cast(alignParameter(node, node.operand(i), axis, node.rank(of)),
                     f32(node));
  };
  node.result(0, requantize(node, sums, scale(1, rows, lhs),
                            scale(4, columns, rhs), rows));
}

void convertQuantizeLinear(Node &node) {
  Value x = node.operand(0), scale = parameterFor(node, x, 1), zeroPoint;
  Type type = typeOf(node, "output_dtype"), in = typeOf(node, "precision");
  if (node.hasOperand(2)) {
    zeroPoint = parameterFor(node, x, 2);
    type = node.element(zeroPoint);
  }
  if (node.hasFailed())
    return;
  if (!type)
    type = IntegerType::get(x.getContext(), 8, IntegerType::Unsigned);
  if (!in)
    in = node.element(scale);
  Value real = node.div(node.cast(x, in), node.cast(scale, in));
  node.result(0, saturate(node, real, zeroPoint, type));
}

void convertMicrosoftDequantizeLinear(Node &node) {
  convertDequantizeLinear(node);
}

void convertMicrosoftQuantizeLinear(Node &node) { convertQuantizeLinear(node); }

} // namespace tandem::onnx
