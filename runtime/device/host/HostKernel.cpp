//===- HostKernel.cpp - Running kernels of the CPU ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/HostKernel.h"

#include "tandem/Runtime/Executor.h"

#include <algorithm>
#include <atomic>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

using namespace tandem;

int64_t tandem::numTasks(const fb::KernelT &kernel) {
  int64_t grains =
      kernel.extent / kernel.grain + (kernel.extent % kernel.grain != 0);
  return std::clamp<int64_t>(grains, 1, numThreads());
}

namespace {

/// The iterations of a launch that no task has taken yet. Tasks take large
/// ranges first and ever smaller ones, down to the grain, so that they end at
/// the same time although there are few ranges (guided self-scheduling:
/// Polychronopoulos and Kuck, IEEE Trans. Computers C-36, 1987). Thread-safe.
class IterationQueue {
public:
  IterationQueue(const fb::KernelT &kernel, int64_t tasks)
      : extent(kernel.extent), grain(kernel.grain), tasks(tasks) {}

  struct Range {
    int64_t begin, end;
    bool isEmpty() const { return begin >= end; }
  };
  Range take() {
    int64_t begin = next.load(std::memory_order_relaxed), end;
    do {
      int64_t left = extent - begin;
      end = begin + std::min(left, std::max(grain, left / (kShare * tasks)));
    } while (
        !next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    return {begin, end};
  }

private:
  /// A range is at most this part of a task's share of what is left.
  static constexpr int64_t kShare = 2;

  std::atomic<int64_t> next{0};
  int64_t extent, grain, tasks;
};

/// Exactly `tasks` tasks, each with its slot of the workspace: by the task's
/// number, as one thread may run several tasks, or one within another.
void launchTasks(const fb::KernelT &kernel, KernelFn function,
                 void *const *args, std::byte *workspace, int64_t tasks) {
  IterationQueue queue(kernel, tasks);
  auto runTask = [&](int64_t task) {
    std::byte *slot = workspace ? workspace + task * kernel.workspace : nullptr;
    for (auto range = queue.take(); !range.isEmpty(); range = queue.take())
      function(args, /*sizes=*/nullptr, slot, range.begin, range.end);
  };
  // A thread that waits for the others must not begin a task of the caller's:
  // that could take long, or wait for this very launch.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(int64_t(0), tasks, runTask, tbb::simple_partitioner());
  });
}

} // namespace

void tandem::launchKernel(const fb::KernelT &kernel, KernelFn function,
                          void *const *args, int64_t tasks,
                          std::byte *workspace) {
  if (tasks == 1)
    function(args, /*sizes=*/nullptr, workspace, 0, kernel.extent);
  else
    launchTasks(kernel, function, args, workspace, tasks);
}

int64_t HostKernel::workspaceBytes(const fb::KernelT &kernel) const {
  return kernel.workspace == 0 ? 0 : numTasks(kernel) * kernel.workspace;
}

Status HostKernel::launch(const fb::KernelT &kernel, const StepContext &context,
                          std::span<void *const> args) const {
  // By the workspaces: the limit of threads may have changed since.
  int64_t tasks = kernel.workspace == 0
                      ? numTasks(kernel)
                      : std::ssize(context.workspace) / kernel.workspace;
  launchKernel(kernel, entry, args.data(), tasks, context.workspace.data());
  return {};
}
