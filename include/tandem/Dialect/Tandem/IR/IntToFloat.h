//===- IntToFloat.h - Integers to floats, rounded once ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_INTTOFLOAT_H
#define TANDEM_DIALECT_TANDEM_IR_INTTOFLOAT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tandem::ir {

/// Converts a scalar integer to a float type as `cast` does: with one rounding,
/// to nearest, ties to even. The result of a constant is a constant.
mlir::Value buildIntToFloat(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value integer, mlir::FloatType to);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_INTTOFLOAT_H
