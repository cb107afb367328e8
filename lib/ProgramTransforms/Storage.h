//===- Storage.h - Slots that share memory ----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_PROGRAMTRANSFORMS_STORAGE_H
#define TANDEM_LIB_PROGRAMTRANSFORMS_STORAGE_H

#include "tandem/ProgramTransforms/MemoryPlan.h"

namespace tandem {

/// The origin of a storage's memory: the memory plan, the caller (inputs and
/// constants), or an allocation when the root is written (outputs).
enum class StorageKind : uint8_t { planned, caller, output };

/// The slots of a program, grouped into storages. A storage is a set of slots
/// that are in one block of memory; one of them, the root, is the whole block
/// and represents it.
struct Storages {
  /// By slot, the root of its storage, and where the slot begins in it, in
  /// bytes.
  std::vector<uint32_t> roots;
  std::vector<int64_t> offsets;
  /// By slot, a slot that represents its value. Slots with the same entry are
  /// views of the same value, or of parts of it. A storage has several values
  /// one after the other if kernels compute in place.
  std::vector<uint32_t> values;
  /// By step, whether the result is in the storage of the operand as a view of
  /// it (findViewOffset).
  std::vector<bool> areViews;
  /// By root, the kind and the live range of the storage. A storage that no
  /// step uses is live at step -1.
  std::vector<StorageKind> kinds;
  std::vector<LiveRange> ranges;

  /// Bytes of results of slices and of operands of concats that are not copied.
  int64_t savedBytes = 0;

  /// The largest number of bytes that are live at the same step, not counting
  /// memory of the caller. No layout takes less.
  int64_t maxLiveBytes(size_t numSteps) const;
};

/// Options of findStorages: the ways in which slots may share memory.
struct SharingOptions {
  /// Whether results of kernels may be in the storage of an operand that dies
  /// there (Kernel.in_place).
  bool inPlace = true;
  /// Whether values that a step computes may be held for longer so that their
  /// parts need not be copied: slices are views of them, and operands of a
  /// concat are computed in the storage of the result. The slices of one value,
  /// or the operands of one concat, do so only if that raises maxLiveBytes by
  /// no more than the bytes that are no longer copied, and by little in all
  /// (mayRise).
  bool parts = true;
};

/// Whether a peak of `after` bytes instead of `before` is acceptable for
/// copying less: the difference is less than what recomputation must save to be
/// worth its time (RecomputeLimits).
bool mayRise(int64_t before, int64_t after);

/// Returns, for each slot, whether it is an output, or a reshape of it is one.
std::vector<bool> findOutputValues(const Program &program);

/// Returns, for each step, whether its result is a view of an input or of a
/// constant. Reshapes and slices without gaps can be such steps. A slice whose
/// result is an output is never such a step. Types may be dynamic.
std::vector<bool> findViewsOfInputs(const Program &program);

/// Finds the storages of a static program:
///
/// - the result of a reshape is in the storage of its operand;
/// - the result of a slice without gaps is in the storage of its operand, if
///   that is an input or a constant, or SharingOptions::parts allows it. If the
///   result of the slice, or a reshape of it, is an output, the slice copies,
///   because callers may keep outputs for a long time;
/// - the operand of a concat is in the storage of the result if all of the
///   following hold. A step computes the operand, and the operand depends on an
///   input of the program. No other slot is in the storage of the operand. The
///   operand begins at a multiple of Allocator::kAlignment bytes in the result.
///   No step writes to these bytes before the last read of the operand. An
///   operand of two concats is in the result of the first one;
/// - the result of a kernel that may compute in place is in the storage of an
///   operand that dies there.
///
/// Fails (phase "plan") where a number of bytes overflows.
Expected<Storages> findStorages(const Program &program,
                                const SharingOptions &options = {});

} // namespace tandem

#endif // TANDEM_LIB_PROGRAMTRANSFORMS_STORAGE_H
