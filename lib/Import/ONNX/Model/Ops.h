//===- Ops.h - Functions of the table of ONNX ops ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_MODEL_OPS_H
#define TANDEM_LIB_IMPORT_ONNX_MODEL_OPS_H

#include "Model/Node.h"

namespace tandem::onnx {

#define ONNX_OP(name, ...) void convert##name(Node &node);
#define MICROSOFT_OP(name) void convertMicrosoft##name(Node &node);
#include "Model/Ops.def"

// What several of these functions use.

/// The two operands of a binary op. Up to operator set 6, attributes say with
/// which dims the second is aligned.
llvm::SmallVector<mlir::Value> alignedOperands(Node &node);
/// `x`, or the nearer one of the limits.
mlir::Value clamp(Node &node, mlir::Value x, double low, double high);
/// `value` as a vector along dim `axis` of a tensor of `rank` dims.
mlir::Value alongAxis(Node &node, mlir::Value value, int64_t axis,
                      int64_t rank);
/// `value` with its dims from `axis` on as one, and those before as one.
mlir::Value flatten(Node &node, mlir::Value value, int64_t axis);
/// Elements `indices` of dim `axis`.
mlir::Value pick(Node &node, mlir::Value value, llvm::ArrayRef<int64_t> indices,
                 int64_t axis);
/// Element `i` of dim `axis`, without that dim.
mlir::Value elementAt(Node &node, mlir::Value value, int64_t axis, int64_t i);
/// The elements of dim `axis` from the last to the first.
mlir::Value flip(Node &node, mlir::Value value, int64_t axis);
/// (value - mean) / sqrt(variance + epsilon) with both taken over `axes`.
mlir::Value standardise(Node &node, mlir::Value value,
                        llvm::ArrayRef<int64_t> axes, double epsilon);
/// log(softmax(value)) along a dim.
mlir::Value logSoftmax(Node &node, mlir::Value value, int64_t axis);
/// The product of matrices, of batches of them or of vectors, as of MatMul.
mlir::Value multiplyMatrices(Node &node, mlir::Value lhs, mlir::Value rhs);
/// The convolution of an input, a kernel and, if there is one, a bias that the
/// attributes describe.
mlir::Value convolve(Node &node, llvm::ArrayRef<mlir::Value> operands);
/// The windows of a convolution or of pooling over the dims after the first
/// two.
struct Windows {
  Ints sizes, strides, dilations, low, high;
};
/// The windows of `sizes` on `value` that the attributes describe.
Windows describeWindows(Node &node, mlir::Value value, Ints sizes);
/// The mean of each window that the attributes describe, and of all positions.
mlir::Value averagePool(Node &node, mlir::Value x);
mlir::Value globalAveragePool(Node &node, mlir::Value x);
/// The letters of `spatialDims` dims after two others: "NCHW".
std::string layoutOf(llvm::StringRef first, int64_t spatialDims);
/// `value` without the elements that negative padding cuts off, whose padding
/// becomes 0.
mlir::Value crop(Node &node, mlir::Value value,
                 llvm::MutableArrayRef<int64_t> low,
                 llvm::MutableArrayRef<int64_t> high);
/// `value` with `low` and `high` elements around it, fewer where they are
/// negative: of the operand 2 or the attribute `value`, otherwise zeros.
mlir::Value padByValue(Node &node, mlir::Value value, Ints low, Ints high);
/// The places in `value` (N, C, D…), as one vector, of the largest element of
/// each window, as i64.
mlir::Value placesOfMaxima(Node &node, mlir::Value value,
                           const Windows &windows);
/// The indices start, start + step, … before `end` in a dim of `size`, as of
/// Slice: from the end where they are negative, and clamped to the dim.
Ints sliceIndices(int64_t size, int64_t start, int64_t end, int64_t step);
/// The dims first, first + 1, …, last - 1.
Ints range(int64_t first, int64_t last);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_MODEL_OPS_H
