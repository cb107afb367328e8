//===- Preparation.h - Time that preparing takes ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PREPARATION_H
#define TANDEM_RUNTIME_PREPARATION_H

#include "tandem/Runtime/PhaseTimes.h"

namespace tandem {

/// Collects what providers spend on preparing ops for good, such as compiling
/// prebuilt kernels, on this thread between construction and destruction.
/// Scopes nest: the innermost collects.
class PreparationScope {
public:
  PreparationScope() : outer(innermost()) { innermost() = this; }
  ~PreparationScope() { innermost() = outer; }
  PreparationScope(const PreparationScope &) = delete;
  PreparationScope &operator=(const PreparationScope &) = delete;

  /// Adds what another thread has measured to the innermost scope of this one,
  /// if there is one.
  static void add(const PhaseTimes &times) {
    if (innermost())
      innermost()->times.add(times);
  }

  PhaseTimes times;

private:
  friend class PreparationTimer;
  static PreparationScope *&innermost() {
    thread_local PreparationScope *scope = nullptr;
    return scope;
  }
  PreparationScope *const outer;
};

/// Adds its lifetime to a phase of the innermost scope, if there is one.
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

#endif // TANDEM_RUNTIME_PREPARATION_H
