//===- PairedIntegers.h - Two integers of 4 bits in a byte ------ -*- C++
//-*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_TRANSFORMS_PAIREDINTEGERS_H
#define TANDEM_LIB_TARGET_CPU_TRANSFORMS_PAIREDINTEGERS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace tandem {

/// Whether all elements of a constant of i8 are from -8 to 7. Returns false if
/// the bytes of the constant are not available.
bool haveFourBits(mlir::ElementsAttr integers);

/// Returns the constant of bytes whose integers, as cpu::UnpackIntegersOp
/// unpacks them, are `integers`, for which haveFourBits holds. The innermost
/// dim must have an even size.
mlir::ElementsAttr pairIntegers(mlir::ElementsAttr integers);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_TRANSFORMS_PAIREDINTEGERS_H
