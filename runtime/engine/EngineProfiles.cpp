//===- EngineProfiles.cpp - What other processes need not find out --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/Engine.h"

using namespace tandem;
using namespace tandem::tiering;

/// Keeps profile on a background thread: no call waits for a disk.
class Engine::ProfileJob final : public BackgroundJob {
public:
  ProfileJob(Engine &engine, SignaturePtr signature)
      : BackgroundJob(&engine), engine(engine),
        signature(std::move(signature)) {}
  void run() override {
    ProgramProfile profile;
    {
      ContentionTrackedLock lock(signature->mutex);
      profile = signature->profile;
    }
    engine.store.compiler()->keepProfile(signature->types, profile);
  }
  void cancel() override { run(); } // It is a small file.

private:
  Engine &engine; // Which waits for its jobs before it ends.
  const SignaturePtr signature;
};

void Engine::loadProfile(Signature &signature) {
  if (options.mode != Mode::automatic)
    return; // Nothing depends on what was measured.
  {
    ContentionTrackedLock lock(signature.mutex);
    if (std::exchange(signature.isRecalled, true))
      return;
  }
  const ProgramProfile found = store.compiler()->profile(signature.types);
  ContentionTrackedLock lock(signature.mutex);
  Record &record = signature.record;
  signature.profile = found;
  record.demotions = std::max(record.demotions, found.demotions);
  if (found.isSlowerCaptured && record.capture == Capture::unavailable)
    record.capture = Capture::rejected;
}

void Engine::updateProfile(
    const SignaturePtr &signature,
    const std::function<void(ProgramProfile &)> &change) {
  if (options.mode != Mode::automatic)
    return;
  {
    ContentionTrackedLock lock(signature->mutex);
    const ProgramProfile before = signature->profile;
    change(signature->profile);
    if (signature->profile == before)
      return;
  }
  // If no background thread exists, the next process makes the profile again.
  (void)BackgroundQueue::process().add(
      std::make_shared<ProfileJob>(*this, signature));
}
