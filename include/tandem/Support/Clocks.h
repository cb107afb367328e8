//===- Clocks.h - System clocks in nanoseconds ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_CLOCKS_H
#define TANDEM_SUPPORT_CLOCKS_H

#include <ctime>

namespace tandem {

/// Returns the current time of a system clock, in nanoseconds.
inline double nsOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 +
         static_cast<double>(time.tv_nsec);
}

/// Returns the processor time that the calling thread has used, in nanoseconds.
/// Unlike wall time, processor time does not depend on how many threads share
/// the core.
inline double threadNs() { return nsOf(CLOCK_THREAD_CPUTIME_ID); }

} // namespace tandem

#endif // TANDEM_SUPPORT_CLOCKS_H
