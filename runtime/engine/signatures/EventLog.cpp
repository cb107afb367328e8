//===- EventLog.cpp - The log of decisions --------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/signatures/EventLog.h"

#include <algorithm>
#include <unistd.h>

using namespace tandem;
using namespace tandem::tiering;

template <typename T>
static void append(std::deque<T> &list, T item, size_t most) {
  if (list.size() >= most)
    list.pop_front();
  list.push_back(std::move(item));
}

void EventLog::add(Signature &signature, EventKind kind, std::string reason,
                   double tookNs) {
  const TieringEvent event{now(),
                           kind,
                           tookNs,
                           signature.types,
                           std::move(reason),
                           static_cast<uint64_t>(gettid())};
  {
    ContentionTrackedLock lock(signature.mutex);
    append(signature.events, event, Signature::kMaxEvents);
  }
  {
    ContentionTrackedLock lock(mutex);
    append(events, event, kMaxEvents);
  }
  if (options.log)
    options.log(event);
}

void EventLog::addSpan(std::string_view name, std::string_view category,
                       double startNs, const Types &inputs) {
  if (isTraced())
    addSpan({std::string(name), std::string(category), startNs, now() - startNs,
             static_cast<uint64_t>(gettid()), inputs});
}

void EventLog::addPhases(std::span<const PhaseTime> phases, double startNs,
                         const Types &inputs) {
  if (!isTraced())
    return;
  double sum = 0;
  for (const PhaseTime &phase : phases)
    sum += phase.ns;
  const double end = now(), scale = std::min(1.0, (end - startNs) / sum);
  // Their order is known, and how long each took; not when each began.
  startNs = std::max(startNs, end - sum * scale);
  for (const PhaseTime &phase : phases) {
    const double ns = phase.ns * scale;
    addSpan({phase.phase, "phase", startNs, ns, static_cast<uint64_t>(gettid()),
             inputs});
    startNs += ns;
  }
}

static std::string nameOfThisThread() {
  char text[16] = ""; // The most that Linux keeps.
  pthread_getname_np(pthread_self(), text, sizeof text);
  return text;
}

void EventLog::addSpan(TraceSpan span) {
  ContentionTrackedLock lock(mutex);
  if (!threads.contains(span.thread))
    threads.emplace(span.thread, nameOfThisThread());
  append(spans, std::move(span), kMaxSpans);
}

std::vector<TraceSpan> EventLog::allSpans() const {
  ContentionTrackedLock lock(mutex);
  return {spans.begin(), spans.end()};
}

std::vector<TraceThread> EventLog::allThreads() const {
  ContentionTrackedLock lock(mutex);
  std::vector<TraceThread> all;
  for (const auto &[number, name] : threads)
    all.push_back({number, name});
  return all;
}

std::vector<TieringEvent> EventLog::allEvents() const {
  ContentionTrackedLock lock(mutex);
  return {events.begin(), events.end()};
}
