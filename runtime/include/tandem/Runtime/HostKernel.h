//===- HostKernel.h - Kernels of the CPU ------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compilers for the CPU and its device agree on.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_HOSTKERNEL_H
#define TANDEM_RUNTIME_HOSTKERNEL_H

#include "tandem/Runtime/Device.h"

#include <cstdint>

namespace tandem {

/// Signature of every CPU kernel: computes iterations [begin, end) of the
/// kernel's outermost parallel loop. `args` are the data pointers of the step's
/// operands, then of its results. `sizes` are those that the kernel does not
/// fix; there are none so far, and it is null. `workspace` is fb::Kernel's so
/// many bytes, which no other call uses meanwhile; null where that is 0. Takes
/// at most kMaxFrameBytes of the caller's stack, and starts no threads.
using KernelFn = void (*)(void *const *args, const int64_t *sizes,
                          void *workspace, int64_t begin, int64_t end);

/// Alignment of a workspace, in bytes, and what its size is a multiple of: a
/// cache line, so that tasks share none.
inline constexpr int64_t kWorkspaceAlignment = Allocator::kAlignment;

/// The most that a task may ask for, in bytes: a limit on nonsense, so that the
/// workspaces of all tasks are a number of bytes.
inline constexpr int64_t kMaxWorkspaceBytes = int64_t(1) << 30;

/// The most stack that a call of a kernel may take, spills and everything that
/// it calls included, in bytes.
inline constexpr int64_t kMaxFrameBytes = 16 << 10;

/// How many tasks run a launch of `kernel` with the present limit of threads:
/// min(numThreads(), ceil(extent / grain)), and at least one.
int64_t numTasks(const fb::KernelT &kernel);

/// Runs all iterations of `kernel`, which `function` is, in `tasks` tasks of
/// oneTBB, isolated from what else its threads may have to do. `workspace` has
/// tasks * kernel.workspace bytes. Thread-safe.
void launchKernel(const fb::KernelT &kernel, KernelFn function,
                  void *const *args, int64_t tasks, std::byte *workspace);

/// A function of this process. A launch runs it in numTasks(kernel) tasks, each
/// with a workspace of its own, before it returns.
class HostKernel final : public LoadedKernel {
public:
  /// `code` keeps it in memory; null where it is there for good.
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

/// The function of a kernel that hostDevice() has loaded.
inline KernelFn functionOf(const LoadedKernel &kernel) {
  return static_cast<const HostKernel &>(kernel).function();
}

} // namespace tandem

#endif // TANDEM_RUNTIME_HOSTKERNEL_H
