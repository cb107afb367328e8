//===- PromotedCalls.h - Promoted signatures, by thread ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_SIGNATURES_PROMOTEDCALLS_H
#define TANDEM_RUNTIME_ENGINE_SIGNATURES_PROMOTEDCALLS_H

#include "engine/signatures/Signature.h"

namespace tandem::tiering {

/// A thread's copy of what it needs to call a promoted signature. It keeps the
/// program alive.
struct PromotedSignature {
  /// One call in so many is timed: a clock costs as much as a twentieth of the
  /// shortest call.
  static constexpr uint64_t kTimedEvery = 16;
  /// One call in this many uses the signature's record, and adds the pending
  /// calls to it. Threads that call the same signature contend for the record
  /// then.
  static constexpr uint64_t kFlushEvery = 128;

  SignaturePtr signature;
  PreparedPtr prepared;
  /// The number of calls that have not been added to the signature's record
  /// yet, and the time at which the last of them began.
  uint64_t pending = 0;
  double lastCallNs = 0;
  /// The times of those that were timed.
  std::array<double, kFlushEvery / kTimedEvery> times;
  size_t timed = 0;

  /// Counts these calls in the record.
  void flush();
};

/// Copies of the promoted part of a SignatureTable, each used by one thread at
/// a time. Calls that find their signature there, except for one in
/// PromotedSignature::kFlushEvery, take no lock and write to no memory that
/// other threads use. Thread-safe.
///
/// A member of the signature could not replace the copies: a thread would have
/// to lock the table to find the signature, and to write to the signature to
/// keep it alive. The copies store no types and need no limit: whenever the
/// engine evicts a signature, it discards all copies.
class PromotedCalls {
  using ByTypes = exec::TypesMap<Signature, PromotedSignature>;
  struct Copy {
    explicit Copy(uint64_t generation) : generation(generation) {}
    /// Tells the records.
    ~Copy();
    /// PromotedCalls::generation when it was begun.
    const uint64_t generation;
    ByTypes signatures;
  };
  using CopyPtr = std::unique_ptr<Copy>;

public:
  PromotedCalls() = default;
  PromotedCalls(const PromotedCalls &) = delete;
  ~PromotedCalls() { flushAll(); }

  /// A call of a signature that the calling thread has a copy of. The copy is
  /// the call's own until this ends.
  class Call {
  public:
    Call(PromotedCalls &calls, std::span<const Tensor> inputs, double nowNs);
    ~Call();
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;
    /// Whether the signature is known, and the call need not go by its record.
    explicit operator bool() const { return known; }
    const PromotedSignature *operator->() const { return known; }
    /// Whether the call is to be timed.
    bool isTimed() const {
      return known->pending % PromotedSignature::kTimedEvery == 0;
    }
    void addTime(double ns) { known->times[known->timed++] = ns; }

  private:
    PromotedCalls &calls;
    CopyPtr copy;
    PromotedSignature *known = nullptr;
  };

  /// Changes whenever what was added may not be run any more.
  uint64_t generation() const { return present.load(); }
  /// Has all threads forget what they know, by their next calls.
  void invalidate() { ++present; }
  /// Makes this thread's next calls of the signature run `prepared`, if the
  /// generation is still `generation`, at which the signature's record was
  /// read.
  void add(const SignaturePtr &signature, PreparedPtr prepared,
           uint64_t generation);
  /// Adds the pending calls of all copies to their records, and discards the
  /// copies, except those that a thread is just using. No lock of a signature
  /// may be held.
  void flushAll();

private:
  /// A slot for a copy, in a cache line of its own. If there are more threads
  /// than slots, two threads use one in turn.
  struct alignas(64) Share {
    std::atomic<Copy *> copy{nullptr};
    CopyPtr take() { return CopyPtr(copy.exchange(nullptr)); }
  };

  Share &ownShare();
  /// The calling thread's copy; null where there is none, or it was invalid.
  CopyPtr take();
  void put(CopyPtr copy);

  std::atomic<uint64_t> present{0};
  std::array<Share, 64> shares;
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_SIGNATURES_PROMOTEDCALLS_H
