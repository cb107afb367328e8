//===- CachingAllocator.cpp - Blocks kept by size class -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Free blocks of a class are a list threaded through the blocks themselves. A
// large block also serves a request for at least half its size, because shapes
// that vary from call to call would otherwise keep blocks of each class.
//
//===----------------------------------------------------------------------===//

#include "SizeClass.h"

#include <cstdlib>
#include <cstring>

#include <fstream>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

#if defined(__SANITIZE_ADDRESS__) ||                                           \
    (defined(__has_feature) && __has_feature(address_sanitizer))
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(pointer, size) ((void)(pointer), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(pointer, size)                             \
  ((void)(pointer), (void)(size))
#endif

using namespace tandem;
using namespace tandem::core;

namespace {

/// Blocks from here on are aligned to huge pages and ask the system for them:
/// a first touch then costs one fault per 2 MiB.
constexpr uint64_t kHugePage = uint64_t(2) << 20;
constexpr uint64_t kPage = 4096;

/// See fillAllocations.
std::atomic<bool> isFilling{false};
/// How many FilledAllocations the thread has.
thread_local int fillingScopes = 0;

/// Memory that this process may use: the machine's, or its control group's.
int64_t systemMemoryLimit() {
  int64_t limit = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  for (const char *path : {"/sys/fs/cgroup/memory.max",
                           "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    int64_t bytes = 0;
    if (std::ifstream(path) >> bytes && bytes > 0)
      limit = std::min(limit, bytes);
  }
  return limit;
}

struct FreeBlock {
  FreeBlock *next;
};

/// Free blocks of one thread, small ones, so that threads which call small
/// programs need not meet at the bins: some hundred kilobytes at most. They go
/// back to the bins when the thread ends.
class ThreadBlocks {
public:
  /// Returns the blocks of the calling thread; null if the thread is about to
  /// end.
  static ThreadBlocks *get();
  ~ThreadBlocks();

  /// Null where there is none.
  FreeBlock *pop(const SizeClass &sizeClass);
  /// Whether there was room for it.
  bool push(const SizeClass &sizeClass, FreeBlock *block);

private:
  static constexpr uint64_t kMaxBytes = 4096;
  static constexpr int kMaxBlocks = 8;
  struct List {
    FreeBlock *blocks = nullptr;
    int count = 0;
  };
  std::array<List, 24> lists;
};

class CachingAllocator final : public Allocator {
public:
  Expected<void *> allocate(int64_t bytes) override;
  void deallocate(void *pointer, int64_t bytes) override;
  /// Makes a block of this class available to all threads.
  void push(const SizeClass &sizeClass, FreeBlock *block);

private:
  /// One class's free blocks. A cache line each: threads that use different
  /// classes do not disturb one another.
  struct alignas(64) Bin {
    std::mutex mutex; // guards blocks; held for a push or a pop
    FreeBlock *blocks = nullptr;
  };

  FreeBlock *pop(const SizeClass &sizeClass);
  /// Returns a free block of a larger class, at most twice as large; null if
  /// there is none, or if the class is not one of large blocks.
  FreeBlock *popLarger(const SizeClass &sizeClass);
  /// The class that the block of a pointer was allocated as. `sizeClass` is the
  /// class of the size that was asked for.
  SizeClass takeClass(void *pointer, const SizeClass &sizeClass);
  void *allocateFromSystem(uint64_t bytes);
  /// Gives every free block back to the system.
  void trim();

  std::array<Bin, kNumClasses> bins;
  std::mutex largerMutex; // guards largerBlocks
  /// The blocks in use that popLarger has returned, and their classes.
  std::unordered_map<void *, SizeClass> largerBlocks;
  std::atomic<int64_t> cachedBytes{0};
  const int64_t memoryLimit = systemMemoryLimit();
  const int64_t cacheLimit =
      std::min<int64_t>(memoryLimit / 4, int64_t(4) << 30);
};

FreeBlock *CachingAllocator::pop(const SizeClass &sizeClass) {
  Bin &bin = bins[sizeClass.index];
  FreeBlock *block;
  {
    std::lock_guard<std::mutex> lock(bin.mutex);
    block = bin.blocks;
    if (!block)
      return nullptr;
    bin.blocks = block->next;
  }
  cachedBytes.fetch_sub(sizeClass.bytes, std::memory_order_relaxed);
  return block;
}

FreeBlock *CachingAllocator::popLarger(const SizeClass &sizeClass) {
  if (sizeClass.bytes < kHugePage)
    return nullptr;
  for (size_t index = sizeClass.index + 1;
       index < kNumClasses && classBytes(index) <= 2 * sizeClass.bytes; ++index)
    if (FreeBlock *block = pop({index, classBytes(index)})) {
      std::lock_guard<std::mutex> lock(largerMutex);
      largerBlocks.emplace(block, SizeClass{index, classBytes(index)});
      return block;
    }
  return nullptr;
}

SizeClass CachingAllocator::takeClass(void *pointer,
                                      const SizeClass &sizeClass) {
  if (sizeClass.bytes < kHugePage)
    return sizeClass;
  std::lock_guard<std::mutex> lock(largerMutex);
  auto found = largerBlocks.extract(pointer);
  return found ? found.mapped() : sizeClass;
}

void CachingAllocator::push(const SizeClass &sizeClass, FreeBlock *block) {
  cachedBytes.fetch_add(sizeClass.bytes, std::memory_order_relaxed);
  Bin &bin = bins[sizeClass.index];
  std::lock_guard<std::mutex> lock(bin.mutex);
  block->next = bin.blocks;
  bin.blocks = block;
}

void *CachingAllocator::allocateFromSystem(uint64_t bytes) {
  // With overcommit the system would promise any amount and end the process on
  // first touch.
  if (bytes > static_cast<uint64_t>(memoryLimit) ||
      liveBytes() + static_cast<int64_t>(bytes) > memoryLimit)
    return nullptr;
  uint64_t alignment = bytes >= kHugePage    ? kHugePage
                       : bytes >= 16 * kPage ? kPage
                                             : Allocator::kAlignment;
  void *memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes) != 0)
    return nullptr;
  if (alignment == kHugePage)
    madvise(memory, bytes & ~(kPage - 1), MADV_HUGEPAGE);
  return memory;
}

void CachingAllocator::trim() {
  for (Bin &bin : bins) {
    FreeBlock *block;
    {
      std::lock_guard<std::mutex> lock(bin.mutex);
      block = std::exchange(bin.blocks, nullptr);
    }
    uint64_t bytes = classBytes(&bin - bins.data());
    while (block) {
      FreeBlock *next = block->next;
      ASAN_UNPOISON_MEMORY_REGION(block, bytes);
      std::free(block);
      cachedBytes.fetch_sub(bytes, std::memory_order_relaxed);
      block = next;
    }
  }
}

Expected<void *> CachingAllocator::allocate(int64_t bytes) {
  SizeClass sizeClass = sizeClassOf(bytes);
  ThreadBlocks *own = ThreadBlocks::get();
  FreeBlock *block = own ? own->pop(sizeClass) : nullptr;
  if (!block)
    block = pop(sizeClass);
  if (!block)
    block = popLarger(sizeClass);
  if (block)
    ASAN_UNPOISON_MEMORY_REGION(block, sizeClass.bytes);
  void *memory = block;
  if (!memory)
    memory = allocateFromSystem(sizeClass.bytes);
  if (!memory) {
    trim();
    memory = allocateFromSystem(sizeClass.bytes);
  }
  if (!memory) [[unlikely]]
    return fail("allocate",
                "cannot allocate " + std::to_string(bytes) + " bytes; " +
                    std::to_string(liveBytes()) + " of at most " +
                    std::to_string(memoryLimit) + " are in use",
                "use smaller shapes, or a machine with more memory");
  count(bytes);
  if (areAllocationsFilled()) [[unlikely]]
    std::memset(memory, 0xff, static_cast<size_t>(bytes));
  return memory;
}

void CachingAllocator::deallocate(void *pointer, int64_t bytes) {
  count(-bytes);
  SizeClass sizeClass = takeClass(pointer, sizeClassOf(bytes));
  int64_t size = sizeClass.bytes;
  ASAN_POISON_MEMORY_REGION(static_cast<char *>(pointer) + sizeof(FreeBlock),
                            sizeClass.bytes - sizeof(FreeBlock));
  auto *block = new (pointer) FreeBlock;
  ThreadBlocks *own = ThreadBlocks::get();
  if (own && own->push(sizeClass, block))
    return;
  // A full cache holds blocks of shapes gone by: start afresh.
  if (cachedBytes.load(std::memory_order_relaxed) + size > cacheLimit)
      [[unlikely]] {
    trim();
    if (size > cacheLimit) {
      ASAN_UNPOISON_MEMORY_REGION(pointer, sizeClass.bytes);
      return std::free(pointer);
    }
  }
  push(sizeClass, block);
}

CachingAllocator &processAllocator() {
  // Never destroyed: tensors with static storage may outlive it otherwise.
  static auto *allocator = new CachingAllocator;
  return *allocator;
}

/// Set when the thread's blocks are gone; tensors may be freed after that.
thread_local bool isEnding = false;

ThreadBlocks *ThreadBlocks::get() {
  if (isEnding) [[unlikely]]
    return nullptr;
  thread_local ThreadBlocks blocks;
  return &blocks;
}

ThreadBlocks::~ThreadBlocks() {
  isEnding = true;
  for (size_t index = 0; index < lists.size(); ++index)
    while (FreeBlock *block = lists[index].blocks) {
      lists[index].blocks = block->next;
      processAllocator().push({index, classBytes(index)}, block);
    }
}

FreeBlock *ThreadBlocks::pop(const SizeClass &sizeClass) {
  if (sizeClass.bytes > kMaxBytes)
    return nullptr;
  List &list = lists[sizeClass.index];
  FreeBlock *block = list.blocks;
  if (block) {
    list.blocks = block->next;
    --list.count;
  }
  return block;
}

bool ThreadBlocks::push(const SizeClass &sizeClass, FreeBlock *block) {
  if (sizeClass.bytes > kMaxBytes)
    return false;
  List &list = lists[sizeClass.index];
  if (list.count == kMaxBlocks)
    return false;
  block->next = list.blocks;
  list.blocks = block;
  ++list.count;
  return true;
}

} // namespace

void tandem::fillAllocations(bool isWanted) { isFilling = isWanted; }
FilledAllocations::FilledAllocations() { ++fillingScopes; }
FilledAllocations::~FilledAllocations() { --fillingScopes; }
bool tandem::areAllocationsFilled() {
  return isFilling.load(std::memory_order_relaxed) || fillingScopes > 0;
}

Allocator &tandem::cachingAllocator() { return processAllocator(); }
