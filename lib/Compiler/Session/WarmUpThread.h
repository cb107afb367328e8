//===- WarmUpThread.h - Starting a target beside other work --- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_WARMUPTHREAD_H
#define TANDEM_LIB_COMPILER_SESSION_WARMUPTHREAD_H

#include "tandem/Target/Target.h"

#include <optional>
#include <pthread.h>

namespace tandem {

/// A thread that prepares the worker and the target that the first kernel of a
/// process needs (warmUp), while the graph is still being fused. The thread is
/// joined when this object is destroyed, when the process forks, and before the
/// process destroys anything that the thread uses.
class WarmUpThread {
public:
  /// Must be called once before a thread is started, early and if possible in
  /// the main thread (stopAtProcessEnd).
  static void prepare();

  WarmUpThread() = default;
  WarmUpThread(const WarmUpThread &) = delete;
  WarmUpThread &operator=(const WarmUpThread &) = delete;
  ~WarmUpThread() { join(); }

  /// Starts the thread. If the thread cannot be started, the first kernel waits
  /// for the warm-up instead.
  void start(const Target &target);

private:
  void join();
  static void joinAll();
  static void stopAll();

  std::optional<pthread_t> thread;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_WARMUPTHREAD_H
