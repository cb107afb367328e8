//===- Threads.cpp - How many threads run a step --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include "tandem/Runtime/Executor.h"

#include <chrono>
#include <dlfcn.h>
#include <mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>

using namespace tandem;

/// 0: no limit was set.
static std::atomic<int> limit{0};

/// The processors that this process may use.
static int availableThreads() {
  static const int available = tbb::info::default_concurrency();
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
  using Control = tbb::global_control;
  static std::mutex mutex; // guards control
  static std::unique_ptr<Control> control;
  threads = std::max(threads, 1);
  std::lock_guard<std::mutex> lock(mutex);
  if (threads == limit)
    return;
  control.reset();
  control =
      std::make_unique<Control>(Control::max_allowed_parallelism, threads);
  limit = threads;
  wakeWorkers(std::min(threads, availableThreads()));
}

int tandem::numThreads() {
  int threads = limit.load(std::memory_order_relaxed);
  return threads > 0 ? threads : availableThreads();
}

void exec::applyThreadLimit() {
  // oneDNN brings the OpenMP library, whichever it was built with.
  using SetNumThreads = void (*)(int);
  static const auto setOpenMP = reinterpret_cast<SetNumThreads>(
      dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  thread_local int applied = 0;
  int threads = limit.load(std::memory_order_relaxed);
  if (threads == applied) [[likely]]
    return;
  if (setOpenMP)
    setOpenMP(threads);
  applied = threads;
}
