//===- WorkerPlaces.h - Where threads that are measured run -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_WORKERPLACES_H
#define TANDEM_TOOLS_TANDEM_BENCH_WORKERPLACES_H

namespace tandem::bench {

/// Keeps all other threads of the process, whichever library's, off the
/// processor that the calling one is on. A kernel of Linux that is a guest may
/// start a woken worker on the processor of the thread that woke it, where it
/// waits until all work is done: what is then measured is one thread. To be
/// called before each sample, as threads come and go. Does nothing where there
/// is one processor, or it may not.
void keepWorkersAway();

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_WORKERPLACES_H
