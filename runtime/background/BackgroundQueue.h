//===- BackgroundQueue.h - Work beside the calls -------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_BACKGROUND_BACKGROUNDQUEUE_H
#define TANDEM_RUNTIME_BACKGROUND_BACKGROUNDQUEUE_H

#include "background/ContentionTrackedLock.h"

#include "tandem/Support/Error.h"

#include <atomic>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace tandem::tiering {

/// A piece of work for a background thread.
class BackgroundJob {
public:
  /// `owner` is whom cancelAll and wait know it by.
  explicit BackgroundJob(const void *owner) : owner(owner) {}
  virtual ~BackgroundJob() = default;
  virtual void run() = 0;
  /// Called in place of `run` where the job is cancelled.
  virtual void cancel() = 0;
  /// Called, also while it runs, where nobody waits for its result any more.
  virtual void interrupt() {}
  /// Called while it runs, where it should end soon, if it can, and run again
  /// later.
  virtual void postpone() {}

  /// Sets the job's priority and loss rate. The waiting job with the highest
  /// priority runs next. `lossRate` is what the job's waiting costs callers, in
  /// nanoseconds per nanosecond. May be called at any time.
  void setUrgency(double priority, double lossRate) {
    urgency.store(priority, std::memory_order_relaxed);
    loss.store(lossRate, std::memory_order_relaxed);
  }
  /// Whether it is to run before all that have an ordinary priority.
  bool isUrgent() const {
    return priority() == std::numeric_limits<double>::max();
  }
  void setUrgent() { setUrgency(std::numeric_limits<double>::max(), 0); }
  double priority() const { return urgency.load(std::memory_order_relaxed); }
  double lossRate() const { return loss.load(std::memory_order_relaxed); }

  const void *const owner;

private:
  friend class BackgroundQueue;
  std::atomic<double> urgency{0}, loss{0};
  /// The processor of the thread that added it.
  int processor = -1;
};

using JobPtr = std::shared_ptr<BackgroundJob>;

/// The background threads of the process, and the jobs that wait for one. The
/// threads start when there is work. They have the priority of other threads:
/// what the policy has compiled where no core is spare is worth its whole cost
/// already, and until it is there all calls are eager. A job begins on another
/// processor than that of the thread that added it, if there is one. `fork`
/// postpones the jobs that run, and waits for them; a child starts threads of
/// its own. Thread-safe.
class BackgroundQueue {
public:
  /// The queue of the process. When the process ends (stopAtProcessEnd), jobs
  /// that wait are cancelled, and those that run are interrupted and waited
  /// for.
  static BackgroundQueue &process();

  /// Adds a job. Fails where there is no thread and none can be started.
  Status add(JobPtr job);
  /// Cancels the jobs of `owner` that wait, interrupts those that run, and
  /// waits for them.
  void cancelAll(const void *owner);
  /// Cancels one job, unless it runs or has run. Returns whether it has.
  bool cancel(const JobPtr &job);
  /// Waits until no job of `owner` waits or runs.
  void wait(const void *owner);
  /// The number of jobs that wait, and of those that run.
  size_t waiting() const;
  size_t running() const;
  /// The number of jobs so far that have begun, and ended, to run. Some work
  /// ran while a call did if more have begun when it ends than had ended when
  /// it began. Takes no lock.
  uint64_t begun() const { return begunJobs.load(std::memory_order_relaxed); }
  uint64_t ended() const { return endedJobs.load(std::memory_order_relaxed); }
  /// The sum of the loss rates of the jobs that wait, as it was when one was
  /// last added or taken.
  double lossRate() const {
    return waitingLossRate.load(std::memory_order_relaxed);
  }
  /// The most threads that run jobs from now on, at least 1. Threads beyond
  /// that finish their jobs and then sleep.
  void setThreads(int count);

private:
  BackgroundQueue();
  static void *work(void *self);
  void workUntilStopped();
  /// Takes the job that runs next out of those that wait; null where there is
  /// none, or where the threads that may run are busy. With `mutex` held.
  JobPtr takeNext();
  /// Cancels the jobs of `owner` that wait.
  void cancelWaiting(const void *owner);
  void sumLossRates();
  Status startThread();
  static void stopProcess();
  void stop();
  void beforeFork();
  void afterFork(bool isChild);

  mutable std::mutex mutex; // Guards all that follows.
  /// A pointer, as a child of fork needs another: threads that are not there
  /// any more may be waiting for this one.
  std::condition_variable *changed = new std::condition_variable;
  std::vector<JobPtr> jobs, runningJobs;
  std::atomic<double> waitingLossRate{0};
  std::atomic<uint64_t> begunJobs{0}, endedJobs{0};
  std::vector<pthread_t> threads;
  size_t limit = 1;
  bool isPaused = false, isStopped = false;
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_BACKGROUND_BACKGROUNDQUEUE_H
