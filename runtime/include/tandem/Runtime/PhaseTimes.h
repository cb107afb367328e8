//===- PhaseTimes.h - Wall time by phase -----------------------*- C++ -*-===//
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
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {

/// Wall time by phase, in the order in which phases first appear. Time added
/// under one name adds up. Not thread-safe: one per compilation.
class PhaseTimes {
public:
  void add(std::string_view phase, double ns) {
    for (PhaseTime &entry : entries)
      if (entry.phase == phase) {
        entry.ns += ns;
        return;
      }
    entries.push_back({std::string(phase), ns});
  }
  /// Adds the times that another thread has measured.
  void add(const PhaseTimes &other) {
    for (const PhaseTime &entry : other.entries)
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

/// Wall time since its construction, in nanoseconds.
class Stopwatch {
public:
  double ns() const {
    std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
    return elapsed.count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

/// Adds the time from construction to destruction to a phase. `phase` must
/// outlive the timer (a literal).
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
