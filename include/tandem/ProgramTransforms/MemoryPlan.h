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

#ifndef TANDEM_PROGRAMTRANSFORMS_MEMORYPLAN_H
#define TANDEM_PROGRAMTRANSFORMS_MEMORYPLAN_H

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

/// Memory that exists anyway and lies idle until step `firstUse`: an output's.
struct Region {
  int64_t bytes = 0;
  int64_t firstUse = 0;
};

/// By range: a region (-1: the arena) and an offset in it, a multiple of
/// Allocator::kAlignment; ranges that overlap in time do not overlap in memory.
struct ArenaLayout {
  std::vector<int64_t> offsets;
  std::vector<int64_t> regions;
  /// Of the arena.
  int64_t bytes = 0;
};

/// Places range after range into the smallest gap of a region or the arena that
/// holds it; the arena grows where there is none. Does so by decreasing size
/// (XLA's heap_simulator.h, GlobalDecreasingSizeBestFitHeap) and by time, and
/// gives the better one. O(n^2) for n ranges.
ArenaLayout layOut(std::span<const LiveRange> ranges,
                   std::span<const Region> regions = {});

/// Gives every intermediate slot of `program`, whose types are static, a place:
/// in the memory of an output that has not been written yet, or in one arena.
/// Sets arena_bytes and planned. Inputs, constants and outputs have memory of
/// their own.
///
/// A reshape's result is its operand: both are in one place, or, where an
/// output is a reshape of an intermediate, both are the output's memory. A
/// kernel's result takes the place of an operand that nobody reads afterwards,
/// where the kernel says that it may (Kernel.in_place).
///
/// The steps change places where another order of them lowers the peak.
///
/// Errors (phase "plan") where bytes overflow.
Status planMemory(Program &program);

/// Replays a planned program and checks that every value is still in its place
/// when it is read, and that nothing else is written where an operand is read,
/// in place aside. An error (phase "plan") says who overwrites whom. For tests:
/// O(steps * slots).
Status checkMemoryPlan(const Program &program);

} // namespace tandem

#endif // TANDEM_PROGRAMTRANSFORMS_MEMORYPLAN_H
