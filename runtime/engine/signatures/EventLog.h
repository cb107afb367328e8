//===- EventLog.h - The log of decisions ------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_SIGNATURES_EVENTLOG_H
#define TANDEM_RUNTIME_ENGINE_SIGNATURES_EVENTLOG_H

#include "engine/signatures/Signature.h"

#include "tandem/Runtime/PhaseTimes.h"
#include "tandem/Support/Clocks.h"

#include <map>

namespace tandem::tiering {

/// The events of a function, and where it is traced its calls. Thread-safe.
class EventLog {
public:
  /// `clock`, unless it is empty, takes the place of the time since the
  /// function was created.
  EventLog(const TieringOptions &options, std::function<double()> clock)
      : options(options), clock(std::move(clock)) {}

  /// Nanoseconds since the function was created.
  double now() const { return clock ? clock() : watch.ns(); }
  /// The time of the kernel's last tick, at a tenth of the cost.
  double coarseNow() const {
    return clock ? clock() : readCoarseClock() - coarseStartNs;
  }
  /// Adds an event that ends now, and passes it to TieringOptions::log. No lock
  /// may be held.
  void add(Signature &signature, EventKind kind, std::string reason,
           double tookNs = 0);
  /// Adds a span that ends now, if the function is traced.
  void addSpan(std::string_view name, std::string_view category, double startNs,
               const Types &inputs);
  /// Records the phases of a compilation that began at `startNs` and has just
  /// ended, as consecutive spans that end now; the time before them may be the
  /// start of a helper. If the phases add up to more time than that, because
  /// several threads shared them, all are shortened by the same factor.
  void addPhases(std::span<const PhaseTime> phases, double startNs,
                 const Types &inputs);
  bool isTraced() const { return options.isTraced; }

  std::vector<TraceSpan> allSpans() const;
  /// The threads of all spans.
  std::vector<TraceThread> allThreads() const;
  /// The latest events of all signatures, forgotten ones too.
  std::vector<TieringEvent> allEvents() const;

private:
  static double readCoarseClock() { return nsOf(CLOCK_MONOTONIC_COARSE); }
  /// Adds work of the calling thread.
  void addSpan(TraceSpan span);

  /// The most events and spans that are kept: some 100 MB.
  static constexpr size_t kMaxEvents = 1 << 16, kMaxSpans = 1 << 20;

  const TieringOptions &options;
  const std::function<double()> clock;
  const Stopwatch watch;
  const double coarseStartNs = readCoarseClock();
  mutable std::mutex mutex; // Guards what follows.
  std::deque<TieringEvent> events;
  std::deque<TraceSpan> spans;
  std::map<uint64_t, std::string> threads;
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_SIGNATURES_EVENTLOG_H
