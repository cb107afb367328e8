//===- CTypes.h - Types and literals in CUDA C++ ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_CONVERSION_KERNELTOEMITC_CTYPES_H
#define TANDEM_LIB_CONVERSION_KERNELTOEMITC_CTYPES_H

#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace tandem::conversion {

/// The name of a type in CUDA C++: "float", "f16", "long long", or, of a
/// vector, "pack<float, 4>" …; empty for a type that kernels do not support.
/// The half types and pack are declared by declareDeviceFunctions.
std::string cTypeName(mlir::Type type);

/// The size of an element in memory, in bytes.
int64_t byteSize(mlir::Type element);

/// Whether the type is f16 or bf16. Such values exist in memory only, and are
/// converted by functions.
inline bool isHalf(mlir::Type type) {
  return mlir::isa<mlir::Float16Type, mlir::BFloat16Type>(type);
}

/// The literal of a scalar constant as a value of `type`, exact to the last
/// bit; an index is written as an integer. Empty for a constant that kernels do
/// not support.
std::string cLiteral(mlir::TypedAttr value, mlir::Type type);

} // namespace tandem::conversion

#endif // TANDEM_LIB_CONVERSION_KERNELTOEMITC_CTYPES_H
