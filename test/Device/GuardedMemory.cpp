//===- GuardedMemory.cpp - Memory that is closed but on demand ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"

#include "tandem/Runtime/Tensor.h"

#include <cstdlib>
#include <sys/mman.h>

using namespace tandem;
using namespace tandem::test;

static constexpr size_t kPage = 4096;

static size_t roundUp(size_t bytes, size_t step) {
  return (bytes + step - 1) / step * step;
}

Expected<void *> GuardedMemory::allocate(int64_t bytes) {
  size_t used = roundUp(std::max<size_t>(bytes, 1), Allocator::kAlignment);
  Block block{roundUp(used, kPage)};
  void *pages = mmap(nullptr, block.bytes + kPage, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return fail("allocate",
                "cannot allocate " + std::to_string(bytes) + " bytes");
  auto *start = static_cast<char *>(pages);
  std::lock_guard lock(mutex);
  blocks[start] = block;
  return start + (block.bytes - used);
}

void GuardedMemory::deallocate(void *pointer) {
  std::lock_guard lock(mutex);
  auto block = find(pointer);
  if (block == blocks.end() || block->second.users != 0)
    std::abort(); // Freed twice, or in use.
  munmap(block->first, block->second.bytes + kPage);
  blocks.erase(block);
}

std::map<char *, GuardedMemory::Block>::iterator
GuardedMemory::find(void *pointer) {
  auto *address = static_cast<char *>(pointer);
  auto next = blocks.upper_bound(address);
  if (next == blocks.begin())
    return blocks.end();
  auto block = std::prev(next);
  return address < block->first + block->second.bytes ? block : blocks.end();
}

void GuardedMemory::close(char *start) {
  std::lock_guard lock(mutex);
  Block &block = blocks.at(start);
  if (--block.users == 0 && mprotect(start, block.bytes, PROT_NONE) != 0)
    std::abort();
}

GuardedMemory::Access::Access(GuardedMemory &memory,
                              std::span<void *const> pointers)
    : memory(memory) {
  std::lock_guard lock(memory.mutex);
  for (void *pointer : pointers) {
    auto block = memory.find(pointer);
    if (block == memory.blocks.end())
      continue;
    if (block->second.users++ == 0 &&
        mprotect(block->first, block->second.bytes, PROT_READ | PROT_WRITE) !=
            0)
      std::abort();
    opened.push_back(block->first);
  }
}

GuardedMemory::Access::~Access() {
  for (char *start : opened)
    memory.close(start);
}
