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
#include "Loop/LaneEmitter.h"

namespace tandem {

/// Whether all results of `op` are unchanged elements of tensors that are
/// contiguous along loop `first` and the loops inside it, if branches are
/// decided by `known`, and `size` elements are worth a call of memcpy.
bool copiesRows(mlir::linalg::GenericOp op, unsigned first, int64_t size,
                const KnownConditions &known);

/// Copies `length` times `inner` elements for each result of such an op, from
/// where `emitter` is; it has one lane.
void emitRowCopies(mlir::OpBuilder &builder, LaneEmitter &emitter,
                   mlir::linalg::GenericOp op, mlir::Value length,
                   int64_t inner,
                   llvm::function_ref<Buffer(mlir::Value)> getBuffer);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_LOOP_ROWCOPIES_H
