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

/// The number of the calling thread among those that have asked, from 0 on.
/// Structures of which each thread has a share use it: of n shares, n threads
/// that were started one after the other have one each.
inline unsigned threadNumber() {
  static std::atomic<unsigned> threads{0};
  thread_local const unsigned thread = threads++;
  return thread;
}

} // namespace tandem

#endif // TANDEM_SUPPORT_THREADNUMBER_H
