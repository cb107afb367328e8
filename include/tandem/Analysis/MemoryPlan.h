//===- MemoryPlan.h - Live ranges to arena offsets -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On Programs alone: no LLVM here.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_ANALYSIS_MEMORYPLAN_H
#define TANDEM_ANALYSIS_MEMORYPLAN_H

#include "tandem/Runtime/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tandem {

/// Memory that is needed from step `first` to step `last`, both included.
struct LiveRange {
  int64_t first = 0;
  int64_t last = 0;
  int64_t bytes = 0;
  bool overlaps(const LiveRange &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// Offsets such that ranges that overlap in time do not overlap in memory;
/// multiples of Allocator::kAlignment.
struct ArenaLayout {
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Places the largest range first, each into the smallest gap that holds it
/// (best fit by decreasing size: XLA's heap_simulator.h,
/// GlobalDecreasingSizeBestFitHeap). O(n^2) for n ranges.
ArenaLayout layOut(std::span<const LiveRange> ranges);

/// Gives every intermediate slot of `program`, whose types are static, an
/// offset in one arena and sets arena_bytes. Inputs, constants and outputs are
/// not in the arena. A reshape's result is its operand: both get one offset,
/// or, where an output is a reshape of an intermediate, neither gets one and
/// the output is a view. Errors (phase "plan") where bytes overflow.
Status planMemory(Program &program);

} // namespace tandem

#endif // TANDEM_ANALYSIS_MEMORYPLAN_H
