//===- WorkerPoolTest.cpp - Threads that share out a kernel ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerPool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

using namespace tandem::exec;

namespace {

/// Adds 1 to each element of the range: argument 0.
void count(void *const *arguments, int64_t begin, int64_t end) {
  auto *counts = static_cast<int *>(arguments[0]);
  for (int64_t i = begin; i < end; ++i)
    ++counts[i];
}

/// Whether each iteration runs once, by `threads` threads.
void checkRun(int64_t extent, int64_t grain, double ns, int threads) {
  std::vector<int> counts(static_cast<size_t>(extent) + 1, 0);
  void *arguments[] = {counts.data()};
  WorkerPool::get().run({count, arguments, extent, grain, ns}, threads);
  std::vector<int> expected(static_cast<size_t>(extent), 1);
  expected.push_back(0);
  EXPECT_EQ(counts, expected)
      << extent << " by " << grain << " on " << threads << " threads";
}

TEST(WorkerPool, RunsEachIterationOnce) {
  for (int threads : {1, 2, 3, 7})
    for (int64_t extent : {0, 1, 2, 3, 7, 8, 9, 100, 1000})
      for (int64_t grain : {1, 2, 3, 8, 99, 1000})
        checkRun(extent, grain, 1e6, threads);
}

/// What is not worth waking anybody for, to workers asleep and awake.
TEST(WorkerPool, SmallJobsAfterARest) {
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (int call = 0; call < 500; ++call)
      checkRun(16, 1, 2000, 2);
  }
}

TEST(WorkerPool, SeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([] {
      for (int call = 0; call < 300; ++call)
        checkRun(200 + call, 1 + call % 5, 1e6, 2 + call % 3);
    });
  for (std::thread &caller : callers)
    caller.join();
}

/// A worker takes from a thread that is slow: the caller waits for it here.
TEST(WorkerPool, TakesFromOthersShares) {
  struct State {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int64_t> byWorkers{0};
  } state;
  auto body = [](void *const *arguments, int64_t begin, int64_t end) {
    auto &shared = *static_cast<State *>(arguments[0]);
    if (std::this_thread::get_id() != shared.caller) {
      shared.byWorkers += end - begin;
      return;
    }
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (shared.byWorkers < 500 &&
           std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  };
  void *arguments[] = {&state};
  WorkerPool::get().run({body, arguments, 1000, 1, 1e9}, 2);
  // All but what the caller had taken.
  EXPECT_GT(state.byWorkers, 600);
}

} // namespace
