//===- ConstantMemory.h - When to keep a computed constant ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of an op that only depends on constants can be computed once and
// kept. The result then occupies memory permanently. The functions below decide
// whether the time that each run saves is worth that memory.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_CONSTANTMEMORY_H
#define TANDEM_SUPPORT_CONSTANTMEMORY_H

#include "tandem/Support/ShapeRules.h"

namespace tandem {

/// Returns what a run saves if it does not execute an op with this cost, in
/// equivalent bytes of memory traffic. Eight operations count as one byte,
/// because a processor computes about 8 operations in the time that memory
/// takes to deliver one byte.
inline double savedBytes(const OpCost &cost) {
  return double(cost.bytes) + double(cost.flops) / 8;
}

/// Returns true if saving `saved` bytes (savedBytes) in each run is worth
/// keeping `kept` bytes in memory. `saved` includes the bytes of the result
/// itself, so `saved` must be at least 1.25 times `kept`. A broadcast scalar,
/// for example, is not kept, because almost nothing is read or computed to
/// produce the result.
inline bool isWorthKeeping(double saved, int64_t kept) {
  return saved >= 1.25 * double(kept);
}

} // namespace tandem

#endif // TANDEM_SUPPORT_CONSTANTMEMORY_H
