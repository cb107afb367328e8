//===- Preparation.h - Time of preparing ops --------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROGRAM_PREPARATION_H
#define TANDEM_RUNTIME_PROGRAM_PREPARATION_H

#include "tandem/Runtime/PhaseTimes.h"

namespace tandem {

/// Collects the time that providers spend on one-time preparation of ops on
/// this thread, such as compiling prebuilt kernels, between the scope's
/// construction and destruction. Scopes nest; only the innermost scope
/// collects.
class PreparationScope {
public:
  PreparationScope() : outer(innermost()) { innermost() = this; }
  ~PreparationScope() { innermost() = outer; }
  PreparationScope(const PreparationScope &) = delete;
  PreparationScope &operator=(const PreparationScope &) = delete;

  /// Adds times that another thread measured to the innermost scope of this
  /// thread. Does nothing if this thread has no scope.
  static void add(const PhaseTimes &times) {
    if (innermost())
      innermost()->times.add(times.phases());
  }

  /// The times collected so far.
  PhaseTimes times;

private:
  friend class PreparationTimer;
  static PreparationScope *&innermost() {
    thread_local PreparationScope *scope = nullptr;
    return scope;
  }
  PreparationScope *const outer;
};

/// Adds the time from construction to destruction to a phase of the innermost
/// scope of this thread, if there is one. The text of `phase` must outlive the
/// timer.
class PreparationTimer {
public:
  explicit PreparationTimer(std::string_view phase) : phase(phase) {}
  PreparationTimer(const PreparationTimer &) = delete;
  PreparationTimer &operator=(const PreparationTimer &) = delete;
  ~PreparationTimer() {
    if (PreparationScope *scope = PreparationScope::innermost())
      scope->times.add(phase, watch.ns());
  }

private:
  const std::string_view phase;
  const Stopwatch watch;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_PROGRAM_PREPARATION_H
