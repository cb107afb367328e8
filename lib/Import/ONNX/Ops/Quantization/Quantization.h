//===- Quantization.h - What quantized ONNX ops share --------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_OPS_QUANTIZATION_QUANTIZATION_H
#define TANDEM_LIB_IMPORT_ONNX_OPS_QUANTIZATION_QUANTIZATION_H

#include "Model/Ops.h"

namespace tandem::onnx {

/// The type f32, in which scales are applied.
mlir::Type f32(Node &node);

//===----------------------------------------------------------------------===//
// Parameters.cpp: scales and zero points
//===----------------------------------------------------------------------===//

/// The axis of a scale or zero point that a whole tensor has.
inline constexpr int64_t kWholeTensor = -1;

/// A tensor that has a scale and a zero point.
struct QuantizedTensor {
  mlir::Value value;
  /// What errors call the tensor.
  std::string name;
  /// The dim along which each index may have a scale and a zero point of its
  /// own.
  int64_t axis = kWholeTensor;
  /// True for operands of matrix products. Their scales and zero points may
  /// also have as many dims as the tensor has.
  bool isMatrix = false;
};

/// Operand `i` as a tensor that has a scale and a zero point.
QuantizedTensor quantizedOperand(Node &node, unsigned i,
                                 int64_t axis = kWholeTensor);
/// The left operand of a matrix product, whose rows may have scales.
QuantizedTensor leftMatrix(Node &node, unsigned i);
/// The right operand of a matrix product, whose columns may have scales.
QuantizedTensor rightMatrix(Node &node, unsigned i);

/// The operand of a matrix product with `other`, as far as its scale can be one
/// of the result: products with a vector have no dim of rows, or of columns.
QuantizedTensor asFactor(Node &node, QuantizedTensor tensor, mlir::Value other);

/// The numbers that a scale may be. Only scales that are constants are checked.
enum class ScaleRule {
  /// Positive and finite: real numbers are divided by the scale.
  Positive,
  /// Finite, and not negative: integers are multiplied by the scale. The scale
  /// of a channel of zeros may be 0.
  NotNegative,
  /// Finite, for blocks of weights: ONNX Runtime's quantizer of weights divides
  /// the number of the largest magnitude in a block by -8, so that the scale is
  /// negative if that number is positive.
  Finite
};

/// An error if operand `i` is neither one number nor a number for each index of
/// `tensor.axis`. Returns whether there is no error.
bool requireParameter(Node &node, unsigned i, const QuantizedTensor &tensor);
/// An error if the elements of operand `i` are not floats, or are constants
/// that `rule` forbids.
bool requireScale(Node &node, unsigned i, ScaleRule rule);
/// An error if operand `i` does not have the element type of `tensor`.
bool requireZeroPointType(Node &node, unsigned i,
                          const QuantizedTensor &tensor);

/// A scale or zero point in a shape that broadcasts with one of `rank` dims:
/// one element as a scalar, a vector along `axis`, others as they are.
mlir::Value alignParameter(Node &node, mlir::Value parameter, int64_t axis,
                           int64_t rank);

/// Operand `i`, the checked scale of `tensor`, in f32 and in a shape that
/// broadcasts with `tensor`.
mlir::Value scaleOf(Node &node, unsigned i, const QuantizedTensor &tensor,
                    ScaleRule rule = ScaleRule::NotNegative);

//===----------------------------------------------------------------------===//
// Quantization.cpp: conversions between real numbers and integers
//===----------------------------------------------------------------------===//

/// round(real) + zero point, if there is one, as `type`, which saturates. All
/// are exact in f32 where they do not. If `isNibble` holds, the result
/// saturates to the numbers of 4 bits.
mlir::Value saturate(Node &node, mlir::Value real, mlir::Value zeroPoint,
                     mlir::Type type, bool isNibble = false);
/// The tensor minus its zero point as i32; the zero point, if any, is operand
/// `i`.
mlir::Value center(Node &node, const QuantizedTensor &tensor, unsigned i);
/// Whether the operands that are multiplied have one byte; an error otherwise.
bool requireBytes(Node &node, mlir::Value lhs, mlir::Value rhs);

struct Quantized {
  mlir::Value values, scale, zeroPoint;
};
/// `x` as u8, with the scale and zero point that suit its elements and 0.
Quantized quantizeDynamically(Node &node, mlir::Value x);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_OPS_QUANTIZATION_QUANTIZATION_H
