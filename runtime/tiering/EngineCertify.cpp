//===- EngineCertify.cpp - Certificates before a swap ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

using namespace tandem;
using namespace tandem::tiering;

/// So many certificates that prove little, on different inputs, are proof
/// enough: some graphs are never called with anything else.
static constexpr int kProvisionalAreEnough = 3;

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
    // The cores are the callers'.
    runOnOneThread([&] {
      (void)engine.certify(signature, inputs, /*mayConfirm=*/true, nullptr);
    });
  }
  void cancel() override {
    NotedLock lock(signature->mutex);
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
  TANDEM_RETURN_IF_ERROR(stream.synchronise());
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

/// What was compiled, where a provisional certificate has passed on inputs like
/// these; else null. In the first case no certificate is made.
Expected<PreparedPtr> Engine::knownToAgree(Signature &signature,
                                           std::span<const Tensor> inputs) {
  {
    NotedLock lock(signature.mutex);
    if (signature.record.state != State::provisional)
      return nullptr;
  }
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> here,
                          copyToHost(inputs, store.stream()));
  TANDEM_RETURN_IF_ERROR(store.stream().synchronise());
  const uint64_t present = fingerprint(here);
  NotedLock lock(signature.mutex);
  if (present != signature.fingerprint || !signature.prepared)
    return nullptr;
  signature.isCertifying = false;
  ++signature.compiledCalls;
  return signature.prepared;
}

Expected<std::vector<Tensor>>
Engine::certifyingCall(const SignaturePtr &signature, Turn turn,
                       std::span<const Tensor> inputs) {
  TANDEM_ASSIGN_OR_RETURN(turn.compiled, knownToAgree(*signature, inputs));
  if (turn.compiled || (options.mode == Mode::automatic &&
                        bytesOf(inputs) <= options.maxCertificateBytes &&
                        certifyInBackground(signature, inputs))) {
    turn.startNs = books.now();
    return runTurn(signature, turn, inputs);
  }
  std::vector<Tensor> outputs;
  TANDEM_RETURN_IF_ERROR(
      certify(signature, inputs, options.mode == Mode::compileNow, &outputs));
  return outputs;
}

/// Eager's outputs, and behind them what the certificate needs to know.
Expected<std::vector<Tensor>>
Engine::runCertifying(Signature &signature, const Certifier &certifier,
                      std::span<const Tensor> inputs) {
  if (certifier.program() == store.program())
    return runEager(inputs);
  PreparedPtr prepared;
  {
    NotedLock lock(signature.mutex);
    prepared = signature.certifying;
  }
  if (!prepared) {
    TANDEM_ASSIGN_OR_RETURN(PreparedTier made,
                            interpretTier(certifier.program(), Tier::eager,
                                          store.executorOptions()));
    prepared = std::make_shared<const PreparedTier>(std::move(made));
    NotedLock lock(signature.mutex);
    signature.certifying = prepared;
  }
  return store.run(*prepared, Tier::eager, inputs);
}

Expected<std::shared_ptr<const Certifier>>
Engine::certifierOf(Signature &signature) {
  {
    NotedLock lock(signature.mutex);
    if (signature.certifier)
      return signature.certifier;
  }
  TANDEM_ASSIGN_OR_RETURN(
      Certifier made,
      Certifier::create(store.program(), signature.types,
                        store.executorOptions().libraries.precision));
  NotedLock lock(signature.mutex);
  return signature.certifier =
             std::make_shared<const Certifier>(std::move(made));
}

namespace {
/// Allows another certificate of the signature when this one is made.
struct CertificateScope {
  Signature &signature;
  ~CertificateScope() {
    NotedLock lock(signature.mutex);
    signature.isCertifying = false;
  }
};
} // namespace

Status Engine::certify(const SignaturePtr &signature,
                       std::span<const Tensor> inputs, bool mayConfirm,
                       std::vector<Tensor> *outputs) {
  CertificateScope scope{*signature};
  const double start = books.now();
  TANDEM_ASSIGN_OR_RETURN(auto certifier, certifierOf(*signature));
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> eager,
                          runCertifying(*signature, *certifier, inputs));
  if (outputs)
    outputs->assign(eager.begin(),
                    eager.begin() + store.program()->outputs.size());
  PreparedPtr prepared;
  {
    NotedLock lock(signature->mutex);
    prepared = signature->prepared;
  }
  if (!prepared) // It has gone meanwhile.
    return {};
  auto compiled = store.run(*prepared, Tier::compiled, inputs);
  Expected<Comparison> comparison =
      compiled ? compare(*certifier, inputs, eager, *compiled, mayConfirm)
               : tl::unexpected(compiled.error());
  books.addSpan("certificate", "certificate", start, signature->types);
  if (!comparison && cancellations > 0) // It says nothing of the program.
    return {};
  if (!comparison) {
    refuse(signature, EventKind::failed, comparison.error().str(),
           books.now() - start);
    return {};
  }
  if (comparison->isSuspicion && certifyInBackground(signature, inputs))
    return {};
  return judge(signature, *comparison, books.now() - start);
}

/// What exceeds the tolerance is confirmed by the error bounds of these inputs,
/// which takes the time of many runs: not in a call.
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
  TANDEM_RETURN_IF_ERROR(stream.synchronise());
  result.certificate =
      certifier.certify(result.inputs, result.eager, result.compiled);
  if (result.certificate.verdict != Certificate::Verdict::failed)
    return result;
  result.isSuspicion = !mayConfirm;
  if (mayConfirm) {
    TANDEM_ASSIGN_OR_RETURN(
        result.certificate,
        certifier.confirm(result.inputs, result.compiled,
                          [&] { return cancellations.load() > 0; }));
  }
  return result;
}

Status Engine::judge(const SignaturePtr &signature,
                     const Comparison &comparison, double tookNs) {
  const Certificate &certificate = comparison.certificate;
  if (certificate.verdict == Certificate::Verdict::failed)
    return contradict(signature, comparison, tookNs);
  bool isPromoted = false;
  {
    NotedLock lock(signature->mutex);
    ++signature->certificates;
    signature->fingerprint = fingerprint(comparison.inputs);
    Record &record = signature->record;
    if (!signature->prepared ||
        (record.state != State::compiled && record.state != State::provisional))
      return {};
    // A program that is wrong near jumps alone would always look like this.
    if (certificate.verdict == Certificate::Verdict::provisional &&
        certificate.reason != Certificate::Reason::nearJump)
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
  books.note(*signature,
             certificate.verdict == Certificate::Verdict::passed
                 ? EventKind::certified
                 : EventKind::provisional,
             certificate.str(), tookNs);
  if (!isPromoted)
    return {};
  books.note(*signature, EventKind::promoted, "");
  // It has been worth another try.
  note(signature, [](ProgramFindings &findings) { findings.demotions = 0; });
  return {};
}

Status Engine::contradict(const SignaturePtr &signature,
                          const Comparison &comparison, double tookNs) {
  Error error{"what was compiled computes something else than eager: " +
                  comparison.certificate.str(),
              "certify",
              {},
              {}};
  const Compiler *compiler = store.compiler();
  auto written =
      writeReproducer({comparison.certificate, *store.program(),
                       compiler ? compiler->source() : "", comparison.inputs,
                       comparison.eager, comparison.compiled},
                      options.reproducerDir);
  error.hint = written ? "reproducer: " + *written
                       : "no reproducer: " + written.error().message;
  {
    NotedLock lock(signature->mutex);
    ++signature->certificates;
    if (options.isStrict)
      signature->contradiction = error;
  }
  refuse(signature, EventKind::contradicted, error.str(), tookNs);
  if (options.isStrict)
    return tl::unexpected(std::move(error));
  return {};
}
