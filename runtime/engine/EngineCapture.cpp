//===- EngineCapture.cpp - Captured work in the place of steps ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/Engine.h"

#include "device/host/Threads.h"

#include "tandem/Support/Clocks.h"

using namespace tandem;
using namespace tandem::tiering;

/// Prepares a program to run as captured work on a background thread.
class Engine::CaptureJob final : public BackgroundJob {
public:
  CaptureJob(Engine &engine, SignaturePtr signature)
      : BackgroundJob(&engine), engine(engine),
        signature(std::move(signature)) {}
  void run() override {
    // The cores are the callers'.
    exec::runInOneSlot([&] { engine.capture(signature); });
  }
  void cancel() override {
    ContentionTrackedLock lock(signature->mutex);
    if (signature->record.capture == Capture::preparing)
      signature->record.capture = Capture::untried;
  }

private:
  Engine &engine; // Which waits for its jobs before it ends.
  const SignaturePtr signature;
};

void Engine::enqueueCapture(const SignaturePtr &signature) {
  {
    ContentionTrackedLock lock(signature->mutex);
    Capture &state = signature->record.capture;
    // Another thread may have been faster.
    if (state != Capture::untried || !signature->prepared)
      return;
    state = isCapturable ? Capture::preparing : Capture::unavailable;
    if (!isCapturable)
      return;
  }
  auto job = std::make_shared<CaptureJob>(*this, signature);
  if (!BackgroundQueue::process().add(job))
    job->cancel();
}

void Engine::capture(const SignaturePtr &signature) {
  const double start = events.now(), startNs = threadNs();
  PreparedPtr prepared;
  {
    ContentionTrackedLock lock(signature->mutex);
    if (signature->record.capture == Capture::preparing)
      prepared = signature->prepared;
  }
  if (!prepared) // It has gone meanwhile.
    return;
  Expected<PreparedTier> made = captureTier(*prepared, store.executorOptions());
  events.addSpan("capture", "capture", start, signature->types);
  if (!made)
    return release(signature, made.error().str());
  if (std::optional<Error> failure = made->executor->captureFailure()) {
    // The property of the graph that prevents capturing applies to all its
    // signatures.
    isCapturable = false;
    return release(signature, failure->str());
  }
  {
    ContentionTrackedLock lock(signature->mutex);
    if (signature->prepared != prepared)
      return;
    signature->captured =
        std::make_shared<const PreparedTier>(std::move(*made));
    signature->captures = 0;
    signature->record.beginTrial(threadNs() - startNs);
    addResidentBytes(*signature, prepared->program->arena_bytes);
  }
  events.add(*signature, EventKind::capturing,
             "calls run captured and compiled by turns, to be timed",
             events.now() - start);
  makeRoom();
}

void Engine::endCaptured(Signature &signature, const PreparedTier &captured,
                         double ns) {
  if (signature.captured.get() != &captured)
    return;
  // Steps are run one by one first; then they are captured, for each set of
  // addresses that keeps coming.
  const CaptureCounts counts = captured.executor->captureCounts();
  if (counts.launches == 0 ||
      std::exchange(signature.captures, counts.captures) != counts.captures)
    signature.record.addCapturing(ns);
  else
    signature.record.addCaptured(ns);
}

void Engine::adoptCaptured(Signature &signature, std::string reason) {
  {
    ContentionTrackedLock lock(signature.mutex);
    if (signature.record.capture != Capture::trial)
      return;
    signature.record.capture = Capture::chosen;
  }
  events.add(signature, EventKind::captured, std::move(reason));
}

void Engine::dropCaptured(Signature &signature) {
  if (!signature.captured)
    return;
  addResidentBytes(signature, -signature.captured->program->arena_bytes);
  signature.captured = nullptr;
  promotedCalls.invalidate();
}

void Engine::releaseSlower(const SignaturePtr &signature, std::string reason) {
  // Times of the two tiers that were measured in alternation are valid for
  // other processes, too. Times that were measured at different moments may
  // differ because of the machine.
  updateProfile(signature, [&](ProgramProfile &profile) {
    profile.isSlowerCaptured |= signature->record.capture == Capture::trial;
  });
  release(signature, std::move(reason));
}

void Engine::release(const SignaturePtr &signature, std::string reason) {
  {
    ContentionTrackedLock lock(signature->mutex);
    Capture &state = signature->record.capture;
    if (state == Capture::unavailable || state == Capture::rejected)
      return; // Another thread has been faster, or all of it was dropped.
    state = Capture::rejected;
    dropCaptured(*signature);
  }
  promotedCalls.flushAll();
  events.add(*signature, EventKind::uncaptured, std::move(reason));
}
