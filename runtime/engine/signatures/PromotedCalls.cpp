//===- PromotedCalls.cpp - Promoted signatures, by thread -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/signatures/PromotedCalls.h"

#include "tandem/Support/ThreadNumber.h"

using namespace tandem;
using namespace tandem::tiering;

void PromotedSignature::flush() {
  if (pending == 0)
    return;
  ContentionTrackedLock lock(signature->mutex);
  signature->record.addCalls(pending, lastCallNs);
  const bool isCaptured = signature->captured == prepared;
  signature->capturedCalls += isCaptured ? pending : 0;
  signature->compiledCalls += std::exchange(pending, 0);
  // Unless it has been demoted since, or dropped.
  TimeEstimate &estimate =
      isCaptured ? signature->record.captured : signature->record.compiled;
  if (isCaptured || signature->prepared == prepared)
    for (size_t i = 0; i < timed; ++i)
      estimate.add(times[i]);
  timed = 0;
}

PromotedCalls::Copy::~Copy() {
  for (auto &[signature, promoted] : signatures)
    promoted.flush();
}

PromotedCalls::Share &PromotedCalls::ownShare() {
  return shares[threadNumber() % shares.size()];
}

PromotedCalls::CopyPtr PromotedCalls::take() {
  CopyPtr copy = ownShare().take();
  if (copy && copy->generation != generation()) [[unlikely]]
    copy = nullptr;
  return copy;
}

void PromotedCalls::put(CopyPtr copy) {
  const uint64_t generation = copy->generation;
  Copy *none = nullptr;
  if (!ownShare().copy.compare_exchange_strong(none, copy.get()))
    return; // Another thread has put one there.
  (void)copy.release();
  // If it was invalidated just now, whoever did may not have found it.
  if (generation != this->generation()) [[unlikely]]
    flushAll();
}

PromotedCalls::Call::Call(PromotedCalls &calls, std::span<const Tensor> inputs,
                          double nowNs)
    : calls(calls), copy(calls.take()) {
  if (!copy)
    return;
  auto found = copy->signatures.find(inputs);
  if (found == copy->signatures.end())
    return;
  PromotedSignature &promoted = found->second;
  if (promoted.pending + 1 == PromotedSignature::kFlushEvery) {
    promoted.flush();
    return;
  }
  ++promoted.pending;
  promoted.lastCallNs = nowNs;
  known = &promoted;
}

PromotedCalls::Call::~Call() {
  if (copy)
    calls.put(std::move(copy));
}

void PromotedCalls::add(const SignaturePtr &signature, PreparedPtr prepared,
                        uint64_t generation) {
  CopyPtr copy = take();
  if (!copy)
    copy = std::make_unique<Copy>(generation);
  if (copy->generation == generation)
    copy->signatures.try_emplace(signature, signature, std::move(prepared));
  put(std::move(copy));
}

void PromotedCalls::flushAll() {
  for (Share &share : shares)
    share.take();
}
