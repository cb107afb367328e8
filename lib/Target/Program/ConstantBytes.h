//===- ConstantBytes.h - Attributes to bytes --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_PROGRAM_CONSTANTBYTES_H
#define TANDEM_LIB_TARGET_PROGRAM_CONSTANTBYTES_H

#include "tandem/Runtime/Tensor.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Location.h"

namespace tandem {

/// The elements of a constant in the form of a slot: dense, row-major,
/// little-endian, i1 as one byte. The bytes of resources are shared instead of
/// copied where they have an owner (SharedConstants.h), whatever their address.
/// Emits an error at `loc` where the bytes are not available or do not fit in
/// memory.
mlir::FailureOr<Tensor> constantBytes(mlir::ElementsAttr elements,
                                      mlir::Location loc);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_PROGRAM_CONSTANTBYTES_H
