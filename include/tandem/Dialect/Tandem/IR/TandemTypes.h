//===- TandemTypes.h - Conversion of types ----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_TANDEMTYPES_H
#define TANDEM_DIALECT_TANDEM_IR_TANDEMTYPES_H

#include "tandem/Support/TensorType.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace tandem::ir {

/// The dtype of an MLIR element type; none for a type that Tandem does not
/// have.
std::optional<::tandem::DType> toDType(mlir::Type type);
mlir::Type toMlirType(mlir::MLIRContext *context, ::tandem::DType dtype);

/// Whether `type` is a ranked tensor of a Tandem element type, with at most
/// kMaxRank dims and without encoding. All operands and results of verified ops
/// are, and toTandemType takes only such types.
bool isTandemTensor(mlir::Type type);
::tandem::TensorType toTandemType(mlir::RankedTensorType type);
mlir::RankedTensorType toMlirType(mlir::MLIRContext *context,
                                  const ::tandem::TensorType &type);

} // namespace tandem::ir

#endif // TANDEM_DIALECT_TANDEM_IR_TANDEMTYPES_H
