//===- HiddenValues.h - Values that LLVM does not know --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some combinations of constants with vectors make LLVM 22 emit wrong code, or
// none. These functions give the same values behind an empty inline assembly.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_HIDDENVALUES_H
#define TANDEM_LIB_TARGET_CPU_LOOP_HIDDENVALUES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tandem {

/// `mask` as a value that LLVM does not know. LLVM 22 stores 32 bits for a
/// masked store of elements that were narrowed to 8 or 16 bits, if it knows
/// that the mask has one lane.
mlir::Value hideMask(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value mask);

/// A vector whose element 0 is a zero that LLVM does not know, and whose other
/// elements are undefined. LLVM 22 makes an extension of a shuffle that puts a
/// zero behind each element, and aborts where AVX-512 has no instruction for
/// it.
mlir::Value hiddenZero(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::VectorType type);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_HIDDENVALUES_H
