//===- KernelLaunch.cpp - Running a kernel step ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpDispatch.h"

#include "tandem/Runtime/KernelLaunch.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

using namespace tandem;
using namespace tandem::exec;

int64_t tandem::numTasks(const fb::KernelT &kernel) {
  int64_t grains =
      kernel.extent / kernel.grain + (kernel.extent % kernel.grain != 0);
  return std::clamp<int64_t>(grains, 1, numThreads());
}

int64_t tandem::workspaceBytes(const fb::KernelT &kernel) {
  return kernel.workspace == 0 ? 0 : numTasks(kernel) * kernel.workspace;
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
                 void *const *args, char *workspace, int64_t tasks) {
  IterationQueue queue(kernel, tasks);
  auto runTask = [&](int64_t task) {
    char *slot = workspace ? workspace + task * kernel.workspace : nullptr;
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

Status tandem::launchKernel(const fb::KernelT &kernel, KernelFn function,
                            void *const *args, int64_t tasks,
                            Allocator &allocator) {
  Tensor workspace;
  if (kernel.workspace > 0) {
    TensorType bytes{DType::i8, {tasks * kernel.workspace}};
    TANDEM_ASSIGN_OR_RETURN(workspace, Tensor::allocate(bytes, allocator));
  }
  if (tasks == 1)
    function(args, /*sizes=*/nullptr, workspace.data(), 0, kernel.extent);
  else
    launchTasks(kernel, function, args, workspace.as<char>(), tasks);
  return {};
}

Status exec::runKernel(const DispatchContext &context, const StepPlan &plan,
                       Frame &frame) {
  const fb::StepT &step = *plan.step;
  frame.args.clear();
  for (uint32_t slot : step.operands)
    frame.args.push_back(frame.values[slot]->data());
  for (size_t i = 0; i < step.results.size(); ++i) {
    uint32_t slot = step.results[i];
    TANDEM_ASSIGN_OR_RETURN(
        frame.owned[slot],
        makeResult(context, slot, plan.resultTypes[i], frame));
    frame.args.push_back(frame.owned[slot].data());
  }
  if (context.dispatchOnly)
    return {};
  return launchKernel(*plan.kernel, plan.function, frame.args.data(),
                      numTasks(*plan.kernel), context.allocator);
}
