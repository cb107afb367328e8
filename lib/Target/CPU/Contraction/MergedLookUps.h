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

/// `ops` compute and store `vectors` vectors, one after the other and by the
/// same ops. Replaces the look-ups of bytes (tandem_cpu.look_up_bytes) of
/// several vectors in the same table by one look-up of up to `mostBytes` bytes,
/// which takes hardly longer than one of a few bytes. What depends on a byte
/// that is found moves behind the look-up. A vector must not read memory that
/// another one writes.
void mergeLookUps(llvm::ArrayRef<mlir::Operation *> ops, int64_t vectors,
                  int64_t mostBytes);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_CONTRACTION_MERGEDLOOKUPS_H
