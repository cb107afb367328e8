//===- BackgroundQueueTest.cpp - Work beside the calls --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "background/BackgroundQueue.h"

#include "gtest/gtest.h"

#include <array>
#include <functional>
#include <latch>
#include <sched.h>

using namespace tandem::tiering;

namespace {

class TestJob final : public BackgroundJob {
public:
  TestJob(const void *owner, std::function<void()> body)
      : BackgroundJob(owner), body(std::move(body)) {}
  void run() override { body(); }
  void cancel() override {}

private:
  std::function<void()> body;
};

/// Leaves the calling thread on `processor` while it lives.
struct OnProcessor {
  explicit OnProcessor(int processor) {
    sched_getaffinity(0, sizeof before, &before);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OnProcessor() { sched_setaffinity(0, sizeof before, &before); }
  cpu_set_t before;
};

class BackgroundQueueTest : public testing::Test {
protected:
  /// The thread is to start with all of this thread's processors.
  void SetUp() override {
    run([] {});
  }
  void run(std::function<void()> body) {
    auto added = queue.add(std::make_shared<TestJob>(this, std::move(body)));
    ASSERT_TRUE(added) << added.error().str();
    while (queue.waiting() + queue.running() > 0)
      ; // On this thread's processor.
  }
  BackgroundQueue &queue = BackgroundQueue::process();
};

TEST_F(BackgroundQueueTest, AJobBeginsOnAnotherProcessorThanItsCaller) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  if (CPU_COUNT(&allowed) < 2)
    GTEST_SKIP() << "there is one processor only";
  const int processor = sched_getcpu();
  OnProcessor here(processor);
  int apart = 0;
  for (int i = 0; i < 20; ++i) {
    // The thread falls asleep where the next job is added.
    run([&] { OnProcessor there(processor); });
    run([&] { apart += sched_getcpu() != processor; });
  }
  // The system may move it back.
  EXPECT_GE(apart, 15);
}

TEST_F(BackgroundQueueTest, CountsWhatRanMeanwhile) {
  const uint64_t ended = queue.ended();
  EXPECT_EQ(queue.begun(), ended);
  uint64_t within = 0;
  run([&] { within = queue.begun() - queue.ended(); });
  EXPECT_EQ(within, 1U);
  EXPECT_EQ(queue.begun(), ended + 1);
  EXPECT_EQ(queue.ended(), ended + 1);
}

/// Also where the thread that has them started is bound to one.
TEST_F(BackgroundQueueTest, ThreadsHaveTheProcessorsOfTheProcess) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  OnProcessor here(sched_getcpu());
  queue.setThreads(2);
  std::latch both(2);
  std::array<cpu_set_t, 2> found{};
  for (cpu_set_t &one : found)
    ASSERT_TRUE(queue.add(std::make_shared<TestJob>(this, [&] {
      both.arrive_and_wait(); // On two threads, the second of which is new.
      sched_getaffinity(0, sizeof one, &one);
    })));
  queue.wait(this);
  queue.setThreads(1);
  for (const cpu_set_t &one : found)
    EXPECT_TRUE(CPU_EQUAL(&one, &allowed));
}

TEST_F(BackgroundQueueTest, AJobKeepsTheProcessorsOfItsThread) {
  cpu_set_t allowed, found;
  sched_getaffinity(0, sizeof allowed, &allowed);
  CPU_ZERO(&found);
  run([&] { sched_getaffinity(0, sizeof found, &found); });
  EXPECT_TRUE(CPU_EQUAL(&allowed, &found));
}

} // namespace
