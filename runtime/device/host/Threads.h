//===- Threads.h - Limiting the threads of a step ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_HOST_THREADS_H
#define TANDEM_RUNTIME_DEVICE_HOST_THREADS_H

#include <functional>

namespace tandem::exec {

/// Applies the limit of setNumThreads to OpenMP, whose own setting is per
/// thread, for the calling thread. Costs a comparison where nothing has
/// changed.
void applyThreadLimit();

/// Runs `body` so that what it does in parallel by oneTBB, or on shared OpenMP
/// workers, stays on this thread.
/// Unlike runOnOneThread, it leaves the number of threads that libraries use
/// alone, and so what they prepare.
void runInOneSlot(const std::function<void()> &body);

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_DEVICE_HOST_THREADS_H
