//===- Machine.h - Streams, events and the order of work --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_MACHINE_H
#define TANDEM_TEST_FAKECUDA_MACHINE_H

#include "Memory.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>

namespace fake {

/// A point in a stream's work.
struct Mark {
  bool isDone = false;
  double ns = 0;
  /// What is done when it is reached.
  Clock clock;
};

/// A piece of a stream's work.
struct Operation {
  std::string name;
  /// Done on the machine's thread; the memory of `uses` is open meanwhile. May
  /// be empty.
  std::function<Result()> run;
  std::vector<Use> uses;
  /// What it waits for, and what it reaches when it is done.
  std::shared_ptr<Mark> awaited, reached;
  /// Where its user is noted, by stream.
  std::map<int, User> *users = nullptr;
};

} // namespace fake

struct CUctx_st {
  int device;
};
struct CUstream_st {
  CUctx_st *context;
  int number;
  std::deque<fake::Operation> waiting;
  bool isRunning = false;
  /// What is done once all that was enqueued is.
  fake::Clock clock;
  bool isCapturing = false, isInvalid = false;

  bool isIdle() const { return waiting.empty() && !isRunning; }
};
struct CUevent_st {
  CUctx_st *context;
  bool hasTime;
  std::shared_ptr<fake::Mark> mark; ///< Null until it is recorded.
};

namespace fake {

/// Does the work of all streams on one thread, a piece at a time, in an order
/// that streams and events allow and a random number decides. Thread-safe;
/// `mutex` guards all but `inner`, which is the machine's thread's.
class Machine {
public:
  Machine();

  CUstream_st *createStream(CUctx_st *context);
  /// Waits for its work.
  Result destroyStream(CUstream_st *stream);

  /// Also notes the uses. Does nothing but that where the stream captures.
  Result enqueue(CUstream_st *stream, Operation operation);
  Result record(CUevent_st *event, CUstream_st *stream);
  Result wait(CUstream_st *stream, CUevent_st *event);

  /// Waits for work, which the host then knows to be done.
  Result finish(CUstream_st *stream);
  Result finish(CUevent_st *event);
  Result finishAll();
  /// kNotReady where it is not done.
  Result query(CUevent_st *event);
  /// Waits for all work; that is no news to the host.
  void drain();
  /// Whether the host knows that all of them are done.
  bool areDone(const std::map<int, User> &users);

  bool isCapturing();
  void invalidateCaptures();

  /// The error that sticks; success where there is none.
  Result lost();
  void reset();
  void seed(unsigned seed);
  void hold(bool isHeld);
  /// For the machine's thread.
  std::mt19937 &randomOfWork() { return inner; }

  /// What `function` does with the memory and the host's clock, undisturbed.
  template <typename Function> auto withMemory(Function function) {
    std::lock_guard lock(mutex);
    return function(memory, host);
  }

private:
  void work();
  /// One that may go on, or null.
  CUstream_st *choose();
  Result perform(const Operation &operation);
  template <typename Condition> void waitUntil(Condition isDone);

  std::mutex mutex;
  std::condition_variable changed;
  std::set<CUstream_st *> streams;
  int numStreams = 0;
  Clock host;
  Memory memory;
  std::mt19937 random, inner; ///< The order of work, and that within it.
  Result stuck = kSuccess;
  bool isHeld = false;
};

Machine &machine();

} // namespace fake

#endif // TANDEM_TEST_FAKECUDA_MACHINE_H
