//===- LayoutCostModel.h - Costs of layouts on a CPU ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTCOSTMODEL_H
#define TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTCOSTMODEL_H

#include "tandem/Analysis/CostModel.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

namespace tandem {

/// Estimates the costs of layouts on a device, in nanoseconds.
struct LayoutCostModel {
  DeviceModel device;
  /// Whether kernels may use Winograd's method, which requires channels last.
  bool useWinograd = false;

  /// The cost of a convolution that is written with channels first, if its
  /// operand and its result have channels first or last.
  double getConvNs(ir::ConvOp conv, bool isInputLast, bool isOutputLast) const;

  /// How much more an op that is no convolution costs with channels first than
  /// with channels last: a window op with strides costs more, and a pad of a
  /// few channels costs less. 0 for other ops.
  double getFirstNs(mlir::Operation *op) const;

  /// The cost of transposing a value: the cost of a separate kernel or, if a
  /// loop produces or reads the value anyway (`isInLoop`), the cost of slower
  /// accesses in this loop.
  double getTransposeNs(mlir::Value value, bool isInLoop) const;
};

/// Whether the weights of `conv` are transposed to the order spatial dims,
/// inputs, outputs, in which groups are adjacent. Only constant weights of
/// grouped convolutions are transposed, which costs nothing at run time. Other
/// weights are packed.
bool transposesKernel(ir::ConvOp conv, bool isOutputLast);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTCOSTMODEL_H
