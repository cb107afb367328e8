//===- Machine.h - Streams, events and the order of work --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_DRIVER_MACHINE_H
#define TANDEM_TEST_FAKECUDA_DRIVER_MACHINE_H

#include "Driver/Memory.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>

namespace fake {

struct Capture;

/// A point in a stream's work.
struct Mark {
  bool isDone = false;
  double ns = 0;
  /// What is done when it is reached.
  Clock clock;
};

/// Who uses a module's code, by stream; outlives the module.
struct ModuleUse {
  std::map<int, User> users;
  bool isUnloaded = false;
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
  /// The code that it runs.
  std::vector<std::shared_ptr<ModuleUse>> modules;
  /// The kernel that it is a launch of, if any.
  CUfunc_st *function = nullptr;
};

/// Objects that are not destroyed.
struct Objects {
  int graphs = 0, executables = 0;
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
  /// What it captures, and the nodes that its next one comes after.
  std::shared_ptr<fake::Capture> capture;
  std::vector<CUgraphNode_st *> tail;

  bool isIdle() const { return waiting.empty() && !isRunning; }
};
struct CUevent_st {
  CUctx_st *context;
  bool hasTime;
  std::shared_ptr<fake::Mark> mark; ///< Null until it is recorded.
  /// The capture in which the event was recorded, and the nodes before the
  /// event.
  std::shared_ptr<fake::Capture> capture;
  std::vector<CUgraphNode_st *> tail;
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

  /// Also notes the uses. Where the stream captures it becomes a node.
  Result enqueue(CUstream_st *stream, Operation operation);
  Result record(CUevent_st *event, CUstream_st *stream);
  Result wait(CUstream_st *stream, CUevent_st *event);

  /// Waits for work, which the host then knows to be done.
  Result finish(CUstream_st *stream);
  Result finish(CUevent_st *event);
  Result finishAll();
  /// kNotReady where it is not done.
  Result query(CUevent_st *event);
  Result query(CUstream_st *stream);
  /// Waits for all work; that is no news to the host.
  void drain();
  /// Whether the host knows that all of them are done.
  bool areDone(const std::map<int, User> &users);

  Result beginCapture(CUstream_st *stream, int mode);
  Result endCapture(CUstream_st *stream, CUgraph_st **graph);
  Result launch(CUgraphExec_st &executable, CUstream_st *stream);
  /// Whether a capture forbids this thread what is not safe then: it gets
  /// invalid by that.
  bool isForbidden();
  /// The same of all that waits for a context: any capture forbids that.
  bool isWaitingForbidden();
  bool isCapturing(CUstream_st *stream);
  /// Makes the stream's capture invalid.
  void invalidate(CUstream_st *stream);
  void count(int Objects::*kind, int change);
  int liveGraphs();

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
  /// With the mutex held.
  Result push(CUstream_st *stream, Operation operation);
  Result capture(CUstream_st *stream, Operation operation);
  template <typename Forbids> bool invalidateThose(Forbids forbids);
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
  Objects objects;
  Result stuck = kSuccess;
  bool isHeld = false;
};

Machine &machine();

} // namespace fake

#endif // TANDEM_TEST_FAKECUDA_DRIVER_MACHINE_H
