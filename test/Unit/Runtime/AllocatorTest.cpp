//===- AllocatorTest.cpp - The caching allocator --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Tensor.h"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace tandem;

namespace {

TEST(CachingAllocatorTest, BlocksAreAlignedLargeEnoughAndApart) {
  Allocator &allocator = cachingAllocator();
  std::vector<std::pair<char *, int64_t>> blocks;
  for (int64_t size = 0; size < 70000; size += size / 7 + 1) {
    auto memory = allocator.allocate(size);
    ASSERT_TRUE(memory);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % Allocator::kAlignment, 0u);
    std::memset(*memory, 0xab, size);
    blocks.emplace_back(static_cast<char *>(*memory), size);
  }
  std::sort(blocks.begin(), blocks.end());
  for (size_t i = 1; i < blocks.size(); ++i)
    EXPECT_LE(blocks[i - 1].first + blocks[i - 1].second, blocks[i].first);
  for (auto [memory, size] : blocks)
    allocator.deallocate(memory, size);
}

TEST(CachingAllocatorTest, AFreedBlockIsHandedOutAgain) {
  Allocator &allocator = cachingAllocator();
  for (int64_t size : {1, 100, 5000, 3 << 20}) {
    void *first = *allocator.allocate(size);
    allocator.deallocate(first, size);
    void *second = *allocator.allocate(size);
    EXPECT_EQ(first, second) << size << " bytes";
    allocator.deallocate(second, size);
  }
}

TEST(CachingAllocatorTest, AFreedLargeBlockServesHalfItsSize) {
  Allocator &allocator = cachingAllocator();
  constexpr int64_t kLarge = int64_t(384) << 20, kHalf = kLarge / 2;
  void *large = *allocator.allocate(kLarge);
  allocator.deallocate(large, kLarge);
  void *half = *allocator.allocate(kHalf);
  EXPECT_EQ(half, large);
  allocator.deallocate(half, kHalf);
  // The block has kept its size.
  void *again = *allocator.allocate(kLarge);
  EXPECT_EQ(again, large);
  // A smaller request does not take it.
  allocator.deallocate(again, kLarge);
  void *small = *allocator.allocate(kHalf / 2);
  EXPECT_NE(small, large);
  allocator.deallocate(small, kHalf / 2);
}

TEST(CachingAllocatorTest, HugeBlocksAreAlignedToHugePages) {
  constexpr int64_t kSize = 5 << 20;
  void *memory = *cachingAllocator().allocate(kSize);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % (2 << 20), 0u);
  cachingAllocator().deallocate(memory, kSize);
}

TEST(CachingAllocatorTest, CountsLiveAndPeakBytes) {
  Allocator &allocator = cachingAllocator();
  int64_t before = allocator.liveBytes();
  MemoryScope scope;
  void *a = *allocator.allocate(1000), *b = *allocator.allocate(500);
  allocator.deallocate(a, 1000);
  void *c = *allocator.allocate(100);
  EXPECT_EQ(allocator.liveBytes() - before, 600);
  EXPECT_EQ(scope.peakBytes(), 1500);
  allocator.deallocate(b, 500);
  allocator.deallocate(c, 100);
  EXPECT_EQ(allocator.liveBytes(), before);
}

TEST(CachingAllocatorTest, CountsWhatOtherThreadsFree) {
  Allocator &allocator = cachingAllocator();
  const int64_t before = allocator.liveBytes();
  std::vector<void *> blocks(40);
  for (void *&block : blocks)
    std::thread([&] { block = *allocator.allocate(100); }).join();
  EXPECT_EQ(allocator.liveBytes() - before, 4000);
  for (void *block : blocks)
    allocator.deallocate(block, 100);
  EXPECT_EQ(allocator.liveBytes(), before);
}

TEST(CachingAllocatorTest, AnImpossibleSizeIsAnErrorAndHarmless) {
  Allocator &allocator = cachingAllocator();
  int64_t before = allocator.liveBytes();
  for (int64_t size : {int64_t(1) << 45, std::numeric_limits<int64_t>::max()}) {
    auto memory = allocator.allocate(size);
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.error().phase, "allocate");
    EXPECT_THAT(memory.error().message, testing::HasSubstr("cannot allocate"));
  }
  EXPECT_EQ(allocator.liveBytes(), before);
  void *memory = *allocator.allocate(64);
  allocator.deallocate(memory, 64);
}

/// Blocks freed by another thread than the one that allocated them, of classes
/// that all threads share.
TEST(CachingAllocatorTest, ThreadsDoNotGetEachOthersBlocks) {
  Allocator &allocator = cachingAllocator();
  int64_t before = allocator.liveBytes();
  std::atomic<int> overwritten{0};
  auto work = [&](unsigned char mark) {
    std::vector<std::pair<unsigned char *, int64_t>> blocks;
    for (int i = 0; i < 4000; ++i) {
      int64_t size = 1 + (i * 37 + mark) % 900;
      auto *memory = static_cast<unsigned char *>(*allocator.allocate(size));
      std::memset(memory, mark, size);
      blocks.emplace_back(memory, size);
      if (blocks.size() < 20)
        continue;
      auto [oldest, bytes] = blocks.front();
      blocks.erase(blocks.begin());
      overwritten += std::any_of(oldest, oldest + bytes,
                                 [=](unsigned char c) { return c != mark; });
      allocator.deallocate(oldest, bytes);
    }
    for (auto [memory, size] : blocks)
      allocator.deallocate(memory, size);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back(work, static_cast<unsigned char>(i + 1));
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(overwritten, 0);
  EXPECT_EQ(allocator.liveBytes(), before);
}

TEST(AllocatorTest, FillsWhatIsUsedAgain) {
  const TensorType type{DType::f32, {1024}};
  {
    Tensor tensor = *Tensor::allocate(type);
    std::fill_n(tensor.as<float>(), 1024, 1.0F);
  }
  fillAllocations(true);
  Tensor tensor = *Tensor::allocate(type);
  fillAllocations(false);
  for (int i = 0; i < 1024; ++i)
    ASSERT_NE(tensor.as<float>()[i], tensor.as<float>()[i]) << "no NaN";
}

TEST(TensorTest, CopiesShareMemoryUntilTheLastIsGone) {
  int64_t before = cachingAllocator().liveBytes();
  {
    Tensor copy;
    {
      Tensor tensor = *Tensor::allocate({DType::f32, {4, 4}});
      copy = tensor.viewAs({DType::f32, {16}});
      EXPECT_EQ(copy.data(), tensor.data());
    }
    EXPECT_EQ(cachingAllocator().liveBytes(), before + 64);
  }
  EXPECT_EQ(cachingAllocator().liveBytes(), before);
}

TEST(TensorTest, ASizeThatOverflowsIsAnError) {
  constexpr int64_t kLarge = int64_t(1) << 40;
  auto tensor = Tensor::allocate({DType::f32, {kLarge, kLarge}});
  ASSERT_FALSE(tensor);
  EXPECT_THAT(tensor.error().message, testing::HasSubstr("overflow 64 bits"));
  EXPECT_FALSE(Tensor::allocate({DType::f32, {kDynamic}}));
  EXPECT_FALSE(Tensor::allocate({DType::f32, {-1}}));
}

} // namespace
