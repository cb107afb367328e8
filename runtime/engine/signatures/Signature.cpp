//===- Signature.cpp - What is known of the types of calls ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine/signatures/Signature.h"

using namespace tandem;
using namespace tandem::tiering;

SignaturePtr SignatureTable::find(std::span<const TensorType> types) const {
  return shardOf(types).find(types);
}

SignaturePtr SignatureTable::find(std::span<const Tensor> inputs) const {
  return shardOf(inputs).find(inputs);
}

SignaturePtr SignatureTable::add(SignaturePtr signature) {
  SignaturePtr kept = shardOf(signature).add(signature);
  count += kept == signature;
  return kept;
}

void SignatureTable::erase(const SignaturePtr &signature) {
  count -= shardOf(signature).erase(signature);
}

std::vector<SignaturePtr> SignatureTable::all() const {
  std::vector<SignaturePtr> signatures;
  for (const Shard &shard : shards)
    shard.appendTo(signatures);
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
