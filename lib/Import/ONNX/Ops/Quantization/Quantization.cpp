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

#include "Ops/Quantization/Quantization.h"

#include "Model/ModelFile.h"

#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Support/ExactSums.h"

using namespace mlir;
using llvm::Twine;

namespace tandem::onnx {

Type f32(Node &node) { return node.state().builder.getF32Type(); }
static Type i32(Node &node) { return node.state().builder.getI32Type(); }

Value saturate(Node &node, Value real, Value zeroPoint, Type type,
               bool isNibble) {
  if (!node.require(type.isInteger(), "quantizes to integers only"))
    return {};
  Value rounded = node.cast(node.emit<ir::RoundOp>(real), f32(node));
  if (zeroPoint)
    rounded = node.add(rounded, node.cast(zeroPoint, f32(node)));
  if (isNibble)
    rounded = type.isUnsignedInteger() ? clamp(node, rounded, 0, 15)
                                       : clamp(node, rounded, -8, 7);
  Value result = node.cast(rounded, type);
  if (isNibble && result)
    node.state().nibbles.insert(result);
  return result;
}

Value center(Node &node, const QuantizedTensor &tensor, unsigned i) {
  Value centered = node.cast(tensor.value, i32(node));
  if (!node.hasOperand(i))
    return centered;
  if (!requireZeroPointType(node, i, tensor) ||
      !requireParameter(node, i, tensor))
    return {};
  Value zeroPoint = alignParameter(node, node.operand(i), tensor.axis,
                                   node.rank(tensor.value));
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

/// An error unless parameter `i` has an element for each block of `block`
/// elements along `axis` of `x`, and an element for each index of other dims.
bool requireBlocks(Node &node, unsigned i, const QuantizedTensor &x,
                   int64_t axis, int64_t block) {
  Value parameter = node.operand(i);
  if (!node.require(block > 0, "block_size is " + Twine(block) +
                                   ", and must be positive") ||
      !node.requireRank(node.nameOf(i), node.rank(parameter),
                        node.rank(x.value)))
    return false;
  const Sizes found = node.sizesOf(parameter), sizes = node.sizesOf(x.value);
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim) {
    const std::optional<int64_t> count = found[dim].value(),
                                 size = sizes[dim].value();
    if (!count || !size)
      continue;
    const bool isBlocked = dim == axis;
    const int64_t wanted =
        isBlocked ? llvm::divideCeilSigned(*size, block) : *size;
    const std::string blocks =
        isBlocked ? " in blocks of " + std::to_string(block) : "";
    if (!node.require(
            count == wanted,
            node.nameOf(i) + " has " + Twine(*count) +
                (*count == 1 ? " element along dim " : " elements along dim ") +
                Twine(dim) + ", not " + Twine(wanted) + "; " + x.name +
                " has " + Twine(*size) + blocks))
      return false;
  }
  return true;
}

/// The parameter of QuantizeLinear or DequantizeLinear in operand `i`; each of
/// its elements is repeated `block_size` times.
Value parameterFor(Node &node, unsigned i) {
  const int64_t block = node.getInt("block_size", 0);
  QuantizedTensor x = quantizedOperand(node, 0);
  Value parameter = node.operand(i);
  const int64_t rank = node.rank(x.value);
  if (node.hasFailed())
    return {};
  const bool isOne = node.type(parameter).hasStaticShape() &&
                     node.type(parameter).getNumElements() == 1;
  if (isOne && block == 0)
    return node.reshape(parameter, {});
  x.axis = node.axis(node.getInt("axis", 1), rank);
  if (node.hasFailed())
    return {};
  if (block == 0)
    return requireParameter(node, i, x)
               ? alignParameter(node, parameter, x.axis, rank)
               : Value();
  if (!requireBlocks(node, i, x, x.axis, block))
    return {};
  const int64_t size = node.dim(x.value, x.axis);
  if (!node.requireTable(size))
    return {};
  Ints blocks;
  for (int64_t at = 0; at < size; ++at)
    blocks.push_back(at / block);
  return pick(node, parameter, blocks, x.axis);
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

/// Convolves integers of magnitudes up to 255. The convolution is in f32 if all
/// sums are exact in f32, and in f64 otherwise.
Value convolveIntegers(Node &node, Value x, Value kernel) {
  constexpr int64_t kLargestProduct = 255 * 255;
  int64_t products = 1;
  Ints sizes = node.dims(kernel);
  if (!node.require(!sizes.empty(), "a kernel without dims"))
    return {};
  for (int64_t size : ArrayRef(sizes).drop_front())
    products *= size;
  Type type = products <= kMostExactInF32 / kLargestProduct
                  ? f32(node)
                  : Type(node.state().builder.getF64Type());
  Value result = convolve(node, {node.cast(x, type), node.cast(kernel, type)});
  return node.cast(result, i32(node));
}

/// Quantizes sums of products of two quantized tensors. Operands 6 and 7 of
/// QLinearConv and QLinearMatMul are the scale and zero point of the result.
Value requantize(Node &node, const QuantizedTensor &sums, Value lhsScale,
                 Value rhsScale) {
  Value scale = scaleOf(node, 6, sums, ScaleRule::Positive);
  if (!requireParameter(node, 7, sums))
    return {};
  Value factor = node.div(node.mul(lhsScale, rhsScale), scale);
  Value zeroPoint =
      alignParameter(node, node.operand(7), sums.axis, node.rank(sums.value));
  Value real = node.mul(node.cast(sums.value, f32(node)), factor);
  return saturate(node, real, zeroPoint, node.element(zeroPoint));
}

/// The bias of QLinearConv in a shape that broadcasts with the sums.
Value biasOf(Node &node, Value sums) {
  Value bias = node.operand(8);
  if (!requireParameter(node, 8, {sums, "the result", 1}) ||
      !node.require(node.element(bias).isInteger(32),
                    node.nameOf(8) + " is a bias and not of i32"))
    return {};
  return alongAxis(node, bias, 1, node.rank(sums));
}

} // namespace

void convertConvInteger(Node &node) {
  const QuantizedTensor x = quantizedOperand(node, 0),
                        kernel = quantizedOperand(node, 1, 0);
  if (!requireBytes(node, x.value, kernel.value))
    return;
  node.result(
      0, convolveIntegers(node, center(node, x, 2), center(node, kernel, 3)));
}

void convertDequantizeLinear(Node &node) {
  const QuantizedTensor x = quantizedOperand(node, 0);
  const ScaleRule rule =
      node.getInt("block_size", 0) ? ScaleRule::Finite : ScaleRule::NotNegative;
  Value scale = parameterFor(node, 1);
  if (!requireScale(node, 1, rule))
    return;
  Type type = typeOf(node, "output_dtype");
  Value real = node.cast(x.value, f32(node));
  if (node.hasOperand(2) && requireZeroPointType(node, 2, x))
    real = node.sub(real, node.cast(parameterFor(node, 2), f32(node)));
  real = node.mul(real, node.cast(scale, f32(node)));
  if (!node.hasFailed())
    node.result(0, node.cast(real, type ? type : node.element(scale)));
}

void convertDynamicQuantizeLinear(Node &node) {
  Value x = node.operand(0);
  if (!node.require(node.isFloat(x), "quantizes floats only"))
    return;
  Quantized quantized = quantizeDynamically(node, x);
  node.result(0, quantized.values);
  node.result(1, quantized.scale);
  node.result(2, quantized.zeroPoint);
}

void convertMatMulInteger(Node &node) {
  const QuantizedTensor lhs = leftMatrix(node, 0), rhs = rightMatrix(node, 1);
  if (!requireBytes(node, lhs.value, rhs.value))
    return;
  node.result(
      0, multiplyMatrices(node, center(node, lhs, 2), center(node, rhs, 3)));
}

void convertQLinearConv(Node &node) {
  const QuantizedTensor x = quantizedOperand(node, 0),
                        kernel = quantizedOperand(node, 3, 0);
  if (!requireBytes(node, x.value, kernel.value))
    return;
  Value sums =
      convolveIntegers(node, center(node, x, 2), center(node, kernel, 5));
  if (node.hasFailed())
    return;
  if (node.hasOperand(8))
    sums = node.add(sums, biasOf(node, sums));
  if (!requireParameter(node, 4, kernel) ||
      !requireScale(node, 4, ScaleRule::NotNegative))
    return;
  // The outputs are dim 0 of the kernel, and dim 1 of the result.
  Value kernelScale = node.cast(
      alignParameter(node, node.operand(4), 1, node.rank(sums)), f32(node));
  node.result(0, requantize(node, {sums, "the result", 1}, scaleOf(node, 1, x),
                            kernelScale));
}

void convertQLinearMatMul(Node &node) {
  const QuantizedTensor lhs = leftMatrix(node, 0), rhs = rightMatrix(node, 3);
  if (!requireBytes(node, lhs.value, rhs.value))
    return;
  Value sums =
      multiplyMatrices(node, center(node, lhs, 2), center(node, rhs, 5));
  Value lhsScale = scaleOf(node, 1, asFactor(node, lhs, rhs.value)),
        rhsScale = scaleOf(node, 4, asFactor(node, rhs, lhs.value));
  if (node.hasFailed())
    return;
  QuantizedTensor result{sums, "the result"};
  result.isMatrix = lhs.isMatrix && rhs.isMatrix;
  if (result.isMatrix)
    result.axis = node.rank(sums) - 2;
  node.result(0, requantize(node, result, lhsScale, rhsScale));
}

/// The type of QuantizeLinear's result that `output_dtype` names; null where it
/// is not given.
static Type outputType(Node &node, bool &isNibble) {
  const int64_t number = node.getInt("output_dtype", 0);
  isNibble =
      number == proto::TensorProto::INT4 || number == proto::TensorProto::UINT4;
  if (!isNibble)
    return typeOf(node, "output_dtype");
  return IntegerType::get(node.state().builder.getContext(), 8,
                          number == proto::TensorProto::UINT4
                              ? IntegerType::Unsigned
                              : IntegerType::Signless);
}

void convertQuantizeLinear(Node &node) {
  Value x = node.operand(0), scale = parameterFor(node, 1), zeroPoint;
  bool isNibble = false;
  Type type = outputType(node, isNibble), in = typeOf(node, "precision");
  if (!requireScale(node, 1, ScaleRule::Positive))
    return;
  if (node.hasOperand(2)) {
    zeroPoint = parameterFor(node, 2);
    const bool isOfNibble = node.state().nibbles.contains(node.operand(2));
    const bool isSame =
        type == node.element(zeroPoint) && isNibble == isOfNibble;
    isNibble = isOfNibble;
    if (!node.require(!type || isSame,
                      "output_dtype is not the type of the zero point " +
                          node.nameOf(2)))
      return;
    type = node.element(zeroPoint);
  }
  if (node.hasFailed())
    return;
  if (!type)
    type = IntegerType::get(x.getContext(), 8, IntegerType::Unsigned);
  if (!in)
    in = node.element(scale);
  Value real = node.div(node.cast(x, in), node.cast(scale, in));
  node.result(0, saturate(node, real, zeroPoint, type, isNibble));
}

void convertMicrosoftDequantizeLinear(Node &node) {
  convertDequantizeLinear(node);
}

void convertMicrosoftQuantizeLinear(Node &node) { convertQuantizeLinear(node); }

} // namespace tandem::onnx
