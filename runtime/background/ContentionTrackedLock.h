//===- ContentionTrackedLock.h - Locks that measure waiting -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_BACKGROUND_CONTENTIONTRACKEDLOCK_H
#define TANDEM_RUNTIME_BACKGROUND_CONTENTIONTRACKEDLOCK_H

#include <mutex>

namespace tandem::tiering {

/// Holds a mutex of the engine. Notes how long it took to get it where it was
/// not free; otherwise it costs what std::unique_lock does.
class ContentionTrackedLock : public std::unique_lock<std::mutex> {
public:
  explicit ContentionTrackedLock(std::mutex &mutex)
      : std::unique_lock<std::mutex>(mutex, std::try_to_lock) {
    if (!owns_lock()) [[unlikely]]
      waitAndNote();
  }

  /// The longest wait of this process so far, in nanoseconds.
  static double longestWaitNs();

private:
  void waitAndNote();
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_BACKGROUND_CONTENTIONTRACKEDLOCK_H
