//===- Storage.h - Slots that share their bytes, and until when -*- C++ -*-===//
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

/// Who brings a storage's memory: the plan, the caller (inputs, constants), or
/// the storage's root, allocated when it is written (outputs).
enum class StorageKind : uint8_t { planned, caller, output };

/// The slots of a program by storage: those that share their bytes, known by
/// one of them, its root.
struct Storages {
  /// By slot: its root; and its root where only views are joined.
  std::vector<uint32_t> roots, values;
  /// By root. A storage that no step touches is live at step -1.
  std::vector<StorageKind> kinds;
  std::vector<LiveRange> ranges;
};

/// A reshape's result is in the storage of its operand, and the result of a
/// kernel that may compute in place in that of an operand that dies there.
/// Errors (phase "plan") where bytes overflow.
Expected<Storages> findStorages(const Program &program);

} // namespace tandem

#endif // TANDEM_LIB_PROGRAMTRANSFORMS_STORAGE_H
