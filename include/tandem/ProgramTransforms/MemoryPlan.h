//===- MemoryPlan.h - Planning the memory of a Program ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory planning works on Programs alone and does not use LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PROGRAMTRANSFORMS_MEMORYPLAN_H
#define TANDEM_PROGRAMTRANSFORMS_MEMORYPLAN_H

#include "tandem/Runtime/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tandem {

/// A block of memory that is needed from step `first` to step `last`, both
/// included.
struct LiveRange {
  int64_t first = 0;
  int64_t last = 0;
  int64_t bytes = 0;
  bool overlaps(const LiveRange &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// The memory of an output, which is allocated in any case and is not used
/// before step `firstUse`. Live ranges that end earlier can use the memory.
struct Region {
  int64_t bytes = 0;
  int64_t firstUse = 0;
};

/// A place for each live range: the region (-1 for the arena) and the offset in
/// it, in bytes, a multiple of Allocator::kAlignment. Ranges that overlap in
/// time do not overlap in memory.
struct ArenaLayout {
  std::vector<int64_t> offsets;
  std::vector<int64_t> regions;
  /// Size of the arena, in bytes.
  int64_t bytes = 0;
};

/// Places live ranges one after the other. Each live range gets the smallest
/// sufficient gap of a region or of the arena. If there is no such gap, the
/// arena grows. Tries two orders, by decreasing size (XLA's heap_simulator.h,
/// GlobalDecreasingSizeBestFitHeap) and by time, and returns the better layout.
/// O(n^2) for n ranges.
ArenaLayout layOut(std::span<const LiveRange> ranges,
                   std::span<const Region> regions = {});

/// Gives every intermediate slot of `program` a place in memory: in one arena,
/// or in the memory of an output that has not been written yet. All types must
/// be static. Sets arena_bytes and planned. Inputs, constants and outputs have
/// memory of their own.
///
/// The operand and the result of a reshape share one place. If the result is an
/// output and the operand is an intermediate value, this place is the memory of
/// the output. A kernel's result takes the place of an operand that is not read
/// afterwards, if the kernel allows it (Kernel.in_place).
///
/// The result of a slice without gaps (findViewOffset) is placed at the bytes
/// of the operand that it consists of, so that the result is a view (isView).
/// Operands of a concat are placed where they belong in the result, so that the
/// concat does not copy them. Inputs and constants are never moved. A slice of
/// an input or a constant can therefore be a view, but a concat copies its
/// operands that are inputs or constants. If slices share memory with a value
/// that a step computes, this memory is held until the last slice is read. If
/// operands of a concat are computed in the result, its memory is held from the
/// first write to an operand. Slices and concats copy instead if sharing would
/// raise the peak by more than the number of bytes that are no longer copied,
/// or by the share of the peak that recomputation must save or more
/// (RecomputeLimits). If the result of a slice is an output, the slice copies,
/// because callers may keep outputs for a long time.
///
/// The steps are reordered if that lowers the peak, and so that outputs can be
/// written over the inputs that they update (orderUpdatesLast). The memory of
/// such an output holds no other values.
///
/// Fails with phase "plan" if a number of bytes overflows.
Status planMemory(Program &program);

/// Places slices and the operands of concats in a program that is not planned
/// as planMemory does, so that no bytes are copied. Other slots keep memory of
/// their own. Does nothing if a type is dynamic. Fails as planMemory does.
Status placeParts(Program &program);

/// Moves each step that computes an output which updates an input
/// (Program::updates). The step is moved behind all steps that read the old
/// value of the input, except for those that depend on the moved step. The
/// other steps keep their order. A run can then write the output directly to
/// the memory of the input. Types may be dynamic.
void orderUpdatesLast(Program &program);

/// Replays a planned program and checks that every value is still in its place
/// when it is read, and that no step writes where its operand is read, except
/// in place. The error (phase "plan") names the two values. Takes O(steps *
/// slots) and is meant for tests.
Status checkMemoryPlan(const Program &program);

} // namespace tandem

#endif // TANDEM_PROGRAMTRANSFORMS_MEMORYPLAN_H
