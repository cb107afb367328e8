//===- GuardedMemory.h - Memory that is closed but on demand ----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_DEVICE_GUARDEDMEMORY_H
#define TANDEM_TEST_DEVICE_GUARDEDMEMORY_H

#include "tandem/Support/Error.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace tandem::test {

/// Blocks of pages that cannot be read or written, but while somebody has
/// opened them. Thread-safe.
class GuardedMemory {
public:
  /// The bytes end where a page ends, or up to 63 before; the next is closed
  /// for good.
  Expected<void *> allocate(int64_t bytes);
  void deallocate(void *pointer);

  /// Opens the blocks that these point into until it is destroyed. Pointers of
  /// other memory, and null, are left alone.
  class Access {
  public:
    Access(GuardedMemory &memory, std::span<void *const> pointers);
    ~Access();
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;

  private:
    GuardedMemory &memory;
    std::vector<char *> opened;
  };

private:
  struct Block {
    size_t bytes = 0;
    int users = 0;
  };
  /// With the mutex held.
  std::map<char *, Block>::iterator find(void *pointer);
  void close(char *start);

  std::mutex mutex; // guards blocks and their pages
  std::map<char *, Block> blocks;
};

} // namespace tandem::test

#endif // TANDEM_TEST_DEVICE_GUARDEDMEMORY_H
