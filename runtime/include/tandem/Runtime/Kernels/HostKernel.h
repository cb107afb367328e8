//===- HostKernel.h - The ABI of the CPU's kernels --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calling convention of CPU kernels, on which the compiler and the CPU
// device of the runtime agree, and the launch of such kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_KERNELS_HOSTKERNEL_H
#define TANDEM_RUNTIME_KERNELS_HOSTKERNEL_H

#include "tandem/Runtime/Device.h"

#include <cstdint>

namespace tandem {

/// Signature of every CPU kernel. A call computes the iterations [begin, end)
/// of the kernel's outermost parallel loop. `args` holds the data pointers of
/// the step's operands, followed by those of the step's results. `sizes` is
/// reserved for dynamic sizes, which no kernel has yet; it is null. `workspace`
/// points to fb::Kernel::workspace bytes that no other call uses at the same
/// time; it is null if that number is 0. A kernel uses at most kMaxFrameBytes
/// of stack and starts no threads.
using KernelFn = void (*)(void *const *args, const int64_t *sizes,
                          void *workspace, int64_t begin, int64_t end);

/// Alignment of a task's workspace, in bytes. The size of a workspace is a
/// multiple of this number. The number is the size of a cache line, so that
/// tasks do not share cache lines.
inline constexpr int64_t kWorkspaceAlignment = Allocator::kAlignment;

/// The largest workspace of a task, in bytes. The limit prevents the total over
/// all tasks from overflowing.
inline constexpr int64_t kMaxWorkspaceBytes = int64_t(1) << 30;

/// The largest stack use of a kernel call, in bytes, including spilled
/// registers and all functions that the kernel calls.
inline constexpr int64_t kMaxFrameBytes = 16 << 10;

/// The number of tasks into which a launch of `kernel` is split under the
/// present thread limit: min(numThreads(), ceil(extent / grain)), but at least
/// 1.
int64_t numTasks(const fb::KernelT &kernel);

/// Runs all iterations of `kernel` in `tasks` oneTBB tasks and waits for the
/// tasks. `function` is the code of the kernel. While the calling thread waits,
/// it executes no unrelated oneTBB tasks (tbb::this_task_arena::isolate).
/// `workspace` must have tasks * kernel.workspace bytes. Thread-safe.
void launchKernel(const fb::KernelT &kernel, KernelFn function,
                  void *const *args, int64_t tasks, std::byte *workspace);

/// A CPU kernel that is loaded into this process. A launch runs the kernel in
/// numTasks(kernel) tasks, each with a workspace of its own, and returns when
/// all tasks are complete.
class HostKernel final : public LoadedKernel {
public:
  /// `code` keeps the function in memory. `code` may be null if the function
  /// stays in memory until the process ends.
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

#endif // TANDEM_RUNTIME_KERNELS_HOSTKERNEL_H
