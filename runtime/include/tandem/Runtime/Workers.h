//===- Workers.h - Work on oneTBB's threads ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_WORKERS_H
#define TANDEM_RUNTIME_WORKERS_H

#include <cstdint>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace tandem {

/// Whether this process was created by a fork, so that it has no oneTBB and
/// OpenMP workers. Such a process would wait forever for a worker, or for a
/// lock that a worker held at the fork. It must therefore not call these
/// libraries, and must run everything on the calling thread. The first call
/// registers a fork handler, so that only later forks are detected. Call this
/// function before any function of oneTBB or OpenMP. Thread-safe.
bool lacksWorkers();

/// Calls body(task) once for each task in [0, count), on oneTBB's threads.
/// `partitioner` determines how oneTBB distributes the tasks. Thread-safe.
template <typename Body, typename Partitioner = tbb::simple_partitioner>
void runTasks(int64_t count, const Body &body,
              const Partitioner &partitioner = {}) {
  if (lacksWorkers()) {
    for (int64_t task = 0; task < count; ++task)
      body(task);
    return;
  }
  // While a thread waits for the other threads, it must not start an unrelated
  // task of the caller. Such a task could take long, or could wait for this
  // call.
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_for(int64_t(0), count, body, partitioner); });
}

} // namespace tandem

#endif // TANDEM_RUNTIME_WORKERS_H
