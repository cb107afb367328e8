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

/// Returns `tensor`, an operand of a matrix product whose other operand is
/// `other`. If `other` is a vector, the product lacks the dim along which
/// `tensor` may have several scales. The returned tensor then has one scale.
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

/// Reports an error unless operand `i` is one number or has a number for each
/// index of `tensor.axis`. Returns false after an error.
bool requireParameter(Node &node, unsigned i, const QuantizedTensor &tensor);
/// Reports an error if the elements of operand `i` are not floats, or are
/// constants that `rule` forbids. Returns false after an error.
bool requireScale(Node &node, unsigned i, ScaleRule rule);
/// Reports an error if operand `i` does not have the element type of `tensor`.
/// Returns false after an error.
bool requireZeroPointType(Node &node, unsigned i,
                          const QuantizedTensor &tensor);

/// Reshapes a scale or zero point so that it broadcasts with a tensor of `rank`
/// dims. One element becomes a scalar, a vector lies along `axis`, and a
/// parameter with more dims keeps its shape.
mlir::Value alignParameter(Node &node, mlir::Value parameter, int64_t axis,
                           int64_t rank);

/// Operand `i`, the checked scale of `tensor`, in f32 and in a shape that
/// broadcasts with `tensor`.
mlir::Value scaleOf(Node &node, unsigned i, const QuantizedTensor &tensor,
                    ScaleRule rule = ScaleRule::NotNegative);

//===----------------------------------------------------------------------===//
// Quantization.cpp: conversions between real numbers and integers
//===----------------------------------------------------------------------===//

/// Rounds `real`, adds the zero point if there is one, and converts the sum to
/// `type`. Sums beyond the range of `type` saturate; sums within the range are
/// exact in f32. If `isNibble` holds, the range is that of integers of 4 bits.
mlir::Value saturate(Node &node, mlir::Value real, mlir::Value zeroPoint,
                     mlir::Type type, bool isNibble = false);
/// Subtracts the zero point, which is operand `i` if there is one, and returns
/// the difference in i32.
mlir::Value center(Node &node, const QuantizedTensor &tensor, unsigned i);
/// Reports an error unless the elements of both factors are integers of 8 bits.
/// Returns false after an error.
bool requireBytes(Node &node, mlir::Value lhs, mlir::Value rhs);

struct Quantized {
  mlir::Value values, scale, zeroPoint;
};
/// `x` as u8, with the scale and zero point that suit its elements and 0.
Quantized quantizeDynamically(Node &node, mlir::Value x);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_OPS_QUANTIZATION_QUANTIZATION_H
