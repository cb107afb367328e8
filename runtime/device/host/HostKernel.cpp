//===- HostKernel.cpp - Running kernels of the CPU ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Kernels/HostKernel.h"

#include "tandem/Runtime/Executor.h"
#include "tandem/Runtime/SharedOpenMP.h"
#include "tandem/Runtime/Workers.h"

#include <algorithm>
#include <atomic>
#include <memory_resource>
#include <vector>

using namespace tandem;

int64_t tandem::numTasks(const fb::KernelT &kernel) {
  int64_t grains =
      kernel.extent / kernel.grain + (kernel.extent % kernel.grain != 0);
  return std::clamp<int64_t>(grains, 1, numThreads());
}

namespace {

/// The iterations of a launch that no task has taken yet. Each task has a share
/// of its own, the same in every launch, so that it finds in its core's caches
/// what it has read or written in another one; with its share done it helps the
/// others. Ranges are large first and ever smaller, down to the grain, so that
/// all tasks end at the same time although there are few ranges (guided
/// self-scheduling: Polychronopoulos and Kuck, IEEE Trans. Computers C-36,
/// 1987). Thread-safe.
class IterationQueue {
public:
  IterationQueue(const fb::KernelT &kernel, int64_t tasks)
      : grain(kernel.grain), shares(static_cast<size_t>(tasks), &memory) {
    int64_t each = kernel.extent / tasks, rest = kernel.extent % tasks, end = 0;
    for (int64_t task = 0; task < tasks; ++task) {
      shares[task].next.store(end, std::memory_order_relaxed);
      shares[task].end = end += each + (task < rest);
    }
  }

  struct Range {
    int64_t begin, end;
    bool isEmpty() const { return begin >= end; }
  };
  /// Empty when none is left.
  Range take(int64_t task) {
    Range range = shares[task].take(grain);
    for (size_t i = 1; range.isEmpty() && i < shares.size(); ++i)
      range = shares[(task + i) % shares.size()].take(grain);
    return range;
  }

private:
  struct alignas(64) Share {
    std::atomic<int64_t> next;
    int64_t end;

    /// Half of what is left of it.
    Range take(int64_t grain) {
      int64_t begin = next.load(std::memory_order_relaxed), to;
      do {
        int64_t left = end - begin;
        to = begin + std::min(left, std::max(grain, left / 2));
      } while (
          !next.compare_exchange_weak(begin, to, std::memory_order_relaxed));
      return {begin, to};
    }
  };

  int64_t grain;
  /// For the shares of 16 threads.
  alignas(64) std::byte buffer[16 * sizeof(Share)];
  std::pmr::monotonic_buffer_resource memory{buffer, sizeof buffer};
  std::pmr::vector<Share> shares;
};

/// Exactly `tasks` tasks, each with its slot of the workspace: by the task's
/// number, as one thread may run several tasks, or one within another.
void launchTasks(const fb::KernelT &kernel, KernelFn function,
                 void *const *args, std::byte *workspace, int64_t tasks) {
  IterationQueue queue(kernel, tasks);
  auto runTask = [&](int64_t task) {
    std::byte *slot = workspace ? workspace + task * kernel.workspace : nullptr;
    for (auto range = queue.take(task); !range.isEmpty();
         range = queue.take(task))
      function(args, /*sizes=*/nullptr, slot, range.begin, range.end);
  };
  if (const SharedOpenMP *openMP = sharedOpenMPOfThisThread())
    return openMP->run(tasks, runTask);
  runTasks(tasks, runTask);
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
