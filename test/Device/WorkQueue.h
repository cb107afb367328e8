//===- WorkQueue.h - Work done in order on another thread -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_DEVICE_WORKQUEUE_H
#define TANDEM_TEST_DEVICE_WORKQUEUE_H

#include "tandem/Support/Error.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace tandem::test {

/// A point in a queue's work. Thread-safe.
class Mark {
public:
  bool isDone() const {
    std::lock_guard lock(mutex);
    return time.has_value();
  }
  void wait() const {
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return time.has_value(); });
  }
  /// When it was reached, which it was.
  double ns() const {
    std::lock_guard lock(mutex);
    return std::chrono::duration<double, std::nano>(time->time_since_epoch())
        .count();
  }
  void reach() {
    std::lock_guard lock(mutex);
    time = std::chrono::steady_clock::now();
    done.notify_all();
  }

private:
  mutable std::mutex mutex; // guards time
  mutable std::condition_variable done;
  std::optional<std::chrono::steady_clock::time_point> time;
};

/// Does what is added, in order, on a thread of its own; all of it before it is
/// destroyed. Thread-safe.
class WorkQueue {
public:
  using Work = std::function<Status()>;

  WorkQueue();
  ~WorkQueue();

  void add(Work work);
  /// A mark that is reached once all that was added before is done.
  std::shared_ptr<Mark> mark();
  /// Waits until then, and tells what failed first since the last time.
  Status finish();

private:
  void run();

  std::mutex mutex; // guards all but `worker`
  std::condition_variable changed;
  std::deque<Work> waiting;
  bool isEnding = false;
  Status failure;
  std::thread worker;
};

} // namespace tandem::test

#endif // TANDEM_TEST_DEVICE_WORKQUEUE_H
