//===- Books.cpp - What has happened, and when ----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Books.h"

#include <unistd.h>

using namespace tandem;
using namespace tandem::tiering;

template <typename T>
static void append(std::deque<T> &list, T item, size_t most) {
  if (list.size() >= most)
    list.pop_front();
  list.push_back(std::move(item));
}

void Books::note(Signature &signature, EventKind kind, std::string reason,
                 double tookNs) {
  const TieringEvent event{now(),
                           kind,
                           tookNs,
                           signature.types,
                           std::move(reason),
                           static_cast<uint64_t>(gettid())};
  {
    NotedLock lock(signature.mutex);
    append(signature.events, event, Signature::kMaxEvents);
  }
  {
    NotedLock lock(mutex);
    append(events, event, kMaxEvents);
  }
  if (options.log)
    options.log(event);
}

void Books::addSpan(std::string_view name, std::string_view category,
                    double startNs, const Types &inputs) {
  if (isTraced())
    addSpan({std::string(name), std::string(category), startNs, now() - startNs,
             static_cast<uint64_t>(gettid()), inputs});
}

void Books::addPhases(std::span<const PhaseTime> phases, double startNs,
                      const Types &inputs) {
  if (!isTraced())
    return;
  // Their order is known, and how long each took; not when each began.
  for (const PhaseTime &phase : phases) {
    addSpan({phase.phase, "phase", startNs, phase.ns,
             static_cast<uint64_t>(gettid()), inputs});
    startNs += phase.ns;
  }
}

void Books::addSpan(TraceSpan span) {
  NotedLock lock(mutex);
  append(spans, std::move(span), kMaxSpans);
}

std::vector<TraceSpan> Books::allSpans() const {
  NotedLock lock(mutex);
  return {spans.begin(), spans.end()};
}

std::vector<TieringEvent> Books::allEvents() const {
  NotedLock lock(mutex);
  return {events.begin(), events.end()};
}
