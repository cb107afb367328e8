//===- Hindsight.cpp - What was best, once a stream is known --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/Hindsight.h"

#include <algorithm>

namespace tandem::bench {

using tiering::PolicyOptions;
using tiering::Replay;
using tiering::ReplayCall;
using tiering::ReplayMachine;
using tiering::ReplaySignature;

RecordedStream recordOf(const CallStream &stream,
                        std::span<const SignatureCosts> costs) {
  RecordedStream recorded;
  for (const SignatureCosts &one : costs)
    recorded.signatures.push_back(one.replaySignature());
  for (const StreamCall &call : stream) {
    const SignatureCosts &one = costs[call.signature];
    recorded.calls.push_back(
        {call.signature, one.eagerNs, one.compiledNs, call.gapNs});
  }
  return recorded;
}

double replayNs(const RecordedStream &stream, ReplayMachine machine,
                const PolicyOptions &policy) {
  Replay replay(machine, policy, stream.signatures);
  for (const ReplayCall &call : stream.calls)
    replay.call(call);
  return replay.busyNs();
}

namespace {

double replayPlan(RecordedStream &stream, ReplayMachine machine,
                  const PolicyOptions &policy,
                  const std::vector<bool> &isCompiled) {
  for (size_t s = 0; s < isCompiled.size(); ++s)
    stream.signatures[s].compileAtCall =
        isCompiled[s] ? 1 : PolicyOptions::kNever;
  return replayNs(stream, machine, policy);
}

/// By signature: what all its calls take eagerly, and compiled.
struct Sums {
  double eagerNs = 0, compiledNs = 0;
};

std::vector<Sums> sumsOf(const RecordedStream &stream) {
  std::vector<Sums> sums(stream.signatures.size());
  for (const ReplayCall &call : stream.calls) {
    sums[call.signature].eagerNs += call.eagerNs + call.onceNs;
    sums[call.signature].compiledNs += call.compiledNs;
  }
  return sums;
}

/// The best in hindsight if calls wait: signatures do not touch each other.
Hindsight bestBlocking(const RecordedStream &stream) {
  Hindsight best;
  best.isBlocking = true;
  const std::vector<Sums> sums = sumsOf(stream);
  for (size_t s = 0; s < sums.size(); ++s) {
    const double compiled = sums[s].compiledNs + stream.signatures[s].compileNs;
    best.isCompiled.push_back(compiled < sums[s].eagerNs);
    best.ns += std::min(compiled, sums[s].eagerNs);
  }
  return best;
}

Hindsight bestBeside(RecordedStream stream, ReplayMachine machine,
                     unsigned threads) {
  PolicyOptions policy;
  policy.compileThreads = threads;
  Hindsight best;
  for (const Sums &sum : sumsOf(stream))
    best.isCompiled.push_back(sum.compiledNs < sum.eagerNs);
  best.ns = replayPlan(stream, machine, policy, best.isCompiled);
  for (size_t s = 0; s < best.isCompiled.size(); ++s) {
    if (!best.isCompiled[s])
      continue;
    std::vector<bool> without = best.isCompiled;
    without[s] = false;
    const double ns = replayPlan(stream, machine, policy, without);
    if (ns >= best.ns)
      continue;
    best.isCompiled = std::move(without);
    best.ns = ns;
  }
  return best;
}

} // namespace

Hindsight bestInHindsight(const RecordedStream &stream, ReplayMachine machine,
                          unsigned threads) {
  Hindsight blocking = bestBlocking(stream);
  Hindsight beside = bestBeside(stream, machine, threads);
  return beside.ns < blocking.ns ? beside : blocking;
}

double regretBound(const RecordedStream &stream,
                   std::span<const SignatureCosts> costs,
                   ReplayMachine machine) {
  // Eager calls run beside the compilation, for as long as it takes.
  const double beside = machine.callerShare / machine.compileShare;
  double limit = 0, best = 0;
  const std::vector<Sums> sums = sumsOf(stream);
  for (size_t s = 0; s < sums.size(); ++s) {
    const SignatureCosts &one = costs[s];
    const double compile = stream.signatures[s].compileNs;
    const double own = std::min(sums[s].eagerNs, compile + sums[s].compiledNs);
    const double gain = one.eagerNs - one.compiledNs;
    // What the policy expects once e is known.
    tiering::Record known;
    known.predictedCompiledNs = one.predictedCompiledNs;
    known.predictedEagerNs = one.predictedEagerNs;
    known.addEager(one.eagerNs);
    const double hoped = one.eagerNs - known.expectedCompiledNs();
    best += own;
    limit += own;
    if (gain <= 0 || hoped <= 0)
      continue;
    const double off = one.predictedCompileNs * gain / hoped / compile;
    limit += std::max(off, 1 / off) * gain / one.eagerNs * own + gain +
             beside * compile * gain / one.eagerNs;
  }
  return limit / best;
}

} // namespace tandem::bench
