//===- Threads.h - How many threads run a step ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_DEVICE_HOST_THREADS_H
#define TANDEM_RUNTIME_DEVICE_HOST_THREADS_H

namespace tandem::exec {

/// Tells OpenMP, whose setting belongs to the calling thread, of the limit set
/// by setNumThreads. A comparison when nothing has changed.
void applyThreadLimit();

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_DEVICE_HOST_THREADS_H
