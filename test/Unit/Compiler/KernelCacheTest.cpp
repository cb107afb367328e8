//===- KernelCacheTest.cpp - Single flight, eviction, counters ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelCache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using namespace tandem;

namespace {

CompiledKernelPtr kernelOf(size_t bytes) {
  auto kernel = std::make_shared<CompiledKernel>();
  kernel->kernel.code.resize(bytes);
  return kernel;
}

KernelKey key(uint64_t number) { return {number, ~number}; }

/// Whether it had to be made.
bool isMissing(KernelCache &cache, uint64_t number, size_t bytes = 1) {
  bool isMade = false;
  auto kernel = cache.get(key(number), [&] { return kernelOf(bytes); }, isMade);
  EXPECT_TRUE(kernel);
  return isMade;
}

TEST(KernelCache, CountsHitsAndMisses) {
  KernelCache cache;
  EXPECT_TRUE(isMissing(cache, 1));
  EXPECT_FALSE(isMissing(cache, 1));
  EXPECT_TRUE(isMissing(cache, 2));
  KernelCacheStats stats = cache.stats();
  EXPECT_EQ(stats.misses, 2u);
  EXPECT_EQ(stats.hits, 1u);
  EXPECT_EQ(stats.entries, 2u);
  EXPECT_EQ(stats.bytes, 2u);
}

TEST(KernelCache, TheLeastRecentlyUsedGoesFirst) {
  KernelCache cache(KernelCache::Limits{.entries = 2, .bytes = 100});
  isMissing(cache, 1);
  isMissing(cache, 2);
  EXPECT_FALSE(isMissing(cache, 1)); // Now 2 is the older.
  EXPECT_TRUE(isMissing(cache, 3));
  EXPECT_FALSE(isMissing(cache, 1));
  EXPECT_TRUE(isMissing(cache, 2));
  EXPECT_EQ(cache.stats().evictions, 2u);
}

TEST(KernelCache, BytesAreBounded) {
  KernelCache cache(KernelCache::Limits{.entries = 100, .bytes = 10});
  isMissing(cache, 1, 6);
  isMissing(cache, 2, 5);
  EXPECT_EQ(cache.stats().bytes, 5u);
  EXPECT_TRUE(isMissing(cache, 1, 6));
  // More than there is room for: made, handed out, and not kept.
  EXPECT_TRUE(isMissing(cache, 3, 11));
  EXPECT_TRUE(isMissing(cache, 3, 11));
  EXPECT_EQ(cache.stats().bytes, 0u);
}

TEST(KernelCache, WhatWasEvictedLivesOnWithItsUsers) {
  KernelCache cache(KernelCache::Limits{.entries = 1, .bytes = 100});
  bool isMade = false;
  auto first = cache.get(key(1), [] { return kernelOf(3); }, isMade);
  isMissing(cache, 2);
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)->kernel.code.size(), 3u);
}

TEST(KernelCache, FailuresAreNotKept) {
  KernelCache cache;
  bool isMade = false;
  auto failed = cache.get(
      key(1), [&]() -> KernelCache::Result { return fail("test", "no"); },
      isMade);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no");
  EXPECT_TRUE(isMissing(cache, 1));
}

TEST(KernelCache, OneMakesAndTheOthersWait) {
  KernelCache cache;
  constexpr int kThreads = 8;
  std::atomic<int> made{0}, right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      bool isMade = false;
      auto kernel = cache.get(
          key(1),
          [&] {
            ++made;
            // Until all the others wait: no lock is held in here.
            while (cache.stats().awaited < kThreads - 1)
              std::this_thread::yield();
            return kernelOf(7);
          },
          isMade);
      right += kernel && (*kernel)->kernel.code.size() == 7;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(right, kThreads);
  EXPECT_EQ(cache.stats().awaited, unsigned(kThreads - 1));
}

TEST(KernelCache, WaitersGetTheErrorOfWhoTried) {
  KernelCache cache;
  std::atomic<int> failures{0};
  auto get = [&] {
    bool isMade = false;
    auto kernel = cache.get(
        key(1),
        [&]() -> KernelCache::Result {
          while (cache.stats().awaited == 0)
            std::this_thread::yield();
          return fail("test", "no");
        },
        isMade);
    failures += !kernel;
  };
  std::thread one(get), two(get);
  one.join();
  two.join();
  EXPECT_EQ(failures, 2);
}

TEST(KernelCache, OtherKernelsAreMadeMeanwhile) {
  KernelCache cache;
  bool isMade = false;
  auto outer = cache.get(
      key(1),
      [&] {
        std::thread other([&] { EXPECT_TRUE(isMissing(cache, 2)); });
        other.join();
        return kernelOf(1);
      },
      isMade);
  EXPECT_TRUE(outer);
}

TEST(KernelKey, TellsKernelsDevicesAndMachinesApart) {
  const auto makeKey = [](const Target &target, const char *spec,
                          const char *source) {
    return KernelKey(describeKernel(target, spec, source));
  };
  const Target &cpu = **findTarget("cpu"), &cuda = **findTarget("cuda");
  EXPECT_EQ(makeKey(cpu, "host", "a"), makeKey(cpu, "host", "a"));
  EXPECT_FALSE(makeKey(cpu, "host", "a") == makeKey(cpu, "host", "b"));
  EXPECT_FALSE(makeKey(cpu, "host", "a") == makeKey(cuda, "host", "a"));
  EXPECT_FALSE(makeKey(cpu, "host", "a") == makeKey(cpu, "generic", "a"));
}

} // namespace
