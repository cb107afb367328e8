//===- EngineCertify.cpp - Certificates before a swap ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/Engine.h"

using namespace tandem;
using namespace tandem::tiering;

/// The number of certificates with little evidential value, each on different
/// inputs, that together suffice for promotion: some graphs are only called
/// with such inputs.
static constexpr int kProvisionalAreEnough = 3;

namespace {
/// Allows another certificate of the signature when this one is made, unless
/// `signature` has become null.
struct CertificateScope {
  Signature *signature;
  ~CertificateScope() {
    if (!signature)
      return;
    ContentionTrackedLock lock(signature->mutex);
    signature->isCertifying = false;
  }
};
} // namespace

/// Makes a certificate on a background thread, on copies of a call's inputs.
class Engine::CertificateJob final : public BackgroundJob {
public:
  CertificateJob(Engine &engine, SignaturePtr signature,
                 std::vector<Tensor> inputs)
      : BackgroundJob(&engine), engine(engine), signature(std::move(signature)),
        inputs(std::move(inputs)) {
    // It takes a run of each tier, and what was paid for waits for it.
    setUrgent();
  }
  void run() override {
    CertificateScope scope{signature.get()};
    // The cores are the callers'.
    runOnOneThread([&] {
      Status status =
          engine.certify(signature, inputs, /*mayConfirm=*/true, nullptr);
      // Nobody waits for the error, so it becomes an event.
      if (!status)
        (void)engine.countUndecided(signature, status.error(), /*tookNs=*/0);
    });
  }
  void cancel() override {
    ContentionTrackedLock lock(signature->mutex);
    signature->isCertifying = false;
  }

private:
  Engine &engine; // Which waits for its jobs before it ends.
  const SignaturePtr signature;
  const std::vector<Tensor> inputs;
};

static Expected<std::vector<Tensor>> copyOf(std::span<const Tensor> tensors,
                                            Stream &stream) {
  std::vector<Tensor> copies;
  for (const Tensor &tensor : tensors) {
    TANDEM_ASSIGN_OR_RETURN(
        copies.emplace_back(),
        Tensor::allocate(tensor.type(), stream.allocator()));
    TANDEM_RETURN_IF_ERROR(stream.copy(tensor, copies.back()));
  }
  // The caller may change them once the call has returned.
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  return copies;
}

static int64_t bytesOf(std::span<const Tensor> tensors) {
  int64_t bytes = 0;
  for (const Tensor &tensor : tensors)
    bytes += tensor.bytes();
  return bytes;
}

bool Engine::certifyInBackground(const SignaturePtr &signature,
                                 std::span<const Tensor> inputs) {
  auto copies = copyOf(inputs, store.stream());
  return copies &&
         BackgroundQueue::process().add(std::make_shared<CertificateJob>(
             *this, signature, std::move(*copies)));
}

static Expected<uint64_t> fingerprintOf(std::span<const Tensor> inputs,
                                        Stream &stream) {
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> here, copyToHost(inputs, stream));
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  return fingerprint(here);
}

/// Looks up what certificates so far say about inputs like a call's: the
/// compiled program agreed on them, or they were undecided. Returns whether
/// they say nothing, so that a new certificate may be made on these inputs.
Expected<bool> Engine::areInputsNew(const SignaturePtr &signature,
                                    CallPlan &plan,
                                    std::span<const Tensor> inputs) {
  bool isProvisional = false, isUndecided = false;
  {
    ContentionTrackedLock lock(signature->mutex);
    isProvisional = signature->record.state == State::provisional;
    isUndecided = plan.isCertificateDue && signature->certificateError;
  }
  if (!isProvisional && !isUndecided)
    return plan.isCertificateDue;
  TANDEM_ASSIGN_OR_RETURN(const uint64_t present,
                          fingerprintOf(inputs, store.stream()));
  std::optional<Error> undecided;
  {
    ContentionTrackedLock lock(signature->mutex);
    if (isProvisional && present == signature->fingerprint &&
        signature->prepared) {
      ++signature->compiledCalls;
      plan.compiled = signature->prepared;
      return false;
    }
    if (isUndecided && present == signature->undecidedFingerprint)
      undecided = signature->certificateError;
  }
  if (!undecided)
    return plan.isCertificateDue;
  TANDEM_RETURN_IF_ERROR(countUndecided(signature, *undecided, /*tookNs=*/0));
  return false;
}

Expected<std::vector<Tensor>>
Engine::certifyingCall(const SignaturePtr &signature, CallPlan plan,
                       std::span<const Tensor> inputs) {
  CertificateScope scope{signature.get()};
  TANDEM_ASSIGN_OR_RETURN(const bool areNew,
                          areInputsNew(signature, plan, inputs));
  const bool isInBackground = areNew && options.mode == Mode::automatic &&
                              bytesOf(inputs) <= options.maxCertificateBytes &&
                              certifyInBackground(signature, inputs);
  if (isInBackground)
    scope.signature = nullptr; // The job ends it.
  if (!areNew || isInBackground) {
    plan.startNs = events.now();
    return runPlan(signature, plan, inputs);
  }
  std::vector<Tensor> outputs;
  TANDEM_RETURN_IF_ERROR(
      certify(signature, inputs, options.mode == Mode::compileNow, &outputs));
  return outputs;
}

/// Returns eager's outputs, followed by the further outputs that the
/// certificate needs.
Expected<std::vector<Tensor>>
Engine::runCertifying(Signature &signature, const Certifier &certifier,
                      std::span<const Tensor> inputs) {
  if (certifier.program() == store.program())
    return runEager(inputs);
  PreparedPtr prepared;
  {
    ContentionTrackedLock lock(signature.mutex);
    prepared = signature.certifying;
  }
  if (!prepared) {
    TANDEM_ASSIGN_OR_RETURN(PreparedTier made,
                            interpretTier(certifier.program(), Tier::eager,
                                          store.executorOptions()));
    prepared = std::make_shared<const PreparedTier>(std::move(made));
    ContentionTrackedLock lock(signature.mutex);
    signature.certifying = prepared;
  }
  return store.run(*prepared, Tier::eager, inputs);
}

Expected<std::shared_ptr<const Certifier>>
Engine::certifierOf(Signature &signature) {
  {
    ContentionTrackedLock lock(signature.mutex);
    if (signature.certifier)
      return signature.certifier;
  }
  TANDEM_ASSIGN_OR_RETURN(
      Certifier made,
      Certifier::create(store.program(), signature.types,
                        store.executorOptions().libraries.precision));
  ContentionTrackedLock lock(signature.mutex);
  return signature.certifier =
             std::make_shared<const Certifier>(std::move(made));
}

Status Engine::certify(const SignaturePtr &signature,
                       std::span<const Tensor> inputs, bool mayConfirm,
                       std::vector<Tensor> *outputs) {
  const double start = events.now();
  TANDEM_ASSIGN_OR_RETURN(auto certifier, certifierOf(*signature));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> eager,
                          runCertifying(*signature, *certifier, inputs));
  if (outputs)
    outputs->assign(eager.begin(),
                    eager.begin() + store.program()->outputs.size());
  PreparedPtr prepared;
  {
    ContentionTrackedLock lock(signature->mutex);
    prepared = signature->prepared;
  }
  if (!prepared) // It has gone meanwhile.
    return {};
  auto compiled = [&] {
    // The compiled program may get memory that eager has freed and that still
    // holds the right results. Filling allocations exposes results that are
    // never written.
    FilledAllocations filled;
    return store.run(*prepared, Tier::compiled, inputs);
  }();
  Expected<Comparison> comparison =
      compiled ? compare(*certifier, inputs, eager, *compiled, mayConfirm)
               : tl::unexpected(compiled.error());
  events.addSpan("certificate", "certificate", start, signature->types);
  if (!comparison && cancellations > 0) // It says nothing of the program.
    return {};
  if (!comparison) {
    refuse(signature, EventKind::failed, comparison.error().str(),
           events.now() - start);
    return {};
  }
  if (comparison->isSuspicion && certifyInBackground(signature, inputs))
    return {};
  return judge(signature, *comparison, events.now() - start);
}

/// A result that exceeds the tolerance is confirmed by the error bounds of
/// these inputs. That takes the time of many runs, so it is not done in a call.
Expected<Engine::Comparison> Engine::compare(const Certifier &certifier,
                                             std::span<const Tensor> inputs,
                                             std::span<const Tensor> eager,
                                             std::span<const Tensor> compiled,
                                             bool mayConfirm) {
  Stream &stream = store.stream();
  Comparison result;
  TANDEM_ASSIGN_OR_RETURN(result.inputs, copyToHost(inputs, stream));
  TANDEM_ASSIGN_OR_RETURN(result.eager, copyToHost(eager, stream));
  TANDEM_ASSIGN_OR_RETURN(result.compiled, copyToHost(compiled, stream));
  TANDEM_RETURN_IF_ERROR(stream.synchronize());
  result.certificate =
      certifier.certify(result.inputs, result.eager, result.compiled);
  if (result.certificate.verdict != Certificate::Verdict::failed)
    return result;
  result.isSuspicion = !mayConfirm;
  if (mayConfirm) {
    TANDEM_ASSIGN_OR_RETURN(
        result.certificate,
        certifier.confirm(result.inputs, result.eager, result.compiled,
                          [&] { return cancellations.load() > 0; }));
  }
  return result;
}

Status Engine::judge(const SignaturePtr &signature,
                     const Comparison &comparison, double tookNs) {
  const Certificate &certificate = comparison.certificate;
  if (certificate.verdict == Certificate::Verdict::failed)
    return contradict(signature, comparison, tookNs);
  if (certificate.verdict == Certificate::Verdict::undecided)
    return addUndecided(signature, comparison, tookNs);
  bool isPromoted = false;
  {
    ContentionTrackedLock lock(signature->mutex);
    ++signature->certificates;
    signature->fingerprint = fingerprint(comparison.inputs);
    Record &record = signature->record;
    if (!signature->prepared ||
        (record.state != State::compiled && record.state != State::provisional))
      return {};
    // Do not count certificates that are provisional because of values near
    // jumps: a program that is only wrong near jumps would always get such
    // certificates. A program that may be wrong on other inputs, because an
    // earlier certificate failed or was undecided, needs a certificate that is
    // passed.
    if (certificate.verdict == Certificate::Verdict::provisional &&
        certificate.reason != Certificate::Reason::nearJump &&
        !signature->certificateError)
      ++signature->provisional;
    isPromoted = certificate.verdict == Certificate::Verdict::passed ||
                 signature->provisional >= kProvisionalAreEnough;
    record.state = isPromoted ? State::promoted : State::provisional;
    if (isPromoted) {
      if (options.mode == Mode::automatic && isCapturable &&
          record.capture == Capture::unavailable)
        record.capture = Capture::untried;
      signature->certifier = nullptr;
      signature->certifying = nullptr;
    }
  }
  events.add(*signature,
             certificate.verdict == Certificate::Verdict::passed
                 ? EventKind::certified
                 : EventKind::provisional,
             certificate.str(), tookNs);
  if (!isPromoted)
    return {};
  events.add(*signature, EventKind::promoted, "");
  // The retried program has been promoted, so forget its demotions.
  updateProfile(signature,
                [](ProgramProfile &profile) { profile.demotions = 0; });
  return {};
}

Error Engine::errorOf(const std::string &what,
                      const Comparison &comparison) const {
  Error error{what + comparison.certificate.str(), "certify", {}, {}};
  const Compiler *compiler = store.compiler();
  auto written =
      writeReproducer({comparison.certificate, *store.program(),
                       compiler ? compiler->source() : "", comparison.inputs,
                       comparison.eager, comparison.compiled},
                      options.reproducerDir);
  error.hint = written ? "reproducer: " + *written
                       : "no reproducer: " + written.error().message;
  return error;
}

Status Engine::contradict(const SignaturePtr &signature,
                          const Comparison &comparison, double tookNs) {
  const Error error = errorOf(
      "what was compiled computes something else than eager: ", comparison);
  {
    ContentionTrackedLock lock(signature->mutex);
    ++signature->certificates;
    signature->certificateError = error;
  }
  return stayEager(signature, EventKind::contradicted, error, tookNs);
}

Status Engine::stayEager(const SignaturePtr &signature, EventKind kind,
                         const Error &error, double tookNs) {
  if (options.isStrict) {
    ContentionTrackedLock lock(signature->mutex);
    signature->contradiction = error;
  }
  refuse(signature, kind, error.str(), tookNs);
  if (options.isStrict)
    return tl::unexpected(error);
  return {};
}

Status Engine::addUndecided(const SignaturePtr &signature,
                            const Comparison &comparison, double tookNs) {
  const Error error =
      errorOf("what was compiled could not be certified: ", comparison);
  {
    ContentionTrackedLock lock(signature->mutex);
    ++signature->certificates;
    signature->certificateError = error;
    signature->undecidedFingerprint = fingerprint(comparison.inputs);
  }
  return countUndecided(signature, error, tookNs);
}

Status Engine::countUndecided(const SignaturePtr &signature, const Error &error,
                              double tookNs) {
  bool isLast = false;
  {
    ContentionTrackedLock lock(signature->mutex);
    Record &record = signature->record;
    record.addUndecidedCertificate();
    isLast = record.undecidedCertificates >= policy.maxUndecidedCertificates;
  }
  if (isLast)
    return stayEager(signature, EventKind::undecided, error, tookNs);
  events.add(*signature, EventKind::undecided, error.str(), tookNs);
  return {};
}
