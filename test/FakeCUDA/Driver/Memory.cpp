//===- Memory.cpp - Device memory that knows who uses it ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Memory.h"

#include <cstdlib>

using namespace fake;

const Memory::Block *Memory::find(const Blocks &blocks, const void *pointer,
                                  size_t bytes) {
  auto *address = static_cast<char *>(const_cast<void *>(pointer));
  auto next = blocks.upper_bound(address);
  if (next == blocks.begin())
    return nullptr;
  const auto &[start, block] = *std::prev(next);
  return address + bytes <= start + block.bytes && address < start + block.bytes
             ? &block
             : nullptr;
}

bool Memory::isOnDevice(void *pointer, size_t bytes) const {
  return find(device, pointer, bytes) != nullptr;
}
bool Memory::isPinned(const void *pointer, size_t bytes) const {
  return find(host, pointer, bytes) != nullptr;
}

bool Memory::areInOneBlock(void *first, void *second) const {
  const Block *block = find(device, first, 1);
  return block && block == find(device, second, 1);
}

Result Memory::allocate(void **pointer, size_t bytes) {
  if (bytes == 0)
    return kInvalidValue;
  if (bytes > limit - live)
    return kOutOfMemory;
  auto memory = guarded.allocate(int64_t(bytes));
  if (!memory)
    return kOutOfMemory;
  *pointer = *memory;
  device[static_cast<char *>(*memory)] = {bytes, {}, {}};
  live += bytes;
  return kSuccess;
}

void Memory::check(const Block &block, const Clock &known, bool withReaders,
                   const std::string &what) {
  auto checkUser = [&](const User &user, const char *does) {
    if (user.count != 0 && !known.includes(user.stream, user.count))
      report(what + " memory that " + user.name + " on stream " +
             std::to_string(user.stream) + " " + does +
             ", with nothing that orders the two");
  };
  checkUser(block.writer, "writes");
  if (withReaders)
    for (const auto &[stream, user] : block.readers)
      checkUser(user, "reads");
}

Result Memory::free(void *pointer, const Clock &known) {
  auto block = device.find(static_cast<char *>(pointer));
  if (block == device.end()) {
    report("what is freed is no memory of the device");
    return kInvalidValue;
  }
  check(block->second, known, /*withReaders=*/true, "the host frees");
  live -= block->second.bytes;
  device.erase(block);
  guarded.deallocate(pointer);
  return kSuccess;
}

Result Memory::allocateHost(void **pointer, size_t bytes) {
  *pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!*pointer)
    return kOutOfMemory;
  host[static_cast<char *>(*pointer)] = {bytes, {}, {}};
  return kSuccess;
}

Result Memory::freeHost(void *pointer, const Clock &known) {
  auto block = host.find(static_cast<char *>(pointer));
  if (block == host.end()) {
    report("what is freed is no pinned memory");
    return kInvalidValue;
  }
  check(block->second, known, /*withReaders=*/true, "the host frees");
  host.erase(block);
  std::free(pointer);
  return kSuccess;
}

void Memory::use(const User &user, const Clock &known,
                 std::span<const Use> uses) {
  for (const Use &use : uses) {
    const Block *found = find(device, use.pointer, 1);
    if (!found)
      found = find(host, use.pointer, 1);
    if (!found)
      continue;
    check(*found, known, use.isWrite,
          user.name + " on stream " + std::to_string(user.stream) +
              (use.isWrite ? " writes" : " reads"));
    auto &block = const_cast<Block &>(*found);
    if (use.isWrite) {
      block.writer = user;
      block.readers.clear();
    } else {
      block.readers[user.stream] = user;
    }
  }
}

std::string Memory::leaks() const {
  std::string text;
  if (!device.empty())
    text += std::to_string(device.size()) + " blocks of the device";
  if (!host.empty())
    text += (text.empty() ? "" : ", ") + std::to_string(host.size()) +
            " of pinned memory";
  return text;
}
