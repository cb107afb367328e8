//===- Prefetch.h - Prefetching lines into caches ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CPU_PREFETCH_H
#define TANDEM_LIB_TARGET_CPU_PREFETCH_H

#include "mlir/IR/Builders.h"

namespace tandem {

/// The cache that a line is prefetched into: the second level, for a time when
/// the first one will have moved on, or the first. Values are LLVM's degrees of
/// locality.
enum class PrefetchLevel : unsigned { Second = 2, First = 3 };

/// Prefetches the line that is `bytes` behind `pointer`. It may be anywhere.
void prefetch(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
              int64_t bytes, bool isWritten, PrefetchLevel level);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CPU_PREFETCH_H
