//===- LayoutPrices.h - What layouts cost on a CPU -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTPRICES_H
#define TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTPRICES_H

#include "tandem/Analysis/CostModel.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

namespace tandem {

/// What layouts cost on a device, in estimated nanoseconds.
struct LayoutPrices {
  DeviceModel device;
  /// Whether kernels may use Winograd's method, which takes channels last.
  bool useWinograd = false;

  /// Of a convolution whose operand and result are given channels first, with
  /// channels first or last in each.
  double getConvNs(ir::ConvOp conv, bool isInputLast, bool isOutputLast) const;

  /// What a window over a tensor given channels first costs more that way than
  /// channels last; 0 for other ops.
  double getWindowNs(mlir::Operation *op) const;

  /// Transposing a value: a kernel of its own, or slower loads in a loop that
  /// produces or reads it anyhow.
  double getTransposeNs(mlir::Value value, bool isInLoop) const;
};

/// Whether the kernel of `conv`, whose result has its channels last or not, is
/// put in the order of spatial dims, inputs, outputs: groups then lie side by
/// side. Only constants, at no cost; other kernels than of groups are packed.
bool turnsKernel(ir::ConvOp conv, bool isOutputLast);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_LAYOUTPRICES_H
