//===- CTypes.h - How types are spelled in CUDA C++ ------------*- C++ -*--===//
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

/// "float", "__half", "long long" …; empty for a type that kernels cannot hold.
std::string cTypeName(mlir::Type type);

/// f16 or bf16: held in memory, converted by functions.
inline bool isHalf(mlir::Type type) {
  return mlir::isa<mlir::Float16Type, mlir::BFloat16Type>(type);
}

/// The literal of a scalar constant as a value of `type` (an index has that of
/// an integer), exact to the last bit; empty for one that kernels cannot hold.
std::string cLiteral(mlir::TypedAttr value, mlir::Type type);

} // namespace tandem::conversion

#endif // TANDEM_LIB_CONVERSION_KERNELTOEMITC_CTYPES_H
