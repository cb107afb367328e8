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

/// `mask` as a value that LLVM does not know. If LLVM 22 knows the mask of a
/// masked store, it makes two mistakes:
/// - It stores 32 bits for an element that was narrowed to 8 or 16 bits, if the
///   mask has one lane.
/// - If the last lanes and every other lane are not stored, it replaces a
///   shuffle that repeats the elements of a shorter vector by a zero extension.
///   It then aborts, because AVX-512 has no such instruction.
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
