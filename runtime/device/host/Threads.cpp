//===- Threads.cpp - How many threads run a step --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include "../../eager/onednn/OneThread.h"

#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/SharedOpenMP.h"
#include "tandem/Runtime/Workers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <pthread.h>
#include <vector>

using namespace tandem;

using Control = tbb::global_control;

/// 0: no limit was set.
static std::atomic<int> limit{0};

/// Whether `count` more threads can be started now. Starts them, and ends them
/// when all have been started.
static bool canStartThreads(int count) {
  std::mutex gate; // held while there may be more to start
  std::vector<pthread_t> started(count);
  auto wait = [](void *data) -> void * {
    std::lock_guard<std::mutex> passed(*static_cast<std::mutex *>(data));
    return nullptr;
  };
  int running = 0;
  {
    std::lock_guard<std::mutex> lock(gate);
    while (running < count &&
           pthread_create(&started[running], nullptr, wait, &gate) == 0)
      ++running;
  }
  for (int i = 0; i < running; ++i)
    pthread_join(started[i], nullptr);
  return running == count;
}

/// Whether this process may start threads; if not, all work runs on the
/// caller's thread. Checked once, before any thread is started: if starting a
/// thread fails later, oneTBB throws from the middle of a loop, and libgomp
/// ends the process.
static bool hasThreads() {
  static const bool has = [] {
    // The threads of oneTBB, and those of oneDNN with the sleeping ones
    // (letIdleWorkersSleep).
    if (canStartThreads(2 * tbb::info::default_concurrency()))
      return true;
    (void)new Control(Control::max_allowed_parallelism, 1);
    limit = 1;
    return false;
  }();
  return has;
}

/// The processors that this process may use; one without threads.
static int availableThreads() {
  static const int available =
      hasThreads() ? tbb::info::default_concurrency() : 1;
  return available;
}

/// Has each of oneTBB's threads do something, so that the next kernel finds
/// them started and awake. Gives up on a machine too busy to run them all.
static void wakeWorkers(int threads) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point deadline = Clock::now() + std::chrono::microseconds(500);
  std::atomic<int> arrived{0};
  tbb::parallel_for(
      0, threads,
      [&](int) {
        ++arrived;
        while (arrived < threads && Clock::now() < deadline)
          ;
      },
      tbb::simple_partitioner());
}

void tandem::setNumThreads(int threads) {
  static std::mutex mutex; // guards control
  static auto &control = *new std::unique_ptr<Control>;
  if (!hasThreads())
    return;
  threads = std::clamp(threads, 1, kMaxThreads);
  std::lock_guard<std::mutex> lock(mutex);
  if (threads == limit)
    return;
  if (lacksWorkers()) {
    limit = threads;
    return;
  }
  control.reset();
  control =
      std::make_unique<Control>(Control::max_allowed_parallelism, threads);
  limit = threads;
  wakeWorkers(std::min(threads, availableThreads()));
}

int tandem::numThreads() {
  int available = availableThreads();
  int threads = limit.load(std::memory_order_relaxed);
  return threads > 0 ? threads : available;
}

void exec::applyThreadLimit() {
  // oneDNN brings the OpenMP library, whichever it was built with.
  using SetNumThreads = void (*)(int);
  static const auto setOpenMP = reinterpret_cast<SetNumThreads>(
      dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  availableThreads();
  thread_local int applied = 0;
  int threads = limit.load(std::memory_order_relaxed);
  if (threads == applied) [[likely]]
    return;
  if (setOpenMP)
    setOpenMP(threads);
  applied = threads;
}

void exec::runInOneSlot(const std::function<void()> &body) {
  applyThreadLimit();
  if (lacksWorkers())
    return body();
  const WithoutWorkers alone;
  tbb::task_arena one(1);
  one.execute(body);
}

void tandem::runOnOneThread(const std::function<void()> &body) {
  // Once it is applied, the limit leaves this thread's setting alone.
  exec::applyThreadLimit();
  onednn::OneThread alone(/*wanted=*/true);
  exec::runInOneSlot(body);
}
