//===- WorkQueue.cpp - Work done in order on another thread ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkQueue.h"

#include <utility>

using namespace tandem;
using namespace tandem::test;

WorkQueue::WorkQueue() : worker([this] { run(); }) {}

WorkQueue::~WorkQueue() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_one();
  worker.join();
}

void WorkQueue::add(Work work) {
  {
    std::lock_guard lock(mutex);
    waiting.push_back(std::move(work));
  }
  changed.notify_one();
}

std::shared_ptr<Mark> WorkQueue::mark() {
  auto mark = std::make_shared<Mark>();
  add([mark] {
    mark->reach();
    return Status();
  });
  return mark;
}

Status WorkQueue::finish() {
  mark()->wait();
  std::lock_guard lock(mutex);
  return std::exchange(failure, Status());
}

void WorkQueue::run() {
  while (true) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return isEnding || !waiting.empty(); });
    if (waiting.empty())
      return;
    Work work = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    Status status = work();
    // What it holds goes before the next work begins, and may add some.
    work = nullptr;
    lock.lock();
    if (!status && failure)
      failure = std::move(status);
  }
}
