//===- ProcessEnd.h - Threads that stop before the process ends -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_PROCESSEND_H
#define TANDEM_SUPPORT_PROCESSEND_H

#include <cstdlib>
#include <unistd.h>

namespace tandem {

/// Has `stop` called when the process ends: for threads of the library that
/// must not run while objects that they use are destroyed. C++ destroys the
/// objects of the thread that ends the process before all static ones; that is
/// when `stop` is called, if that is the main thread and this was called in it.
/// Otherwise it is called by a handler of std::atexit, too late for objects
/// that libraries have made since. `stop` is called more than once, and also
/// when the main thread ends before the process. Cheap to call again.
/// Thread-safe.
template <void (*stop)()> void stopAtProcessEnd() {
  static const int registered = std::atexit(stop);
  (void)registered;
  static thread_local const bool isMainThread = getpid() == gettid();
  if (!isMainThread)
    return;
  struct End {
    ~End() { stop(); }
  };
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wexit-time-destructors"
#endif
  static thread_local End end;
#ifdef __clang__
#pragma clang diagnostic pop
#endif
  (void)end;
}

} // namespace tandem

#endif // TANDEM_SUPPORT_PROCESSEND_H
