//===- ThreadNumber.h - Which thread it is ----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_THREADNUMBER_H
#define TANDEM_SUPPORT_THREADNUMBER_H

#include <atomic>

namespace tandem {

/// Returns the number of the calling thread. Threads are numbered from 0 in the
/// order in which they first call this function. Data structures with a share
/// for each thread use threadNumber() % n to choose one of n shares. If n
/// threads with consecutive numbers use such a structure, each has its own
/// share.
inline unsigned threadNumber() {
  static std::atomic<unsigned> threads{0};
  thread_local const unsigned thread = threads++;
  return thread;
}

} // namespace tandem

#endif // TANDEM_SUPPORT_THREADNUMBER_H
