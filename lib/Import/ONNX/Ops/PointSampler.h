//===- PointSampler.h - Reading tensors between their elements --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_OPS_POINTSAMPLER_H
#define TANDEM_LIB_IMPORT_ONNX_OPS_POINTSAMPLER_H

#include "Model/Node.h"

namespace tandem::onnx {

/// An element that contributes to a point, in one dim.
struct Tap {
  /// Its index, as a whole float; any where it is not inside.
  mlir::Value index;
  /// What it is multiplied by; null for 1.
  mlir::Value weight;
  /// Whether it is an element; 0 is read where it is not. Null where all are.
  mlir::Value isInside;
};
using Taps = llvm::SmallVector<Tap, 4>;

/// Reads a tensor (N, C, D1, …, Dk) at points that are computed at run time.
/// Indices, weights and conditions are tensors that broadcast to (N, P…), the
/// points of each batch; a point has as many coordinates as there are Ds.
class PointSampler {
public:
  /// `batches` is the batch that each point is in, as i64, where that is not
  /// the one of its own number.
  PointSampler(Node &node, mlir::Value x, mlir::Value batches = {});

  /// The sum, or the largest, of the weighted elements that are a tap in each
  /// dim, as (N, C, P…); `taps` has an entry for each D.
  mlir::Value read(llvm::ArrayRef<Taps> taps, bool takesLargest = false);

private:
  /// One element at each point, read by rows of C, as (N, P…, C).
  mlir::Value readTaps(llvm::ArrayRef<Tap> taps);

  Node &node;
  /// (N * D1 * … * Dk, C).
  mlir::Value rows;
  /// The first row of each point's batch.
  mlir::Value base;
  /// The type that is computed in.
  mlir::Type element;
  Ints shape;
};

/// `x` in f64 if it is f64, otherwise in f32.
mlir::Value asCoordinates(Node &node, mlir::Value x);
/// Whether low <= x <= high.
mlir::Value isWithin(Node &node, mlir::Value x, double low, double high);
/// The two elements that linear interpolation takes at `coordinate`, of which
/// those outside a dim of `size` are not inside.
Taps linearTaps(Node &node, mlir::Value coordinate, int64_t size);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_OPS_POINTSAMPLER_H
