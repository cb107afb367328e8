//===- Trace.cpp - The events of a function on a time line ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is described in "Trace Event Format" (Google, 2016): complete
// events (ph X), instants (ph i) and names (ph M), times in microseconds.
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Tiering.h"
#include "tandem/Support/Json.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <unistd.h>

using namespace tandem;
using nlohmann::ordered_json;

namespace {

/// Linux numbers neither processes nor threads from here on (PID_MAX_LIMIT).
constexpr uint64_t kNoProcess = 1 << 22;

/// A row of the time line.
struct Track {
  uint64_t process = 0, thread = 0;
};

class TraceWriter {
public:
  explicit TraceWriter(const FunctionReport &report) : report(report) {}
  std::string write();

private:
  void name(const char *what, Track track, std::string_view text);
  void slice(std::string_view name, std::string_view category, Track track,
             double startNs, double ns, ordered_json args);
  void writeThreads();
  void writeSignatures();
  double endNs() const;

  const FunctionReport &report;
  ordered_json entries = ordered_json::array();
};

} // namespace

static std::string joinTypes(std::span<const TensorType> types) {
  std::string text;
  for (const TensorType &type : types)
    text += (text.empty() ? "" : ", ") + type.str();
  return text;
}

void TraceWriter::name(const char *what, Track track, std::string_view text) {
  entries.push_back({{"name", what},
                     {"ph", "M"},
                     {"pid", track.process},
                     {"tid", track.thread},
                     {"args", {{"name", text}}}});
}

void TraceWriter::slice(std::string_view name, std::string_view category,
                        Track track, double startNs, double ns,
                        ordered_json args) {
  // Whole ones, so that what is within another slice stays there when it is
  // rounded: what overlaps in part is dropped by viewers.
  ns = std::floor(startNs + ns) - std::floor(startNs);
  startNs = std::floor(startNs);
  entries.push_back({{"name", name},
                     {"cat", category},
                     {"ph", "X"},
                     {"ts", startNs / 1e3},
                     {"dur", ns / 1e3},
                     {"pid", track.process},
                     {"tid", track.thread},
                     {"args", std::move(args)}});
}

void TraceWriter::writeThreads() {
  const auto process = static_cast<uint64_t>(getpid());
  name("process_name", {process, process}, program_invocation_short_name);
  for (const TraceThread &thread : report.threads)
    name("thread_name", {process, thread.number}, thread.name);
  for (const TraceSpan &span : report.spans)
    slice(span.name, span.category, {process, span.thread}, span.startNs,
          span.ns, {{"inputs", joinTypes(span.inputs)}});
  for (const TieringEvent &event : report.events)
    entries.push_back(
        {{"name", tandem::name(event.kind)},
         {"cat", "event"},
         {"ph", "i"},
         {"s", "t"},
         {"ts", event.ns / 1e3},
         {"pid", process},
         {"tid", event.thread},
         {"args",
          {{"inputs", joinTypes(event.inputs)}, {"reason", event.reason}}}});
}

double TraceWriter::endNs() const {
  double end = 0;
  for (const TraceSpan &span : report.spans)
    end = std::max(end, span.startNs + span.ns);
  for (const TieringEvent &event : report.events)
    end = std::max(end, event.ns);
  return end;
}

/// What a signature is in from such an event on.
static std::string_view stateAfter(EventKind kind) {
  return kind == EventKind::seen || kind == EventKind::cancelled
             ? name(SignatureState::eager)
             : name(kind);
}

/// A row for each signature, as if it were a thread, in the order of their
/// first calls: each event lasts until the next one.
void TraceWriter::writeSignatures() {
  std::vector<std::vector<const TieringEvent *>> rows;
  std::map<std::string, size_t> rowOf;
  for (const TieringEvent &event : report.events) {
    const size_t row =
        rowOf.try_emplace(joinTypes(event.inputs), rows.size()).first->second;
    rows.resize(rowOf.size());
    rows[row].push_back(&event);
  }
  Track track = {kNoProcess, kNoProcess};
  name("process_name", track, "signatures");
  const double end = endNs();
  for (std::vector<const TieringEvent *> &events : rows) {
    // Threads may have noted them out of order.
    std::ranges::stable_sort(events, {}, &TieringEvent::ns);
    ++track.thread;
    name("thread_name", track, joinTypes(events.front()->inputs));
    for (size_t i = 0; i < events.size(); ++i) {
      const double next = i + 1 < events.size() ? events[i + 1]->ns : end;
      slice(stateAfter(events[i]->kind), "signature", track, events[i]->ns,
            next - events[i]->ns, {{"reason", events[i]->reason}});
    }
  }
}

std::string TraceWriter::write() {
  writeThreads();
  writeSignatures();
  return jsonText(
      {{"traceEvents", std::move(entries)}, {"displayTimeUnit", "ns"}});
}

std::string FunctionReport::trace() const { return TraceWriter(*this).write(); }
