//===- Engine.cpp - Chooses the tier of each call -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/Engine.h"

#include "background/SpareCores.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::tiering;

/// The number of first calls of each tier that are always timed and recorded in
/// the signature's record, whatever that costs.
static constexpr uint64_t kTimedAlways = 32;

static bool isTimed(const TimeEstimate &estimate, uint64_t calls) {
  return estimate.samples() < kTimedAlways ||
         calls % PromotedSignature::kTimedEvery == 0;
}

Engine::Engine(TierStore &store, TieringOptions options, PolicyOptions policy,
               EngineSeams seams)
    : store(store), options(std::move(options)), policy(policy),
      seams(std::move(seams)), events(this->options, this->seams.clock),
      isCapturable(store.stream().device().canCapture()) {
  this->policy.maxSignatures = std::max<size_t>(this->options.maxSignatures, 1);
  this->policy.maxResidentBytes = this->options.maxResidentBytes;
  (void)BackgroundQueue::process(); // Notes the main thread.
}

Engine::~Engine() { cancel(); }

Expected<SignaturePtr> Engine::findSignature(std::span<const Tensor> inputs) {
  if (SignaturePtr known = table.find(inputs); known && known->isReported)
      [[likely]]
    return known;
  return addSignature(typesOf(inputs));
}

Expected<SignaturePtr> Engine::findOrAdd(std::span<const TensorType> types) {
  if (SignaturePtr known = table.find(types))
    return known;
  TANDEM_RETURN_IF_ERROR(checkInputs(*store.program(), types));
  return table.add(std::make_shared<Signature>(
      Types(types.begin(), types.end()), events.now()));
}

Expected<SignaturePtr> Engine::addSignature(std::span<const TensorType> types) {
  TANDEM_ASSIGN_OR_RETURN(SignaturePtr signature, findOrAdd(types));
  if (signature->isReported.exchange(true))
    return signature;
  {
    ContentionTrackedLock lock(signature->mutex);
    signature->record.lastCallNs = events.now(); // Not the one to forget.
  }
  events.add(*signature, EventKind::seen, "");
  makeRoom();
  return signature;
}

Expected<PreparedPtr> Engine::prepare(std::span<const TensorType> inputs,
                                      Tier tier) {
  if (!isTierOfSignature(tier))
    return store.prepare(tier);
  TANDEM_ASSIGN_OR_RETURN(SignaturePtr signature, findOrAdd(inputs));
  signature->lastUseNs = events.now();
  makeRoom();
  return store.prepare(signature->executors, signature->types, tier);
}

Conditions Engine::conditions(double nowNs) const {
  const BackgroundQueue &queue = BackgroundQueue::process();
  Conditions conditions;
  conditions.nowNs = nowNs;
  conditions.spareCores = SpareCores::process().count();
  conditions.queuedLossRate = queue.lossRate();
  return conditions;
}

bool Engine::mustCompile(State state) const {
  return options.mode == Mode::compile ||
         (options.mode == Mode::compileNow && state == State::eager);
}

Decision Engine::decide(const Record &record,
                        const Conditions &conditions) const {
  return seams.decide ? seams.decide(record, conditions, policy)
                      : tiering::decide(record, conditions, policy);
}

Decision Engine::decideNow(const Signature &signature) const {
  const Conditions present = conditions(events.now());
  ContentionTrackedLock lock(signature.mutex);
  return decide(signature.record, present);
}

Engine::CallPlan Engine::beginCall(Signature &signature) {
  CallPlan plan;
  const double now = plan.startNs = events.now();
  ContentionTrackedLock lock(signature.mutex);
  Record &record = signature.record;
  record.beginCall(now);
  const bool isPromoted = record.state == State::promoted;
  if (isPromoted) {
    ++signature.compiledCalls;
    plan.isCaptured = record.runsCaptured();
    signature.capturedCalls += plan.isCaptured;
    plan.compiled = plan.isCaptured ? signature.captured : signature.prepared;
    // While a captured program is prepared, which may take long, not every call
    // needs to be timed.
    plan.isTimed = record.capture != Capture::preparing ||
                   isTimed(record.compiled, record.calls);
    plan.entersPromotedCalls = record.promoted().samples() >= kTimedAlways &&
                               record.isCaptureDecided() && !events.isTraced();
  } else if (record.state == State::compiled ||
             record.state == State::provisional) {
    plan.isCertificateDue = record.isCertificateDue();
    if (plan.isCertificateDue || record.state == State::provisional)
      plan.carriesCertificate = !std::exchange(signature.isCertifying, true);
  } else {
    plan.mustCompile = mustCompile(record.state);
    plan.contradiction = signature.contradiction;
    plan.endedJobs = BackgroundQueue::process().ended();
    // On a GPU, to time a call is to wait for it.
    plan.isTimed =
        store.stream().device().isHost() || isTimed(record.eager, record.calls);
  }
  if (options.mode == Mode::automatic)
    plan.decision =
        decide(record, isPromoted ? Conditions{.nowNs = now} : conditions(now));
  return plan;
}

Expected<std::vector<Tensor>> Engine::call(std::span<const Tensor> inputs,
                                           std::span<const Tensor> given) {
  // Most calls by far.
  if (PromotedCalls::Call call(promotedCalls, inputs, events.coarseNow()); call)
    return runPromoted(call, inputs, given);
  TANDEM_ASSIGN_OR_RETURN(SignaturePtr signature, findSignature(inputs));
  const uint64_t generation = promotedCalls.generation();
  CallPlan plan = beginCall(*signature);
  if (plan.contradiction) [[unlikely]]
    return tl::unexpected(std::move(*plan.contradiction));
  if (plan.mustCompile) [[unlikely]] {
    TANDEM_RETURN_IF_ERROR(compileInCall(signature, plan));
    plan.startNs = events.now();
  }
  if (plan.decision.reason == Reason::notPredicted) [[unlikely]] {
    predict(*signature);
    plan.decision = decideNow(*signature);
  }
  if (plan.decision.action != Action::none) [[unlikely]]
    apply(signature, plan.decision);
  if (plan.entersPromotedCalls)
    promotedCalls.add(signature, plan.compiled, generation);
  if (plan.carriesCertificate) [[unlikely]]
    return certifyingCall(signature, std::move(plan), inputs);
  return runPlan(signature, plan, inputs, given);
}

Status Engine::waitForDevice() {
  Stream &stream = store.stream();
  return stream.device().isHost() ? Status() : stream.synchronize();
}

Expected<std::vector<Tensor>> Engine::runEager(std::span<const Tensor> inputs,
                                               std::span<const Tensor> given) {
  // The store keeps the eager executor for its whole lifetime.
  const PreparedTier *known = eager.load(std::memory_order_acquire);
  if (!known) [[unlikely]] {
    TANDEM_ASSIGN_OR_RETURN(PreparedPtr made, store.prepare(Tier::eager));
    eager.store(known = made.get(), std::memory_order_release);
  }
  return store.run(*known, Tier::eager, inputs, given);
}

/// True if a run failed because of the tensors that the caller passed. Such an
/// error says nothing about the program.
static bool isOfCaller(const Error &error) {
  return error.phase == "input" || error.phase == "output";
}

Expected<std::vector<Tensor>>
Engine::runCompiled(const SignaturePtr &signature, const PreparedTier &prepared,
                    std::span<const Tensor> inputs,
                    std::span<const Tensor> given) {
  auto outputs = store.run(prepared, Tier::compiled, inputs, given);
  if (outputs || isOfCaller(outputs.error())) [[likely]]
    return outputs;
  // A failed run, for example for lack of memory, is not final: a tier that
  // needs less may still run.
  PreparedPtr compiled;
  bool isCaptured = false;
  {
    ContentionTrackedLock lock(signature->mutex);
    isCaptured = signature->captured.get() == &prepared;
    if (signature->prepared.get() != &prepared)
      compiled = signature->prepared;
  }
  // Another run would read inputs that this run has overwritten.
  const bool isLost = outputs.error().phase == kStateLostPhase;
  if (isCaptured)
    release(signature, outputs.error().str());
  if (compiled && !isLost)
    return runCompiled(signature, *compiled, inputs, given);
  if (!compiled)
    refuse(signature, EventKind::failed, outputs.error().str());
  return isLost ? std::move(outputs) : runEager(inputs, given);
}

Expected<std::vector<Tensor>>
Engine::runPromoted(PromotedCalls::Call &call, std::span<const Tensor> inputs,
                    std::span<const Tensor> given) {
  if (!call.isTimed()) [[likely]]
    return runCompiled(call->signature, *call->prepared, inputs, given);
  TANDEM_RETURN_IF_ERROR(waitForDevice());
  const double start = events.now();
  auto outputs = runCompiled(call->signature, *call->prepared, inputs, given);
  if (outputs)
    TANDEM_RETURN_IF_ERROR(waitForDevice());
  call.addTime(events.now() - start);
  return outputs;
}

Expected<std::vector<Tensor>> Engine::runPlan(const SignaturePtr &signature,
                                              CallPlan plan,
                                              std::span<const Tensor> inputs,
                                              std::span<const Tensor> given) {
  if (plan.isTimed && !store.stream().device().isHost()) {
    TANDEM_RETURN_IF_ERROR(waitForDevice());
    plan.startNs = events.now();
  }
  auto outputs = plan.compiled
                     ? runCompiled(signature, *plan.compiled, inputs, given)
                     : runEager(inputs, given);
  if (!outputs) [[unlikely]]
    return outputs;
  if (plan.isTimed)
    TANDEM_RETURN_IF_ERROR(waitForDevice());
  if (plan.isTimed || !plan.compiled)
    endCall(signature, plan, events.now() - plan.startNs);
  if (events.isTraced()) [[unlikely]]
    events.addSpan(name(plan.isCaptured ? Tier::captured
                        : plan.compiled ? Tier::compiled
                                        : Tier::eager),
                   "call", plan.startNs, signature->types);
  return outputs;
}

void Engine::endCall(const SignaturePtr &signature, const CallPlan &plan,
                     double ns) {
  std::optional<Error> failure;
  if (plan.isCaptured)
    failure = plan.compiled->executor->captureFailure();
  if (failure) // It ran step by step.
    return release(signature, failure->str());
  ContentionTrackedLock lock(signature->mutex);
  Record &record = signature->record;
  if (plan.compiled && record.state == State::refused)
    return; // It failed, and ran eagerly.
  if (plan.isCaptured)
    endCaptured(*signature, *plan.compiled, ns);
  else if (plan.compiled)
    record.addCompiled(ns);
  // The first eager call is recorded as untimed, because later calls do not
  // repeat what libraries prepare in it.
  else if (!plan.isTimed || record.eagerCalls == 0)
    record.addUntimedEager();
  else if (BackgroundQueue::process().begun() > plan.endedJobs)
    record.addEagerBeside(ns);
  else
    record.addEager(ns);
}

void Engine::apply(const SignaturePtr &signature, const Decision &decision) {
  switch (decision.action) {
  case Action::none:
  case Action::promote: // Which takes a certificate.
    return;
  case Action::compile:
    return enqueue(signature, describe(decision));
  case Action::cancel: // By the thread that would compile it.
    return;
  case Action::retry:
    return retry(signature, describe(decision));
  case Action::refuse:
    return refuse(signature, EventKind::evicted, describe(decision));
  case Action::capture:
    return enqueueCapture(signature);
  case Action::adopt:
    return adoptCaptured(*signature, describe(decision));
  case Action::release:
    return releaseSlower(signature, describe(decision));
  case Action::demote: {
    {
      ContentionTrackedLock lock(signature->mutex);
      if (signature->record.state != State::promoted)
        return;
      signature->record.demote(events.now());
      drop(*signature);
    }
    promotedCalls.flushAll();
    events.add(*signature, EventKind::demoted, describe(decision));
    updateProfile(signature, [&](ProgramProfile &profile) {
      profile.demotions = signature->record.demotions;
    });
    return;
  }
  }
}

FunctionReport Engine::report() const {
  promotedCalls.flushAll();
  FunctionReport report;
  report.mode = options.mode;
  for (const SignaturePtr &signature : table.all()) {
    if (!signature->isReported)
      continue;
    SignatureReport one = signature->report();
    one.next = describe(decideNow(*signature));
    report.signatures.push_back(std::move(one));
  }
  std::sort(report.signatures.begin(), report.signatures.end(),
            [](const SignatureReport &a, const SignatureReport &b) {
              return a.calls > b.calls;
            });
  report.evicted = evicted;
  report.residentBytes = residentBytes;
  report.longestLockWaitNs = ContentionTrackedLock::longestWaitNs();
  report.events = events.allEvents();
  report.spans = events.allSpans();
  report.threads = events.allThreads();
  return report;
}
