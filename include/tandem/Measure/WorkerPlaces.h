//===- WorkerPlaces.h - Keeping workers off this processor ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_MEASURE_WORKERPLACES_H
#define TANDEM_MEASURE_WORKERPLACES_H

namespace tandem::measure {

/// Keeps all other threads of the process, of whichever library, off the
/// processor that the calling thread runs on. In a virtual machine, Linux may
/// place a woken worker on the processor of the thread that woke it. The worker
/// then waits for this processor until the other thread has done all the work,
/// and the measured time is that of a single thread. Call this function before
/// each sample, because threads come and go. The function does nothing if there
/// is only one processor, or if the system does not permit the change.
void keepWorkersAway();

} // namespace tandem::measure

#endif // TANDEM_MEASURE_WORKERPLACES_H
