//===- RowCopies.h - Rows that are only copied ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice, the parts of a concat and the inside of a pad copy rows unchanged.
// The C library's memcpy does so as fast as the machine can, because it need
// not read the cache lines that it overwrites, as vector stores do.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_LOOP_ROWCOPIES_H
#define TANDEM_LIB_TARGET_CPU_LOOP_ROWCOPIES_H

#include "Loop/IndexConditions.h"

namespace tandem {

/// The least number of bytes for which a call of memcpy pays.
inline constexpr int64_t kLeastCopiedBytes = 1024;

/// Whether all results of `op` are unchanged elements of tensors that are
/// contiguous along loop `first` and the loops inside it, if branches are
/// decided by `known`.
bool copiesRows(mlir::linalg::GenericOp op, unsigned first,
                const KnownConditions &known);

/// The address from which a scalar that LaneEmitter emitted was loaded; null
/// where it is not just a loaded value.
mlir::Value getLoadedAddress(mlir::Value scalar);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_ROWCOPIES_H
