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

/// Whether this process was forked from one that had called this function. It
/// must be called before any function of oneTBB or OpenMP. Their workers do not
/// exist in a forked process, which would wait forever for them, or for a lock
/// that one of them held. Such a process runs everything on the calling thread.
/// Thread-safe.
bool lacksWorkers();

/// Calls body(task) once for each task in [0, count), on oneTBB's threads.
/// `partitioner` says how oneTBB shares out the tasks. Thread-safe.
template <typename Body, typename Partitioner = tbb::simple_partitioner>
void runTasks(int64_t count, const Body &body,
              const Partitioner &partitioner = {}) {
  if (lacksWorkers()) {
    for (int64_t task = 0; task < count; ++task)
      body(task);
    return;
  }
  // A thread that waits for the others must not begin a task of the caller's:
  // that could take long, or wait for this very call.
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_for(int64_t(0), count, body, partitioner); });
}

} // namespace tandem

#endif // TANDEM_RUNTIME_WORKERS_H
