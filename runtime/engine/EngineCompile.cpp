//===- EngineCompile.cpp - Compiles signatures in the background ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/Engine.h"

#include "device/host/Threads.h"

#include "tandem/Runtime/Program/StoredProgram.h"
#include "tandem/Support/Clocks.h"
#include "tandem/Support/HumanReadable.h"

using namespace tandem;
using namespace tandem::tiering;

/// Compiles a signature on a background thread.
class Engine::CompileJob final : public BackgroundJob {
public:
  CompileJob(Engine &engine, SignaturePtr signature)
      : BackgroundJob(&engine), engine(engine),
        signature(std::move(signature)) {}
  void run() override {
    if (!engine.beginCompiling(signature) || engine.compile(signature, &stop) ||
        !isPostponed)
      return;
    {
      ContentionTrackedLock lock(signature->mutex);
      if (signature->record.state != State::eager)
        return;
    }
    engine.enqueue(signature, "a fork has interrupted it", isUrgent());
  }
  void interrupt() override { stop.request_stop(); }
  void postpone() override {
    isPostponed = true;
    stop.request_stop();
  }
  void cancel() override {
    engine.cancelled(*signature, "its plan never came");
  }

private:
  Engine &engine; // Which waits for its jobs before it ends.
  const SignaturePtr signature;
  std::stop_source stop;
  std::atomic<bool> isPostponed = false;
};

void Engine::predict(Signature &signature) {
  Compiler *compiler = store.compiler();
  if (!compiler)
    return;
  {
    ContentionTrackedLock lock(signature.mutex);
    if (std::exchange(signature.isPredicted, true))
      return;
  }
  const Prediction prediction = compiler->predict(signature.types);
  ContentionTrackedLock lock(signature.mutex);
  signature.record.predictedCompileNs = prediction.compileNs;
  signature.record.predictedCompiledNs = prediction.compiledNs;
  signature.record.predictedEagerNs = prediction.eagerNs;
}

void Engine::updateJob(Signature &signature) {
  const double now = events.now();
  signature.job->setUrgency(priority(signature.record, now),
                            lossRate(signature.record, now));
}

void Engine::enqueue(const SignaturePtr &signature, std::string reason,
                     bool isUrgent) {
  predict(*signature); // The queue goes by it.
  auto job = std::make_shared<CompileJob>(*this, signature);
  {
    ContentionTrackedLock lock(signature->mutex);
    Record &record = signature->record;
    // Another thread may have been faster.
    if (signature->job || signature->prepared || signature->isEvicted)
      return;
    signature->job = job;
    record.state = State::queued;
    updateJob(*signature);
    if (isUrgent)
      job->setUrgent();
  }
  events.add(*signature, EventKind::queued, std::move(reason));
  if (Status added = BackgroundQueue::process().add(job); !added)
    cancelled(*signature, added.error().message);
}

void Engine::cancelled(Signature &signature, std::string reason) {
  {
    ContentionTrackedLock lock(signature.mutex);
    State &state = signature.record.state;
    if (state != State::queued && state != State::compiling)
      return;
    state = State::eager;
    signature.job = nullptr;
  }
  events.add(signature, EventKind::cancelled, std::move(reason));
}

bool Engine::beginCompiling(const SignaturePtr &signature) {
  loadProfile(*signature);
  Decision decision;
  {
    ContentionTrackedLock lock(signature->mutex);
    if (signature->record.state != State::queued)
      return false;
    if (!signature->job->isUrgent())
      decision = decide(signature->record, conditions(events.now()));
    if (decision.action != Action::cancel)
      signature->record.state = State::compiling;
  }
  if (decision.action == Action::cancel)
    cancelled(*signature, describe(decision));
  return decision.action != Action::cancel;
}

Status Engine::compile(const SignaturePtr &signature,
                       const std::stop_source *background) {
  const double start = events.now(), startNs = threadNs();
  events.add(*signature, EventKind::compiling, "");
  Expected<PreparedPtr> prepared = nullptr;
  CompileRequest request;
  if (background)
    request = {options.compileIn, background->get_token()};
  auto make = [&] {
    prepared = store.prepare(signature->executors, signature->types,
                             Tier::compiled, request);
  };
  if (background)
    exec::runInOneSlot(make); // The cores are the callers'.
  else
    make();
  const double tookNs = events.now() - start;
  if (prepared)
    events.addPhases((*prepared)->phases, start, signature->types);
  events.addSpan("compile", "compile", start, signature->types);
  if (!prepared && request.stop.stop_requested()) {
    cancelled(*signature, "nobody waits for it any more");
    return tl::unexpected(std::move(prepared.error()));
  }
  if (!prepared) {
    refuse(signature, EventKind::failed, prepared.error().str(), tookNs);
    return tl::unexpected(std::move(prepared.error()));
  }
  const double costNs = threadNs() - startNs + (*prepared)->helperNs;
  adopt(signature, std::move(*prepared), costNs, tookNs);
  return {};
}

/// The bytes of a program's code, and of its own constants.
static int64_t residentBytesOf(const Program &program, const Program &eager) {
  int64_t bytes = ownConstantBytes(program, eager);
  for (const auto &kernel : program.kernels)
    bytes += static_cast<int64_t>(kernel->code.size());
  return bytes;
}

/// "1.2 ms of processor time, 1.5 ms on the clock, in a helper process".
static std::string describeCompilation(const Compiled &compiled, double costNs,
                                       double tookNs) {
  std::string text = formatTime(costNs) + " of processor time, " +
                     formatTime(tookNs) + " on the clock";
  if (compiled.isStored)
    text += ", read from disk";
  else if (compiled.compiledIn == CompileIn::process)
    text += ", in a helper process";
  if (!compiled.helperProblem.empty())
    text += "; " + compiled.helperProblem;
  if (const size_t count = compiled.kernelCounts.fellBack)
    text += "; " + std::to_string(count) +
            " of its kernels could not be compiled, and run op by op";
  return text;
}

void Engine::adopt(const SignaturePtr &signature, PreparedPtr prepared,
                   double costNs, double tookNs) {
  const std::string reason = describeCompilation(*prepared, costNs, tookNs);
  const int64_t bytes = residentBytesOf(*prepared->program, *store.program());
  {
    ContentionTrackedLock lock(signature->mutex);
    signature->job = nullptr;
    if (signature->isEvicted)
      return signature->executors.drop();
    signature->record.state = State::compiled;
    signature->record.compileNs = costNs;
    addResidentBytes(*signature, bytes - signature->record.residentBytes);
    signature->compileWallNs = tookNs;
    signature->phases = prepared->phases;
    signature->compiledIn = prepared->compiledIn;
    signature->warnings = prepared->warnings;
    signature->prepared = std::move(prepared);
  }
  events.add(*signature, EventKind::compiled, reason, tookNs);
  makeRoom();
}

/// The first thread compiles; in mode compile the others wait for it, and in
/// mode compileNow they run eagerly meanwhile.
Status Engine::compileInCall(const SignaturePtr &signature, CallPlan &plan) {
  const bool isBlocking = options.mode == Mode::compile;
  bool isFirst = false;
  {
    ContentionTrackedLock lock(signature->mutex);
    State &state = signature->record.state;
    isFirst = state != State::compiling;
    if (isFirst)
      state = State::compiling;
  }
  if (isFirst) {
    predict(*signature);
    Status compiled = compile(signature, /*background=*/nullptr);
    ContentionTrackedLock lock(signature->mutex);
    State &state = signature->record.state;
    if (isBlocking)
      state = compiled ? State::promoted : State::eager;
    else if (state == State::compiled)
      plan.carriesCertificate = !std::exchange(signature->isCertifying, true);
  }
  if (isBlocking) {
    TANDEM_ASSIGN_OR_RETURN(
        plan.compiled,
        store.prepare(signature->executors, signature->types, Tier::compiled));
  }
  return {};
}

void Engine::retry(const SignaturePtr &signature, std::string reason) {
  {
    ContentionTrackedLock lock(signature->mutex);
    if (signature->record.state != State::demoted)
      return;
    signature->record.retry(/*resident=*/false);
    signature->record.state = State::eager; // Until it is queued.
  }
  enqueue(signature, std::move(reason));
}

void Engine::addResidentBytes(Signature &signature, int64_t bytes) {
  signature.record.residentBytes += bytes;
  residentBytes += bytes;
}

void Engine::drop(Signature &signature) {
  signature.prepared = signature.captured = nullptr;
  addResidentBytes(signature, -signature.record.residentBytes);
  signature.executors.drop();
  promotedCalls.invalidate();
}

void Engine::refuse(const SignaturePtr &signature, EventKind kind,
                    std::string reason, double tookNs) {
  {
    ContentionTrackedLock lock(signature->mutex);
    signature->record.state = State::refused;
    signature->job = nullptr;
    drop(*signature);
  }
  promotedCalls.flushAll();
  events.add(*signature, kind, std::move(reason), tookNs);
}

void Engine::makeRoom() {
  if (table.size() <= policy.maxSignatures &&
      residentBytes <= policy.maxResidentBytes)
    return;
  promotedCalls.flushAll();
  // A picture of now; another thread may change it meanwhile, and then does
  // the same.
  std::vector<SignaturePtr> signatures = table.all();
  std::vector<Record> records;
  for (const SignaturePtr &signature : signatures) {
    ContentionTrackedLock lock(signature->mutex);
    Record &record = records.emplace_back(signature->record);
    record.lastCallNs =
        std::max(record.lastCallNs, signature->lastUseNs.load());
  }
  // Evict a few more than necessary, so that not every new signature has to
  // search for candidates.
  PolicyOptions limits = policy;
  if (signatures.size() > limits.maxSignatures)
    limits.maxSignatures -= limits.maxSignatures / 16;
  while (true) {
    std::vector<const Record *> pointers;
    for (const Record &record : records)
      pointers.push_back(&record);
    std::optional<Eviction> eviction = selectEviction(pointers, limits);
    if (!eviction)
      return;
    const size_t index = eviction->index;
    evict(signatures[index], eviction->wholeSignature);
    if (eviction->wholeSignature) {
      signatures.erase(signatures.begin() + static_cast<ptrdiff_t>(index));
      records.erase(records.begin() + static_cast<ptrdiff_t>(index));
    } else {
      records[index].residentBytes = 0;
    }
  }
}

void Engine::evict(const SignaturePtr &signature, bool isWhole) {
  JobPtr job;
  {
    ContentionTrackedLock lock(signature->mutex);
    if (signature->isEvicted) // Another thread was faster.
      return;
    signature->isEvicted = isWhole;
    drop(*signature);
    signature->record.dropProgram(events.now());
    job = signature->job;
  }
  promotedCalls.flushAll();
  if (isWhole) {
    table.erase(signature);
    if (job)
      BackgroundQueue::process().cancel(job);
  }
  if (!signature->isReported)
    return;
  evicted += isWhole;
  events.add(*signature, EventKind::evicted,
             isWhole ? "more than " + std::to_string(policy.maxSignatures) +
                           " signatures; it was the least recently called"
                     : "compiled programs held more than " +
                           std::to_string(policy.maxResidentBytes) +
                           " bytes; it was the least recently called");
}

Status Engine::compileAhead(std::span<const Types> signatures) {
  if (!store.compiler())
    return fail("execute", "the function has no compiler");
  for (const Types &types : signatures) {
    TANDEM_ASSIGN_OR_RETURN(SignaturePtr signature, addSignature(types));
    enqueue(signature, "compiled ahead", /*isUrgent=*/true);
  }
  return {};
}

void Engine::wait() { BackgroundQueue::process().wait(this); }

void Engine::cancel() {
  ++cancellations;
  BackgroundQueue::process().cancelAll(this);
  --cancellations;
}
