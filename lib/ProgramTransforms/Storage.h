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
/// that share their bytes; one of them, the root, represents it.
struct Storages {
  /// By slot, the root of its storage; and the root of the smaller set that
  /// shares its value: the slots that are views of one another.
  std::vector<uint32_t> roots, values;
  /// By root, the kind and the live range of the storage. A storage that no
  /// step uses is live at step -1.
  std::vector<StorageKind> kinds;
  std::vector<LiveRange> ranges;
};

/// Finds the storages of a program. The result of a reshape is in the storage
/// of its operand. The result of a kernel that may compute in place is in the
/// storage of an operand that dies there. Fails (phase "plan") where a number
/// of bytes overflows.
Expected<Storages> findStorages(const Program &program);

} // namespace tandem

#endif // TANDEM_LIB_PROGRAMTRANSFORMS_STORAGE_H
