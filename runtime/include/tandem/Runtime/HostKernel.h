//===- HostKernel.h - The ABI of the CPU's kernels --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calling convention of kernels for the CPU, on which compilers and the
// runtime's CPU device agree, and how such kernels are launched.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_HOSTKERNEL_H
#define TANDEM_RUNTIME_HOSTKERNEL_H

#include "tandem/Runtime/Device.h"

#include <cstdint>

namespace tandem {

/// Signature of every CPU kernel: computes iterations [begin, end) of the
/// kernel's outermost parallel loop. `args` are the data pointers of the step's
/// operands, then of its results. `sizes` is reserved for sizes that a kernel
/// does not fix; there are none so far, and it is null. `workspace` has as many
/// bytes as fb::Kernel::workspace says and is not used by any other call
/// meanwhile; it is null where that is 0. A kernel takes at most kMaxFrameBytes
/// of stack, and starts no threads.
using KernelFn = void (*)(void *const *args, const int64_t *sizes,
                          void *workspace, int64_t begin, int64_t end);

/// Alignment of a task's workspace, in bytes; its size is a multiple of this.
/// It is a cache line, so that no two tasks share one.
inline constexpr int64_t kWorkspaceAlignment = Allocator::kAlignment;

/// The largest workspace that a task may ask for, in bytes. The limit keeps the
/// total over all tasks from overflowing.
inline constexpr int64_t kMaxWorkspaceBytes = int64_t(1) << 30;

/// The most stack that a call of a kernel may take, in bytes, including spilled
/// registers and everything that it calls.
inline constexpr int64_t kMaxFrameBytes = 16 << 10;

/// The number of tasks that a launch of `kernel` is split into with the present
/// limit of threads: min(numThreads(), ceil(extent / grain)), but at least one.
int64_t numTasks(const fb::KernelT &kernel);

/// Runs all iterations of `kernel`, whose code is `function`, in `tasks` oneTBB
/// tasks, and waits for them. While waiting, the calling thread takes no
/// unrelated oneTBB work (tbb::this_task_arena::isolate). `workspace` has tasks
/// * kernel.workspace bytes. Thread-safe.
void launchKernel(const fb::KernelT &kernel, KernelFn function,
                  void *const *args, int64_t tasks, std::byte *workspace);

/// A CPU kernel that is loaded into this process. A launch runs it in
/// numTasks(kernel) tasks, each with a workspace of its own, and returns when
/// all are done.
class HostKernel final : public LoadedKernel {
public:
  /// `code` keeps the function in memory; null for a function that stays there
  /// as long as the process.
  explicit HostKernel(KernelFn function, std::shared_ptr<const void> code = {})
      : entry(function), code(std::move(code)) {}

  KernelFn function() const { return entry; }
  int64_t workspaceBytes(const fb::KernelT &kernel) const override;
  Status launch(const fb::KernelT &kernel, const StepContext &context,
                std::span<void *const> args) const override;

private:
  KernelFn entry;
  std::shared_ptr<const void> code;
};

/// The function of `kernel`, which hostDevice() must have loaded.
inline KernelFn functionOf(const LoadedKernel &kernel) {
  return static_cast<const HostKernel &>(kernel).function();
}

} // namespace tandem

#endif // TANDEM_RUNTIME_HOSTKERNEL_H
