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

/// Arranges that `stop` is called when the process ends. `stop` should end
/// threads of the library that must not run while the objects that they use are
/// destroyed.
///
/// C++ destroys the thread-local objects of the thread that ends the process
/// before all static objects. If that thread is the main thread, and if the
/// main thread has called stopAtProcessEnd, `stop` is called at that time.
/// Otherwise `stop` is called by a handler of std::atexit. That is too late for
/// static objects that libraries have created since the handler was registered.
///
/// `stop` may be called more than once. `stop` is also called when the main
/// thread ends before the process. Repeated calls of stopAtProcessEnd are
/// cheap. Thread-safe.
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
