//===- IdleWorkers.cpp - Idle OpenMP workers give up their cores ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenMP.h"

#include "tandem/Runtime/Provider.h"
#include "tandem/Runtime/SharedOpenMP.h"
#include "tandem/Runtime/Workers.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>

using namespace tandem;
using namespace tandem::onednn;

namespace {

/// A thread with OpenMP workers of its own, all asleep. libgomp counts the
/// workers until they end.
class Sleepers {
public:
  /// Returns when there are at least `wanted` threads, including the thread
  /// that owns the workers, or if that thread cannot be started. In that case
  /// all results are right, but calls are slow.
  void growTo(int wanted) {
    if (count.load(std::memory_order_relaxed) >= wanted) [[likely]]
      return;
    std::unique_lock lock(mutex);
    if (!isStarted && !start())
      return;
    isStarted = true;
    target = std::max(target, wanted);
    changed.notify_all();
    changed.wait(lock, [&] { return count >= wanted; });
  }

  /// Ends the workers, if the program shares the library that has them.
  void end() {
    if (count.load(std::memory_order_relaxed) == 0) [[likely]]
      return;
    std::unique_lock lock(mutex);
    target = 0;
    changed.notify_all();
    changed.wait(lock, [&] { return count == 0; });
  }

private:
  bool start() {
    pthread_t thread;
    auto body = [](void *sleepers) -> void * {
      static_cast<Sleepers *>(sleepers)->run();
      return nullptr;
    };
    return pthread_create(&thread, nullptr, body, this) == 0 &&
           pthread_detach(thread) == 0;
  }

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return target != count; });
      // Starts workers, which stay when the region ends.
      if (target > 0)
        openMP().parallel([](void *) {}, nullptr, target, /*flags=*/0);
      else
        sharedOpenMP()->endWorkers();
      count = target;
      changed.notify_all();
    }
  }

  std::atomic<int> count{0};
  /// Guards what follows, and changes of `count`.
  std::mutex mutex;
  std::condition_variable changed;
  bool isStarted = false;
  int target = 0;
};

} // namespace

/// Whether libgomp is there and waits as it does by default.
static bool waitsByDefault() {
  const OpenMP &omp = openMP();
  return omp.parallel && omp.getMaxThreads && omp.getNumProcs &&
         !std::getenv("GOMP_SPINCOUNT") && !std::getenv("OMP_WAIT_POLICY");
}

void tandem::letIdleWorkersSleep() {
  static const bool isWanted = waitsByDefault();
  if (!isWanted || lacksWorkers())
    return;
  static Sleepers *sleepers = new Sleepers; // Outlives its thread.
  // The program decides how its own idle workers wait.
  const SharedOpenMP *shared = sharedOpenMP();
  if (shared && shared->isLibraryOf(openMP().getMaxThreads))
    return sleepers->end();
  static const int processors = openMP().getNumProcs();
  int threads = openMP().getMaxThreads();
  // libgomp counts the process's first thread, and of each team all but the
  // thread that starts it.
  if (threads > 1)
    sleepers->growTo(std::max(2, processors - threads + 2));
}
