//===- RowCopies.h - Rows that are only moved -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice, the parts of a concat and the inside of a pad move rows as they are.
// The C library's memcpy does that as fast as the machine can: it need not read
// the lines that it overwrites, which stores of vectors make the caches do.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_ROWCOPIES_H
#define TANDEM_LIB_TARGET_CPU_LOOP_ROWCOPIES_H

#include "Loop/IndexConditions.h"

namespace tandem {

/// Fewer bytes are moved before a call has returned.
inline constexpr int64_t kLeastCopiedBytes = 1024;

/// Whether all results of `op` are elements of tensors that lie, along loop
/// `first` and those inside it, one next to the other; where its branches go as
/// `known` says.
bool copiesRows(mlir::linalg::GenericOp op, unsigned first,
                const KnownConditions &known);

/// The address that a scalar which LaneEmitter emitted was loaded from; null
/// where it was not only loaded.
mlir::Value getLoadedAddress(mlir::Value scalar);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_ROWCOPIES_H
