//===- Machine.cpp - Streams, events and the order of work ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Graph.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

using namespace fake;

namespace fake {
void forgetFaults();
} // namespace fake

static unsigned long numberFrom(const char *variable, unsigned long otherwise) {
  const char *text = std::getenv(variable);
  return text && *text ? std::strtoul(text, nullptr, 10) : otherwise;
}

Machine &fake::machine() {
  static auto *machine = new Machine;
  return *machine;
}

Machine::Machine()
    : memory(numberFrom("FAKE_CUDA_MEMORY", 2ul << 30)),
      random(numberFrom("FAKE_CUDA_SEED", 1)) {
  std::thread([this] { work(); }).detach();
}

template <typename Condition> void Machine::waitUntil(Condition isDone) {
  std::unique_lock lock(mutex);
  changed.wait(lock, isDone);
}

//===----------------------------------------------------------------------===//
// Enqueuing
//===----------------------------------------------------------------------===//

CUstream_st *Machine::createStream(CUctx_st *context) {
  std::lock_guard lock(mutex);
  auto *stream = new CUstream_st{context, ++numStreams, {}, false, {}, {}, {}};
  streams.insert(stream);
  return stream;
}

Result Machine::destroyStream(CUstream_st *stream) {
  waitUntil([&] { return stream->isIdle(); });
  std::lock_guard lock(mutex);
  streams.erase(stream);
  delete stream;
  return kSuccess;
}

Result Machine::enqueue(CUstream_st *stream, Operation operation) {
  std::lock_guard lock(mutex);
  if (stuck != kSuccess)
    return stuck;
  return stream->capture ? capture(stream, std::move(operation))
                         : push(stream, std::move(operation));
}

Result Machine::push(CUstream_st *stream, Operation operation) {
  // Whatever the host knows to be done now is done before.
  stream->clock.merge(host);
  const uint64_t count = stream->clock.advance(stream->number);
  const User user{operation.name, stream->number, count};
  memory.use(user, stream->clock, operation.uses);
  for (const auto &module : operation.modules)
    module->users[stream->number] = user;
  if (operation.reached)
    operation.reached->clock = stream->clock;
  stream->waiting.push_back(std::move(operation));
  changed.notify_all();
  return kSuccess;
}

Result Machine::record(CUevent_st *event, CUstream_st *stream) {
  std::lock_guard lock(mutex);
  if (stuck != kSuccess)
    return stuck;
  event->capture = stream->capture;
  event->tail = stream->tail;
  if (stream->capture)
    return kSuccess;
  event->mark = std::make_shared<Mark>();
  return push(stream, {"event", {}, {}, nullptr, event->mark, {}});
}

Result Machine::wait(CUstream_st *stream, CUevent_st *event) {
  std::lock_guard lock(mutex);
  if (stuck != kSuccess)
    return stuck;
  if (event->capture) {
    if (stream->capture && stream->capture != event->capture)
      return kCaptureMerge;
    stream->capture = event->capture;
    stream->tail.insert(stream->tail.end(), event->tail.begin(),
                        event->tail.end());
    return kSuccess;
  }
  if (!event->mark)
    return kSuccess; // Never recorded: nothing to wait for.
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return kCaptureIsolation;
  }
  stream->clock.merge(event->mark->clock);
  return push(stream, {"wait", {}, {}, event->mark, nullptr, {}});
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Result Machine::beginCapture(CUstream_st *stream, int mode) {
  std::lock_guard lock(mutex);
  if (stream->capture)
    return kIllegalState;
  stream->capture = std::make_shared<Capture>(
      Capture{stream, mode, std::this_thread::get_id()});
  stream->tail.clear();
  return kSuccess;
}

Result Machine::endCapture(CUstream_st *stream, CUgraph_st **graph) {
  std::lock_guard lock(mutex);
  const Result result = fake::endCapture(stream, streams, graph);
  objects.graphs += *graph != nullptr;
  return result;
}

Result Machine::capture(CUstream_st *stream, Operation operation) {
  if (stream->capture->isInvalid)
    return kCaptureInvalidated;
  auto &nodes = stream->capture->graph->nodes;
  auto node = std::make_unique<CUgraphNode_st>();
  node->operation = std::move(operation);
  node->index = nodes.size();
  for (CUgraphNode_st *before : stream->tail)
    node->before.push_back(before->index);
  stream->tail = {node.get()};
  nodes.push_back(std::move(node));
  return kSuccess;
}

Result Machine::launch(CUgraphExec_st &executable, CUstream_st *stream) {
  std::lock_guard lock(mutex);
  if (stuck != kSuccess)
    return stuck;
  if (stream->capture) // As a graph within a graph, which the fake has not.
    return kCaptureUnsupported;
  Operation operation = launchOf(executable);
  const bool isThere = std::all_of(
      operation.uses.begin(), operation.uses.end(), [&](const Use &use) {
        return !use.pointer || memory.isOnDevice(use.pointer, 1) ||
               memory.isPinned(use.pointer, 1);
      });
  const bool isLoaded =
      std::none_of(operation.modules.begin(), operation.modules.end(),
                   [](const auto &module) { return module->isUnloaded; });
  if (!isThere)
    report("a graph uses memory that was freed after its capture");
  if (!isLoaded)
    report("a graph runs code that was unloaded after its capture");
  if (!isThere || !isLoaded)
    return kInvalidValue;
  // One launch comes after the other, on whatever streams.
  if (executable.last)
    stream->clock.merge(executable.last->clock);
  executable.last = operation.reached = std::make_shared<Mark>();
  return push(stream, std::move(operation));
}

template <typename Forbids> bool Machine::invalidateThose(Forbids forbids) {
  std::lock_guard lock(mutex);
  bool isAny = false;
  for (CUstream_st *stream : streams)
    if (stream->capture && forbids(*stream->capture))
      isAny = stream->capture->isInvalid = true;
  return isAny;
}

bool Machine::isForbidden() {
  return invalidateThose([](const Capture &capture) {
    return capture.mode == kGlobal ||
           (capture.mode == kThreadLocal &&
            capture.thread == std::this_thread::get_id());
  });
}

bool Machine::isWaitingForbidden() {
  return invalidateThose([](const Capture &) { return true; });
}

bool Machine::isCapturing(CUstream_st *stream) {
  std::lock_guard lock(mutex);
  return stream->capture != nullptr;
}

void Machine::invalidate(CUstream_st *stream) {
  std::lock_guard lock(mutex);
  if (stream->capture)
    stream->capture->isInvalid = true;
}

void Machine::count(int Objects::*kind, int change) {
  std::lock_guard lock(mutex);
  objects.*kind += change;
}

int Machine::liveGraphs() {
  std::lock_guard lock(mutex);
  return objects.graphs + objects.executables;
}

int fakeCUDALiveGraphs() { return machine().liveGraphs(); }

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

Result Machine::finish(CUstream_st *stream) {
  waitUntil([&] { return stream->isIdle(); });
  std::lock_guard lock(mutex);
  host.merge(stream->clock);
  return stuck;
}

Result Machine::finish(CUevent_st *event) {
  std::shared_ptr<Mark> mark;
  {
    std::lock_guard lock(mutex);
    if (event->capture)
      return kCapturedEvent;
    mark = event->mark;
  }
  if (!mark)
    return kSuccess;
  waitUntil([&] { return mark->isDone; });
  std::lock_guard lock(mutex);
  host.merge(mark->clock);
  return stuck;
}

Result Machine::query(CUevent_st *event) {
  std::lock_guard lock(mutex);
  if (stuck != kSuccess)
    return stuck;
  if (event->capture)
    return kCapturedEvent;
  if (event->mark && !event->mark->isDone)
    return kNotReady;
  if (event->mark)
    host.merge(event->mark->clock);
  return kSuccess;
}

Result Machine::query(CUstream_st *stream) {
  std::lock_guard lock(mutex);
  if (stuck != kSuccess)
    return stuck;
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return kCaptureUnsupported;
  }
  if (!stream->isIdle())
    return kNotReady;
  host.merge(stream->clock);
  return kSuccess;
}

void Machine::drain() {
  waitUntil([&] {
    return std::all_of(streams.begin(), streams.end(),
                       [](CUstream_st *stream) { return stream->isIdle(); });
  });
}

Result Machine::finishAll() {
  drain();
  std::lock_guard lock(mutex);
  for (CUstream_st *stream : streams)
    host.merge(stream->clock);
  return stuck;
}

bool Machine::areDone(const std::map<int, User> &users) {
  std::lock_guard lock(mutex);
  return std::all_of(users.begin(), users.end(), [&](const auto &user) {
    return host.includes(user.first, user.second.count);
  });
}

//===----------------------------------------------------------------------===//
// Working
//===----------------------------------------------------------------------===//

CUstream_st *Machine::choose() {
  std::vector<CUstream_st *> ready;
  for (CUstream_st *stream : streams)
    if (!stream->waiting.empty() && (!stream->waiting.front().awaited ||
                                     stream->waiting.front().awaited->isDone))
      ready.push_back(stream);
  // By number: addresses differ from run to run.
  std::sort(ready.begin(), ready.end(), [](CUstream_st *a, CUstream_st *b) {
    return a->number < b->number;
  });
  return ready.empty() || isHeld ? nullptr : ready[random() % ready.size()];
}

Result Machine::perform(const Operation &operation) {
  if (!operation.run)
    return kSuccess;
  std::vector<void *> pointers;
  for (const Use &use : operation.uses)
    pointers.push_back(use.pointer);
  const tandem::test::GuardedMemory::Access access(memory.guarded, pointers);
  return operation.run();
}

void Machine::work() {
  std::unique_lock lock(mutex);
  while (true) {
    CUstream_st *stream = nullptr;
    changed.wait(lock, [&] { return (stream = choose()) != nullptr; });
    // It stays there while it runs: it is in flight. A deque leaves it where it
    // is when others are added.
    const Operation &operation = stream->waiting.front();
    stream->isRunning = true;
    const bool isSkipped = stuck != kSuccess;
    // Now and then the host gets ahead.
    const bool isSlow = random() % 8 == 0;
    lock.unlock();
    if (isSlow)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    const Result result = isSkipped ? kSuccess : perform(operation);
    lock.lock();
    if (result != kSuccess && stuck == kSuccess)
      stuck = result;
    if (operation.reached) {
      operation.reached->isDone = true;
      operation.reached->ns =
          std::chrono::duration<double, std::nano>(
              std::chrono::steady_clock::now().time_since_epoch())
              .count();
    }
    stream->waiting.pop_front();
    stream->isRunning = false;
    changed.notify_all();
  }
}

//===----------------------------------------------------------------------===//
// Controls
//===----------------------------------------------------------------------===//

Result Machine::lost() {
  std::lock_guard lock(mutex);
  return stuck;
}

void Machine::reset() {
  drain();
  forgetFaults();
  std::lock_guard lock(mutex);
  stuck = kSuccess;
}

void Machine::seed(unsigned seed) {
  std::lock_guard lock(mutex);
  random.seed(seed);
}

void Machine::hold(bool isNow) {
  std::lock_guard lock(mutex);
  isHeld = isNow;
  changed.notify_all();
}

void fakeCUDASeed(unsigned seed) { machine().seed(seed); }
void fakeCUDAReset() { machine().reset(); }
void fakeCUDAHold(bool isHeld) { machine().hold(isHeld); }
size_t fakeCUDALiveBytes() {
  return machine().withMemory(
      [](Memory &memory, Clock &) { return memory.liveBytes(); });
}
