//===- ValueTypes.h - Types and shapes of tensor values ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_IR_VALUETYPES_H
#define TANDEM_DIALECT_TANDEM_IR_VALUETYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

namespace tandem {

/// The type and the shape of a value, which must be a ranked tensor.
inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return typeOf(value).getShape();
}

/// Whether a value has one element. False if its size is dynamic.
inline bool hasOneElement(mlir::Value value) {
  return typeOf(value).hasStaticShape() && typeOf(value).getNumElements() == 1;
}

/// Whether the elements of a value are unsigned integers.
inline bool isUnsigned(mlir::Value value) {
  return mlir::getElementTypeOrSelf(value).isUnsignedInteger();
}

/// Whether the elements of a value are integers of 8 bits.
inline bool isByte(mlir::Value value) {
  return mlir::getElementTypeOrSelf(value).isInteger(8);
}

/// The type in which generated code computes on elements of `elementType`: f32
/// for the 16-bit floats, and integers without a sign, as arith has them.
inline mlir::Type getComputeType(mlir::Type elementType) {
  if (elementType.isF16() || elementType.isBF16())
    return mlir::Float32Type::get(elementType.getContext());
  if (elementType.isUnsignedInteger())
    return mlir::IntegerType::get(elementType.getContext(),
                                  elementType.getIntOrFloatBitWidth());
  return elementType;
}

/// Whether operands and results are ranked tensors of static shape.
inline bool hasStaticTypes(mlir::Operation *op) {
  auto isStatic = [](mlir::Type type) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

} // namespace tandem

#endif // TANDEM_DIALECT_TANDEM_IR_VALUETYPES_H
