//===- SettledCalls.cpp - Promoted signatures, by thread ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/signatures/SettledCalls.h"

#include "tandem/Support/ThreadNumber.h"

using namespace tandem;
using namespace tandem::tiering;

void SettledSignature::tell() {
  if (untold == 0)
    return;
  NotedLock lock(signature->mutex);
  signature->record.addCalls(untold, lastCallNs);
  const bool isCaptured = signature->captured == prepared;
  signature->capturedCalls += isCaptured ? untold : 0;
  signature->compiledCalls += std::exchange(untold, 0);
  // Unless it has been demoted since, or dropped.
  TimeEstimate &estimate =
      isCaptured ? signature->record.captured : signature->record.compiled;
  if (isCaptured || signature->prepared == prepared)
    for (size_t i = 0; i < timed; ++i)
      estimate.add(times[i]);
  timed = 0;
}

SettledCalls::Copy::~Copy() {
  for (auto &[types, settled] : signatures)
    settled.tell();
}

SettledCalls::Share &SettledCalls::ownShare() {
  return shares[threadNumber() % shares.size()];
}

SettledCalls::CopyPtr SettledCalls::take() {
  CopyPtr copy = ownShare().take();
  if (copy && copy->generation != generation()) [[unlikely]]
    copy = nullptr;
  return copy;
}

void SettledCalls::put(CopyPtr copy) {
  const uint64_t generation = copy->generation;
  Copy *none = nullptr;
  if (!ownShare().copy.compare_exchange_strong(none, copy.get()))
    return; // Another thread has put one there.
  (void)copy.release();
  // If it was invalidated just now, whoever did may not have found it.
  if (generation != this->generation()) [[unlikely]]
    tellAll();
}

SettledCalls::Call::Call(SettledCalls &calls, std::span<const Tensor> inputs,
                         double nowNs)
    : calls(calls), copy(calls.take()) {
  if (!copy)
    return;
  auto found = copy->signatures.find(inputs);
  if (found == copy->signatures.end())
    return;
  SettledSignature &settled = found->second;
  if (settled.untold + 1 == SettledSignature::kToldEvery) {
    settled.tell();
    return;
  }
  ++settled.untold;
  settled.lastCallNs = nowNs;
  known = &settled;
}

SettledCalls::Call::~Call() {
  if (copy)
    calls.put(std::move(copy));
}

void SettledCalls::add(const SignaturePtr &signature, PreparedPtr prepared,
                       uint64_t generation) {
  CopyPtr copy = take();
  if (!copy)
    copy = std::make_unique<Copy>(generation);
  if (copy->generation == generation)
    copy->signatures.try_emplace(signature->types, signature,
                                 std::move(prepared));
  put(std::move(copy));
}

void SettledCalls::tellAll() {
  for (Share &share : shares)
    share.take();
}
