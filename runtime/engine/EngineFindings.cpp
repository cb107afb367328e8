//===- EngineFindings.cpp - What other processes need not find out --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/Engine.h"

using namespace tandem;
using namespace tandem::tiering;

/// Keeps findings on a background thread: no call waits for a disk.
class Engine::FindingsJob final : public BackgroundJob {
public:
  FindingsJob(Engine &engine, SignaturePtr signature)
      : BackgroundJob(&engine), engine(engine),
        signature(std::move(signature)) {}
  void run() override {
    ProgramFindings findings;
    {
      NotedLock lock(signature->mutex);
      findings = signature->findings;
    }
    engine.store.compiler()->keepFindings(signature->types, findings);
  }
  void cancel() override { run(); } // It is a small file.

private:
  Engine &engine; // Which waits for its jobs before it ends.
  const SignaturePtr signature;
};

void Engine::recall(Signature &signature) {
  if (options.mode != Mode::automatic)
    return; // Nothing depends on what was measured.
  {
    NotedLock lock(signature.mutex);
    if (std::exchange(signature.isRecalled, true))
      return;
  }
  const ProgramFindings found = store.compiler()->findings(signature.types);
  NotedLock lock(signature.mutex);
  Record &record = signature.record;
  signature.findings = found;
  record.demotions = std::max(record.demotions, found.demotions);
  if (found.isSlowerCaptured && record.capture == Capture::unavailable)
    record.capture = Capture::rejected;
}

void Engine::note(const SignaturePtr &signature,
                  const std::function<void(ProgramFindings &)> &change) {
  if (options.mode != Mode::automatic)
    return;
  {
    NotedLock lock(signature->mutex);
    const ProgramFindings before = signature->findings;
    change(signature->findings);
    if (signature->findings == before)
      return;
  }
  // If no background thread exists, the next process makes the findings again.
  (void)BackgroundQueue::process().add(
      std::make_shared<FindingsJob>(*this, signature));
}
