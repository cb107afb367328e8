//===- DataSign.h - The sign of 8-bit data of contractions ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_DATASIGN_H
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_DATASIGN_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tandem {

/// The dim of the outputs in the weights, and in the result, of a `conv` or a
/// `matmul`.
int64_t getOutputDimOfWeights(mlir::Operation *op);
int64_t getOutputDimOfResult(mlir::Operation *op);

/// Flips the uppermost bits of integers of 8 bits: x - 128 of ui8 as i8, or
/// x + 128 of i8 as ui8.
mlir::Value flipUppermostBit(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value bytes);

/// Changes the data of `op` from i8 to ui8 by adding 128, or from ui8 to i8 by
/// subtracting 128, and corrects the result by 128 times the sums of the
/// weights. `op` is a conv or matmul of static types whose result is i32.
/// `weights` are its constant weights, whose bytes must be available; the
/// weights of a matmul must have rank 2. The padding of a conv becomes a `pad`
/// of its data. The result of the op stays the same, modulo 2^32.
void changeDataSign(mlir::Operation *op, mlir::ElementsAttr weights);

} // namespace tandem

#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_DATASIGN_H
