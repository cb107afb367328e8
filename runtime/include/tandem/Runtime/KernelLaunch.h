//===- KernelLaunch.h - What a kernel is given, and its launch --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compilers and the executor agree on about a kernel's memory beside its
// operands and results: fb::Kernel::workspace and fb::Kernel::frame.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_KERNELLAUNCH_H
#define TANDEM_RUNTIME_KERNELLAUNCH_H

#include "tandem/Runtime/Compiler.h"
#include "tandem/Runtime/Tensor.h"

#include <cstdint>

namespace tandem {

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

/// The bytes of all its tasks' workspaces, which a launch holds at once.
int64_t workspaceBytes(const fb::KernelT &kernel);

/// Runs all iterations of `kernel`, which `function` is, in `tasks` tasks of
/// oneTBB with workspaces from `allocator`: as the executor does, where there
/// are numTasks(kernel). Fails where `allocator` has no memory. Thread-safe.
Status launchKernel(const fb::KernelT &kernel, KernelFn function,
                    void *const *args, int64_t tasks,
                    Allocator &allocator = cachingAllocator());

} // namespace tandem

#endif // TANDEM_RUNTIME_KERNELLAUNCH_H
