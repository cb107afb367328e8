//===- ConvPadding.h - Padding of a convolution as an op --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_CONVPADDING_H
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_CONVPADDING_H

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/Builders.h"

namespace tandem {

/// Whether `op` pads its input in some spatial dim.
bool isPadded(ir::ConvOp op);

/// Creates a `pad` of `data`, which has the layout of the input of `op`, by the
/// padding of `op`. The added elements have the value `value`.
mlir::Value createPadding(mlir::OpBuilder &builder, ir::ConvOp op,
                          mlir::Value data, double value);

/// Replaces the padding of `op` by a `pad` with zeros, which is created at the
/// insertion point of `builder`. `op` then reads the padded input and has no
/// padding.
void padExplicitly(mlir::OpBuilder &builder, ir::ConvOp op);

} // namespace tandem

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_CONVPADDING_H
