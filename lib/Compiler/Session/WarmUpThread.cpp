//===- WarmUpThread.cpp - Starting a target beside other work -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/WarmUpThread.h"

#include "Kernels/KernelWorker.h"

#include "tandem/Support/ProcessEnd.h"

#include <mutex>
#include <set>

using namespace tandem;

namespace {
/// The threads that were started, also by compilers that nobody destroys.
struct Running {
  std::mutex mutex; // Guards what follows, and each thread's being joined.
  std::set<WarmUpThread *> threads;
  bool isStopped = false;
};
} // namespace

static Running &running() {
  static auto *running = new Running; // Threads may need it until the end.
  return *running;
}

void WarmUpThread::prepare() {
  static const int isRegistered = pthread_atfork(joinAll, nullptr, nullptr);
  (void)isRegistered;
  stopAtProcessEnd<stopAll>();
}

void WarmUpThread::start(const Target &target) {
  // std::thread would end a process that may not start another.
  auto run = [](void *which) -> void * {
    warmUp(*static_cast<const Target *>(which));
    return nullptr;
  };
  std::lock_guard lock(running().mutex);
  pthread_t started;
  if (running().isStopped || pthread_create(&started, nullptr, run,
                                            const_cast<Target *>(&target)) != 0)
    return;
  thread = started;
  running().threads.insert(this);
}

void WarmUpThread::join() {
  std::lock_guard lock(running().mutex);
  if (!thread)
    return;
  pthread_join(*thread, nullptr);
  thread.reset();
  running().threads.erase(this);
}

void WarmUpThread::joinAll() {
  std::lock_guard lock(running().mutex);
  for (WarmUpThread *each : running().threads) {
    pthread_join(*each->thread, nullptr);
    each->thread.reset();
  }
  running().threads.clear();
}

void WarmUpThread::stopAll() {
  {
    std::lock_guard lock(running().mutex);
    running().isStopped = true;
  }
  joinAll();
}
