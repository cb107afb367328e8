//===- Engine.h - Chooses the tier of each call --------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_ENGINE_H
#define TANDEM_RUNTIME_ENGINE_ENGINE_H

#include "engine/signatures/EventLog.h"
#include "engine/signatures/PromotedCalls.h"

#include "tandem/Runtime/PhaseTimes.h"

namespace tandem::tiering {

/// What tests put in the place of an engine's clock and policy, to force
/// changes of tier without waiting for them. Empty functions stand for the real
/// ones. Any thread may call them, `decide` while it holds a lock of the
/// engine.
struct EngineSeams {
  /// Nanoseconds since the engine was created; must not go back.
  std::function<double()> clock;
  /// Replaces tiering::decide. The engine ignores decisions that the state of
  /// the signature does not allow.
  std::function<Decision(const Record &, const Conditions &,
                         const PolicyOptions &)>
      decide;
};

/// Runs a function's calls, each in the tier that pays for its signature
/// (docs/Engine.md). Thread-safe. No lock is held while anything is compiled or
/// run.
class Engine {
public:
  /// `store` must outlive the engine. `options` replace the limits of `policy`.
  Engine(TierStore &store, TieringOptions options, PolicyOptions policy = {},
         EngineSeams seams = {});
  /// Cancels compilations as `cancel` does.
  ~Engine();

  /// Writes the outputs into the tensors `given` where a program runs; a call
  /// that makes a certificate returns tensors of its own.
  Expected<std::vector<Tensor>> call(std::span<const Tensor> inputs,
                                     std::span<const Tensor> given = {});
  /// Returns the executor of a tier for inputs of these types, and makes it if
  /// there is none. Reports do not count this use of the signature.
  Expected<PreparedPtr> prepare(std::span<const TensorType> inputs, Tier tier);
  /// Has these signatures compiled in the background, before all others.
  Status compileAhead(std::span<const Types> signatures);
  /// Waits until nothing is compiled or certified in the background.
  void wait();
  /// Cancels what waits to be compiled, and what is compiled in a helper
  /// process; waits for what is compiled on a thread of this one.
  void cancel();
  FunctionReport report() const;

private:
  /// How one call runs.
  struct CallPlan {
    /// The program that the call runs; null stands for eager.
    PreparedPtr compiled;
    /// Whether that is captured work.
    bool isCaptured = false;
    bool isTimed = true;
    /// Whether later calls of the signature can skip the record.
    bool entersPromotedCalls = false;
    /// When it began to run, and how many background jobs had ended by then.
    double startNs = 0;
    uint64_t endedJobs = 0;
    bool carriesCertificate = false;
    /// Whether a new certificate may be made. Otherwise the call only runs what
    /// was compiled if its inputs are known to agree.
    bool isCertificateDue = true;
    /// Whether it compiles first, and waits for that.
    bool mustCompile = false;
    /// The error that the call returns.
    std::optional<Error> contradiction;
    /// The decision of the policy when the call began.
    Decision decision;
  };
  class CompileJob;
  class CertificateJob;
  class CaptureJob;
  class ProfileJob;

  Expected<SignaturePtr> findSignature(std::span<const Tensor> inputs);
  /// Returns the signature of a call whose tier the engine chooses.
  Expected<SignaturePtr> addSignature(std::span<const TensorType> types);
  /// Returns the signature of these types, and adds it if there is none.
  Expected<SignaturePtr> findOrAdd(std::span<const TensorType> types);
  bool mustCompile(State state) const;
  CallPlan beginCall(Signature &signature);
  Conditions conditions(double nowNs) const;
  /// Asks the policy. The signature's lock must be held.
  Decision decide(const Record &record, const Conditions &conditions) const;
  Decision decideNow(const Signature &signature) const;
  void apply(const SignaturePtr &signature, const Decision &decision);
  /// Waits until the device is idle, before a timed run begins or after it.
  /// Does nothing on the host.
  Status waitForDevice();
  Expected<std::vector<Tensor>> runEager(std::span<const Tensor> inputs,
                                         std::span<const Tensor> given = {});
  Expected<std::vector<Tensor>> runPlan(const SignaturePtr &signature,
                                        CallPlan plan,
                                        std::span<const Tensor> inputs,
                                        std::span<const Tensor> given = {});
  Expected<std::vector<Tensor>> runCompiled(const SignaturePtr &signature,
                                            const PreparedTier &prepared,
                                            std::span<const Tensor> inputs,
                                            std::span<const Tensor> given);
  Expected<std::vector<Tensor>> runPromoted(PromotedCalls::Call &call,
                                            std::span<const Tensor> inputs,
                                            std::span<const Tensor> given);
  void endCall(const SignaturePtr &signature, const CallPlan &plan, double ns);

  /// Once per signature.
  void predict(Signature &signature);
  void enqueue(const SignaturePtr &signature, std::string reason,
               bool isUrgent = false);
  /// Updates the place of the signature's job in the queue from its record. The
  /// signature's lock must be held.
  void updateJob(Signature &signature);
  void cancelled(Signature &signature, std::string reason);
  /// Returns false if the compilation is no longer worthwhile.
  bool beginCompiling(const SignaturePtr &signature);
  /// Compiles now; `plan` then runs the program, or makes its certificate. In
  /// mode compile, fails if the program cannot be compiled.
  Status compileInCall(const SignaturePtr &signature, CallPlan &plan);
  void retry(const SignaturePtr &signature, std::string reason);
  /// Compiles now. `background`, unless it is null, interrupts a compilation
  /// that no call waits for.
  Status compile(const SignaturePtr &signature,
                 const std::stop_source *background);
  void adopt(const SignaturePtr &signature, PreparedPtr prepared, double costNs,
             double tookNs);
  void refuse(const SignaturePtr &signature, EventKind kind, std::string reason,
              double tookNs = 0);
  /// Adds to the bytes that the programs of the signature hold. The signature's
  /// lock must be held.
  void addResidentBytes(Signature &signature, int64_t bytes);
  /// Forgets what was compiled for it. Its lock must be held.
  void drop(Signature &signature);
  /// Drops what is beyond the options' limits.
  void makeRoom();
  void evict(const SignaturePtr &signature, bool isWhole);

  // For other processes:
  /// Loads what earlier processes measured; once per signature, on a
  /// background thread.
  void loadProfile(Signature &signature);
  /// Changes the stored profile of the signature. No lock may be held.
  void updateProfile(const SignaturePtr &signature,
                     const std::function<void(ProgramProfile &)> &change);

  // Captured work:
  void enqueueCapture(const SignaturePtr &signature);
  /// Prepares what was compiled to run as captured work, on trial.
  void capture(const SignaturePtr &signature);
  void adoptCaptured(Signature &signature, std::string reason);
  /// Returns the signature to the compiled tier for good.
  void release(const SignaturePtr &signature, std::string reason);
  /// Returns the signature to the compiled tier because the captured program
  /// was not faster.
  void releaseSlower(const SignaturePtr &signature, std::string reason);
  /// Forgets the captured program. Its lock must be held.
  void dropCaptured(Signature &signature);
  /// A captured call has ended. Its lock must be held.
  void endCaptured(Signature &signature, const PreparedTier &captured,
                   double ns);

  // Certificates:
  struct Comparison {
    Certificate certificate;
    /// Whether the result exceeds the tolerance, which must still be confirmed
    /// by error bounds.
    bool isSuspicion = false;
    /// In the host's memory.
    std::vector<Tensor> inputs, eager, compiled;
  };
  Expected<std::vector<Tensor>> certifyingCall(const SignaturePtr &signature,
                                               CallPlan plan,
                                               std::span<const Tensor> inputs);
  Expected<bool> areInputsNew(const SignaturePtr &signature, CallPlan &plan,
                              std::span<const Tensor> inputs);
  bool certifyInBackground(const SignaturePtr &signature,
                           std::span<const Tensor> inputs);
  Expected<std::shared_ptr<const Certifier>> certifierOf(Signature &signature);
  Expected<std::vector<Tensor>> runCertifying(Signature &signature,
                                              const Certifier &certifier,
                                              std::span<const Tensor> inputs);
  /// Runs both tiers and compares them. `*outputs`, unless it is null, becomes
  /// eager's. Fails where eager does, and for a contradiction where the options
  /// ask for that.
  Status certify(const SignaturePtr &signature, std::span<const Tensor> inputs,
                 bool mayConfirm, std::vector<Tensor> *outputs);
  Expected<Comparison> compare(const Certifier &certifier,
                               std::span<const Tensor> inputs,
                               std::span<const Tensor> eager,
                               std::span<const Tensor> compiled,
                               bool mayConfirm);
  Status judge(const SignaturePtr &signature, const Comparison &comparison,
               double tookNs);
  /// Writes the reproducer of a certificate that was not passed. The error says
  /// `what`, then the certificate.
  Error errorOf(const std::string &what, const Comparison &comparison) const;
  Status contradict(const SignaturePtr &signature, const Comparison &comparison,
                    double tookNs);
  Status addUndecided(const SignaturePtr &signature,
                      const Comparison &comparison, double tookNs);
  /// Counts a certificate that was undecided with `error`, or one that would be
  /// undecided because its inputs equal those of the last undecided one. After
  /// too many, the signature stays eager, and calls fail if the options are
  /// strict.
  Status countUndecided(const SignaturePtr &signature, const Error &error,
                        double tookNs);
  /// Runs the signature eagerly for good.
  Status stayEager(const SignaturePtr &signature, EventKind kind,
                   const Error &error, double tookNs);

  TierStore &store;
  const TieringOptions options;
  PolicyOptions policy;
  const EngineSeams seams;
  EventLog events;
  SignatureTable table;
  mutable PromotedCalls promotedCalls;
  std::atomic<uint64_t> evicted{0};
  /// The sum of what compiled programs hold.
  std::atomic<int64_t> residentBytes{0};
  /// How many calls of `cancel` there are at the moment.
  std::atomic<int> cancellations{0};
  /// Whether programs of this graph can run as captured work on this device.
  std::atomic<bool> isCapturable;
  /// The eager tier's executor; null before the first call.
  std::atomic<const PreparedTier *> eager{nullptr};
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_ENGINE_H
