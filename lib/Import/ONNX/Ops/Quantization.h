//===- Quantization.h - What quantized ONNX ops share --------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_OPS_QUANTIZATION_H
#define TANDEM_LIB_IMPORT_ONNX_OPS_QUANTIZATION_H

#include "Model/Ops.h"

namespace tandem::onnx {

/// The type f32, in which scales are applied.
mlir::Type f32(Node &node);

/// A scale or zero point in a shape that broadcasts with one of `rank` dims:
/// one element as a scalar, a vector along `axis`, others as they are.
mlir::Value alignParameter(Node &node, mlir::Value parameter, int64_t axis,
                           int64_t rank);
/// round(real) + zero point, if there is one, as `type`, which saturates. All
/// are exact in f32 where they do not.
mlir::Value saturate(Node &node, mlir::Value real, mlir::Value zeroPoint,
                     mlir::Type type);
/// x - zero point as i32; the zero point, if any, is operand `i`.
mlir::Value center(Node &node, mlir::Value x, unsigned i, int64_t axis);
/// Whether the operands that are multiplied have one byte; an error otherwise.
bool requireBytes(Node &node, mlir::Value lhs, mlir::Value rhs);

struct Quantized {
  mlir::Value values, scale, zeroPoint;
};
/// `x` as u8, with the scale and zero point that suit its elements and 0.
Quantized quantizeDynamically(Node &node, mlir::Value x);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_OPS_QUANTIZATION_H
