//===- ConstantMemory.h - When a constant is kept ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of an op on constants alone can be computed once and kept, in
// memory that is then never free for anything else. This is the limit of it.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_CONSTANTMEMORY_H
#define TANDEM_SUPPORT_CONSTANTMEMORY_H

#include "tandem/Support/ShapeRules.h"

namespace tandem {

/// What each run saves that does not execute an op of this cost, in bytes that
/// are not moved. Processors compute about 8 operations in the time in which
/// memory delivers a byte.
inline double savedBytes(const OpCost &cost) {
  return double(cost.bytes) + double(cost.flops) / 8;
}

/// Whether `saved` bytes (savedBytes) less in each run are worth `kept` bytes
/// of memory: those that write a constant are not, where next to nothing is
/// read or computed for it, as for a scalar that is broadcast.
inline bool isWorthKeeping(double saved, int64_t kept) {
  return saved >= 1.25 * double(kept);
}

} // namespace tandem

#endif // TANDEM_SUPPORT_CONSTANTMEMORY_H
