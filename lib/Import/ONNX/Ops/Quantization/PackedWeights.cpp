//===- PackedWeights.cpp - Weights of a few bits --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of com.microsoft.MatMulNBits have 2, 4 or 8 bits. A byte holds as
// many weights as fit, the first in the lowest bits. The importer adds ops that
// unpack the constant, so that it need not copy the weights.
//
//===----------------------------------------------------------------------===//

#include "Ops/Quantization/Quantization.h"

using namespace mlir;
using llvm::Twine;

namespace tandem::onnx {
namespace {

/// The attributes of MatMulNBits. The weights are a matrix with `outputs` rows
/// and `inputs` columns of numbers of `bits` bits. Each row is stored as
/// `blocks` blocks of `blockSize` numbers. The last block of a row is padded.
struct PackedMatrix {
  int64_t inputs, outputs, bits, blockSize, blocks;

  int64_t blockBytes() const { return blockSize * bits / 8; }
};

/// Returns the attributes. Reports an error and returns nothing if they are
/// invalid.
std::optional<PackedMatrix> describeMatrix(Node &node) {
  constexpr int64_t kLeastBlock = 16;
  PackedMatrix matrix{node.getInt("K", 0), node.getInt("N", 0),
                      node.getInt("bits", 4), node.getInt("block_size", 0), 0};
  if (!node.requireSizes({matrix.inputs}, 1, "K is out of range") ||
      !node.requireSizes({matrix.outputs}, 1, "N is out of range") ||
      !node.require(llvm::is_contained({2, 4, 8}, matrix.bits),
                    "weights of " + Twine(matrix.bits) +
                        " bits are not supported: bits must be 2, 4 or 8") ||
      !node.require(matrix.blockSize >= kLeastBlock &&
                        matrix.blockSize < kMaxSize &&
                        llvm::isPowerOf2_64(matrix.blockSize),
                    "block_size is " + Twine(matrix.blockSize) +
                        ", and must be a power of two of at least 16") ||
      !node.require(node.getInt("weight_prepacked", 0) == 0,
                    "weights that are prepacked for a GPU are not supported"))
    return std::nullopt;
  matrix.blocks = llvm::divideCeilSigned(matrix.inputs, matrix.blockSize);
  return matrix;
}

/// Reshapes operand `i`. Reports an error if the number of its elements is not
/// that of the shape.
Value operandAs(Node &node, unsigned i, ArrayRef<int64_t> shape) {
  Value value = node.operand(i);
  int64_t wanted = 1, count = 1;
  for (int64_t size : shape)
    wanted *= size;
  for (int64_t size : node.dims(value))
    count *= size;
  if (node.hasFailed() || !node.requireCount(node.nameOf(i), count, wanted))
    return {};
  return node.reshape(value, Sizes(shape.begin(), shape.end()));
}

bool requireElement(Node &node, unsigned i, bool condition, StringRef wanted) {
  return node.require(condition, node.nameOf(i) + " is not of " + wanted);
}

/// Unpacks the numbers of `bits` bits in the rows of `bytes`, and keeps the
/// first `columns` numbers of each row.
Value unpack(Node &node, Value bytes, int64_t bits, int64_t columns) {
  const int64_t count = 8 / bits, rows = node.dim(bytes, 0);
  if (count > 1) {
    SmallVector<double> shifts;
    for (int64_t i = 0; i < count; ++i)
      shifts.push_back(double(i * bits));
    const Type type = node.element(bytes);
    const int64_t width = node.dim(bytes, 1);
    Value parts = node.emit<ir::ShiftRightOp>(
        {node.reshape(bytes, {rows, width, 1}),
         node.table(RankedTensorType::get({count}, type), shifts)});
    parts = node.emit<ir::BitwiseAndOp>(
        {parts, node.scalar(type, double((1 << bits) - 1))});
    bytes = node.reshape(parts, {rows, width * count});
  }
  return node.slice(bytes, 1, 0, columns);
}

/// For each column of the weights, the number of the block whose scale and zero
/// point apply to it. Operand 4 (g_idx) gives these numbers. Without this
/// operand, a column belongs to the block in which it is stored.
Value blocksOfInputs(Node &node, const PackedMatrix &matrix) {
  if (!node.requireTable(matrix.inputs))
    return {};
  Ints blocks;
  for (int64_t i = 0; i < matrix.inputs; ++i)
    blocks.push_back(i / matrix.blockSize);
  if (!node.hasOperand(4))
    return node.vector(blocks);
  // Operand 4 may also have elements for the padding of the last block.
  const SmallVector<double> given = node.numbers(4);
  const auto count = int64_t(given.size());
  if (node.hasFailed() ||
      !node.require(count == matrix.inputs ||
                        count == matrix.blocks * matrix.blockSize,
                    node.nameOf(4) + " has " + Twine(count) +
                        " elements, not " + Twine(matrix.inputs)))
    return {};
  for (int64_t i = 0; i < matrix.inputs; ++i) {
    if (!node.require(given[i] >= 0 && given[i] < double(matrix.blocks),
                      node.nameOf(4) + " has a number that is not one of " +
                          Twine(matrix.blocks) + " blocks"))
      return {};
    blocks[i] = int64_t(given[i]);
  }
  return node.vector(blocks);
}

/// The zero points in f32: a matrix (outputs, blocks), or a scalar for all
/// blocks.
Value zeroPoints(Node &node, const PackedMatrix &matrix) {
  if (!node.hasOperand(3))
    return node.scalar(f32(node), double(1 << (matrix.bits - 1)));
  if (node.isFloat(node.operand(3)))
    return node.cast(operandAs(node, 3, {matrix.outputs, matrix.blocks}),
                     f32(node));
  if (!requireElement(node, 3,
                      node.element(node.operand(3)).isUnsignedInteger(8),
                      "ui8 or floats"))
    return {};
  const int64_t bytes = llvm::divideCeilSigned(matrix.blocks * matrix.bits, 8);
  Value packed = operandAs(node, 3, {matrix.outputs, bytes});
  return node.cast(unpack(node, packed, matrix.bits, matrix.blocks), f32(node));
}

/// The dequantized weights: a matrix (outputs, inputs) in f32.
Value unpackWeights(Node &node, const PackedMatrix &matrix) {
  if (!requireElement(
          node, 1, node.element(node.operand(1)).isUnsignedInteger(8), "ui8") ||
      !requireScale(node, 2, ScaleRule::Finite))
    return {};
  Value bytes =
      operandAs(node, 1, {matrix.outputs, matrix.blocks * matrix.blockBytes()});
  Value scales = operandAs(node, 2, {matrix.outputs, matrix.blocks});
  Value zeros = zeroPoints(node, matrix);
  Value blocks = blocksOfInputs(node, matrix);
  if (node.hasFailed())
    return {};
  if (node.rank(zeros) > 0)
    zeros = node.gather(zeros, blocks, 1);
  Value numbers = unpack(node, bytes, matrix.bits, matrix.inputs);
  return node.mul(node.sub(node.cast(numbers, f32(node)), zeros),
                  node.gather(scales, blocks, 1));
}

} // namespace

/// Computes in f32. The attribute accuracy_level is ignored, because it only
/// permits a runtime to compute with less precision.
void convertMicrosoftMatMulNBits(Node &node) {
  node.widenHalves();
  const std::optional<PackedMatrix> matrix = describeMatrix(node);
  Value x = node.operand(0);
  if (!matrix || node.hasFailed() ||
      !requireElement(node, 0, node.element(x).isF32(),
                      "floats of 16 or 32 bits") ||
      !node.require(node.rank(x) > 0, node.nameOf(0) + " has no dims"))
    return;
  Sizes shape = node.sizesOf(x);
  const std::optional<int64_t> columns = shape.back().value();
  if (!node.require(!columns || columns == matrix->inputs,
                    node.nameOf(0) + " has " + Twine(columns.value_or(0)) +
                        " elements along its last dim; K is " +
                        Twine(matrix->inputs)))
    return;
  const bool isVector = shape.size() == 1;
  Value result = node.emit<ir::MatmulOp>(
      {isVector ? node.reshape(x, {1, matrix->inputs}) : x,
       unpackWeights(node, *matrix)},
      node.unit("transpose_rhs"));
  if (isVector)
    result = node.reshape(result, {matrix->outputs});
  if (node.hasOperand(5))
    result = node.add(result, operandAs(node, 5, {matrix->outputs}));
  node.result(0, result);
}

} // namespace tandem::onnx
