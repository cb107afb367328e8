//===- Memory.h - Device memory that knows who uses it ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_DRIVER_MEMORY_H
#define TANDEM_TEST_FAKECUDA_DRIVER_MEMORY_H

#include "Reports.h"

#include "../../Device/GuardedMemory.h"

#include <map>
#include <span>
#include <vector>

namespace fake {

/// How far the work of each stream is known to be done: by the stream's number
/// (a vector clock; C. Fidge, ACSC 1988).
class Clock {
public:
  void merge(const Clock &other) {
    for (auto [stream, count] : other.counts)
      counts[stream] = std::max(counts[stream], count);
  }
  uint64_t advance(int stream) { return ++counts[stream]; }
  bool includes(int stream, uint64_t count) const {
    auto known = counts.find(stream);
    return known != counts.end() && known->second >= count;
  }

private:
  std::map<int, uint64_t> counts;
};

/// Memory that a piece of work reads or writes.
struct Use {
  void *pointer;
  bool isWrite;
};

/// Who works: for messages, and for the order.
struct User {
  std::string name;
  int stream = 0;
  uint64_t count = 0;
};

/// All memory that the driver hands out: the device's, which is closed unless
/// work runs that uses it, and pinned memory of the host. Every use is checked
/// against those before it: one of two that write has to be ordered after the
/// other by a stream, an event or the host. Not thread-safe, but `guarded`.
class Memory {
public:
  explicit Memory(size_t limit) : limit(limit) {}

  Result allocate(void **pointer, size_t bytes);
  /// `host`: what the host knows to be done.
  Result free(void *pointer, const Clock &host);
  Result allocateHost(void **pointer, size_t bytes);
  Result freeHost(void *pointer, const Clock &host);

  /// Notes that `user` will use these; `known`: what is done before.
  void use(const User &user, const Clock &known, std::span<const Use> uses);
  /// Whether `bytes` from `pointer` on are in one block of the device's, or of
  /// the host's pinned memory.
  bool isOnDevice(void *pointer, size_t bytes) const;
  bool isPinned(const void *pointer, size_t bytes) const;
  /// Whether both are in one block of the device's.
  bool areInOneBlock(void *first, void *second) const;
  /// What is not freed: "2 blocks of the device, 1 of the host".
  std::string leaks() const;
  size_t liveBytes() const { return live; }
  size_t total() const { return limit; }

  tandem::test::GuardedMemory guarded;

private:
  struct Block {
    size_t bytes;
    User writer;
    std::map<int, User> readers;
  };
  using Blocks = std::map<char *, Block>;
  static const Block *find(const Blocks &blocks, const void *pointer,
                           size_t bytes);
  /// Reports uses of the block that `known` does not include.
  static void check(const Block &block, const Clock &known, bool withReaders,
                    const std::string &what);

  Blocks device, host;
  size_t live = 0, limit;
};

} // namespace fake

#endif // TANDEM_TEST_FAKECUDA_DRIVER_MEMORY_H
