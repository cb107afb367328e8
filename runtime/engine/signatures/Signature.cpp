//===- Signature.cpp - What is known of the types of calls ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/signatures/Signature.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::tiering;

size_t SignatureTable::Hash::operator()(std::span<const Tensor> inputs) const {
  size_t hash = inputs.size();
  for (const Tensor &input : inputs)
    hash = add(hash, input.type());
  return hash;
}

bool SignatureTable::Equal::operator()(std::span<const Tensor> a,
                                       const Types &b) const {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tensor &tensor, const TensorType &type) {
                      return tensor.type() == type;
                    });
}

SignaturePtr SignatureTable::find(std::span<const Tensor> inputs) const {
  Shard &shard = shardOf(Hash()(inputs));
  ContentionTrackedLock lock(shard.mutex);
  auto found = shard.byTypes.find(inputs);
  return found == shard.byTypes.end() ? nullptr : found->second;
}

SignaturePtr SignatureTable::findOrAdd(const Types &types, bool &isNew) {
  Shard &shard = shardOf(Hash()(types));
  ContentionTrackedLock lock(shard.mutex);
  auto [entry, isAdded] = shard.byTypes.try_emplace(types);
  if ((isNew = isAdded)) {
    entry->second = std::make_shared<Signature>(types);
    ++count;
  }
  return entry->second;
}

void SignatureTable::erase(const Types &types) {
  Shard &shard = shardOf(Hash()(types));
  ContentionTrackedLock lock(shard.mutex);
  count -= shard.byTypes.erase(types);
}

std::vector<SignaturePtr> SignatureTable::all() const {
  std::vector<SignaturePtr> signatures;
  for (const Shard &shard : shards) {
    ContentionTrackedLock lock(shard.mutex);
    for (const auto &[types, signature] : shard.byTypes)
      signatures.push_back(signature);
  }
  return signatures;
}

static CallTime timeOf(const TimeEstimate &estimate) {
  return {estimate.ns(), estimate.spreadNs(), estimate.samples()};
}

SignatureReport Signature::report() const {
  ContentionTrackedLock lock(mutex);
  SignatureReport report;
  report.inputs = types;
  report.state = record.state;
  report.tier = record.state != State::promoted     ? Tier::eager
                : record.capture == Capture::chosen ? Tier::captured
                                                    : Tier::compiled;
  report.calls = record.calls;
  report.compiledCalls = compiledCalls;
  report.capturedCalls = capturedCalls;
  report.certificates = certificates;
  report.undecidedCertificates = record.undecidedCertificates;
  report.certificateError = certificateError;
  report.eager = timeOf(record.eager);
  report.compiled = timeOf(record.compiled);
  report.captured = timeOf(record.captured);
  report.captureNs = record.captureNs;
  report.predictedCompileNs = record.predictedCompileNs;
  report.predictedCompiledNs = record.correctedCompiledNs();
  report.compileNs = record.compileNs;
  report.compileWallNs = compileWallNs;
  report.phases = phases;
  report.compiledIn = compiledIn;
  report.warnings = warnings;
  report.residentBytes = record.residentBytes;
  report.events.assign(events.begin(), events.end());
  return report;
}
