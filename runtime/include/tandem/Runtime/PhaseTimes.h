//===- PhaseTimes.h - Wall time by phase ------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PHASETIMES_H
#define TANDEM_RUNTIME_PHASETIMES_H

#include "tandem/Runtime/Compiler.h"

#include <chrono>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {

/// Wall time by phase, in the order in which the phases first appear. Times
/// that are added under the same name are summed. Not thread-safe: each
/// compilation has its own object.
class PhaseTimes {
public:
  /// Adds `ns` nanoseconds to a phase.
  void add(std::string_view phase, double ns) {
    for (PhaseTime &entry : entries)
      if (entry.phase == phase) {
        entry.ns += ns;
        return;
      }
    entries.push_back({std::string(phase), ns});
  }
  /// Adds the times of phases that another thread or layer measured.
  void add(std::span<const PhaseTime> phases) {
    for (const PhaseTime &entry : phases)
      add(entry.phase, entry.ns);
  }
  /// The sum of all phases, in nanoseconds.
  double sum() const {
    double ns = 0;
    for (const PhaseTime &entry : entries)
      ns += entry.ns;
    return ns;
  }
  const std::vector<PhaseTime> &phases() const { return entries; }
  std::vector<PhaseTime> take() { return std::move(entries); }

private:
  std::vector<PhaseTime> entries;
};

/// Measures the wall time since its construction.
class Stopwatch {
public:
  /// The elapsed time in nanoseconds.
  double ns() const {
    std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
    return elapsed.count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

/// Adds the time from construction to destruction to a phase. `times` and the
/// text of `phase`, usually a string literal, must outlive the timer.
class PhaseTimer {
public:
  PhaseTimer(PhaseTimes &times, std::string_view phase)
      : times(times), phase(phase) {}
  PhaseTimer(const PhaseTimer &) = delete;
  PhaseTimer &operator=(const PhaseTimer &) = delete;
  ~PhaseTimer() { times.add(phase, watch.ns()); }

private:
  PhaseTimes &times;
  std::string_view phase;
  Stopwatch watch;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_PHASETIMES_H
