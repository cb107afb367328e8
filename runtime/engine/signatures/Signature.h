//===- Signature.h - What is known of the types of calls ------ -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_SIGNATURES_SIGNATURE_H
#define TANDEM_RUNTIME_ENGINE_SIGNATURES_SIGNATURE_H

#include "background/BackgroundQueue.h"
#include "engine/certificate/Certificate.h"
#include "engine/policy/Policy.h"
#include "engine/policy/TierStore.h"

#include "tandem/Runtime/Tiering.h"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>

namespace tandem::tiering {

/// The types of a function's calls, and all that is known of these calls.
struct Signature {
  /// `nowNs` is the time of the first use.
  Signature(Types types, double nowNs)
      : types(std::move(types)), lastUseNs(nowNs) {}

  const Types types;
  /// Whether the engine chooses tiers for calls of this signature. False if the
  /// signature has only been used with explicit tiers; reports then omit it.
  std::atomic<bool> isReported{false};

  /// The executors for these types. The engine and calls with an explicit tier
  /// share them. The alignment avoids false sharing: all threads read the
  /// types, and the following members change.
  alignas(64) SignatureExecutors executors;
  /// The time of the first use or of the last use with an explicit tier,
  /// whichever is later. Record::lastCallNs is the time of the last other call.
  std::atomic<double> lastUseNs;

  /// Guards all that follows; held for looking and noting, never while anything
  /// is compiled or run.
  mutable std::mutex mutex;
  Record record;
  /// What was compiled; null where nothing is.
  PreparedPtr prepared;
  /// The same as captured work, on trial or chosen; null where it is neither.
  PreparedPtr captured;
  /// How many runs its executor had captured when the last call was timed.
  uint64_t captures = 0;
  /// Whether the costs have been predicted, or are just being predicted. A
  /// prediction takes as long as a short call, and is of no use before e is
  /// known, so the first call makes none.
  bool isPredicted = false;
  /// The wall time of the compilation; `record` has its processor time.
  double compileWallNs = 0;
  /// The profile that is stored, or about to be stored, for other processes;
  /// and whether the profile that they have stored has been requested.
  ProgramProfile profile;
  bool isRecalled = false;
  std::vector<PhaseTime> phases;
  CompileIn compiledIn = CompileIn::thread;
  std::vector<Warning> warnings;
  /// The job that compiles it, while it waits or runs.
  JobPtr job;
  /// Whether a certificate is being made: one at a time.
  bool isCertifying = false;
  /// The certifier, made for the first certificate and kept until promotion;
  /// and the executor of its program, if that is not the eager program.
  std::shared_ptr<const Certifier> certifier;
  PreparedPtr certifying;
  /// What calls fail with, where the options are strict.
  std::optional<Error> contradiction;
  /// The error of the latest certificate that failed or was undecided, with its
  /// reproducer; and the fingerprint of the latest inputs that were undecided.
  std::optional<Error> certificateError;
  uint64_t undecidedFingerprint = 0;
  /// Certificates that have passed on inputs that prove little, and the
  /// fingerprint of the last of these inputs.
  int provisional = 0;
  uint64_t fingerprint = 0;
  /// Whether it was forgotten; what still runs for it changes nothing.
  bool isEvicted = false;
  uint64_t compiledCalls = 0, capturedCalls = 0, certificates = 0;
  std::deque<TieringEvent> events;
  static constexpr size_t kMaxEvents = 64;

  SignatureReport report() const;
};

using SignaturePtr = std::shared_ptr<Signature>;

/// The signatures of a function, by the types of the inputs. Everything that is
/// known or was compiled for these types is a part of the signature. The table
/// has no limit of its own: Engine::makeRoom selects the signatures to evict.
/// Thread-safe: threads that look up different signatures seldom wait for each
/// other.
class SignatureTable {
public:
  /// Returns null if there is no signature for these types or inputs.
  SignaturePtr find(std::span<const TensorType> types) const;
  SignaturePtr find(std::span<const Tensor> inputs) const;
  /// Adds the signature unless there is one of the same types. Returns the one
  /// that is then in the table.
  SignaturePtr add(SignaturePtr signature);
  /// Removes the signature. Has no effect if another thread has done so.
  void erase(const SignaturePtr &signature);
  std::vector<SignaturePtr> all() const;
  size_t size() const { return count.load(std::memory_order_relaxed); }

private:
  using Shard = exec::TypesTable<Signature, ContentionTrackedLock>;
  template <typename Key> Shard &shardOf(Key key) const {
    return shards[exec::TypesHash()(key) % shards.size()];
  }

  mutable std::array<Shard, 16> shards;
  std::atomic<size_t> count{0};
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_SIGNATURES_SIGNATURE_H
