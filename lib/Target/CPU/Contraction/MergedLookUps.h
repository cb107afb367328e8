//===- MergedLookUps.h - Bytes of several vectors in one look-up *- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_CONTRACTION_MERGEDLOOKUPS_H
#define TANDEM_LIB_TARGET_CPU_CONTRACTION_MERGEDLOOKUPS_H

#include "mlir/IR/Builders.h"

namespace tandem {

/// Merges look-ups of bytes (tandem_cpu.look_up_bytes) of several vectors in
/// the same table: one look-up of up to `mostBytes` bytes takes hardly longer
/// than one of a few bytes. `ops` is a sequence of `vectors` parts, each of
/// which computes and stores one vector by the same kinds of ops. Ops that use
/// the bytes that were looked up move behind the merged look-up. This changes
/// the order of loads and stores, so the ops of one vector must not read memory
/// that the ops of another vector write.
void mergeLookUps(llvm::ArrayRef<mlir::Operation *> ops, int64_t vectors,
                  int64_t mostBytes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_MERGEDLOOKUPS_H
