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
/// start a woken worker on the processor of the thread that woke it, where it
/// waits until all work is done, so that only one thread is measured. To be
/// called before each sample, because threads come and go. Does nothing where
/// there is only one processor, or where the system does not permit it.
void keepWorkersAway();

} // namespace tandem::measure

#endif // TANDEM_MEASURE_WORKERPLACES_H
