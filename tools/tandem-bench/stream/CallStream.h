//===- CallStream.h - Streams of calls of a graph ------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STREAM_CALLSTREAM_H
#define TANDEM_TOOLS_TANDEM_BENCH_STREAM_CALLSTREAM_H

#include "engine/policy/Replay.h"

#include "tandem/Measure/Vary.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::bench {

/// A call of a stream: the index of its signature, and how long the caller does
/// something else before it, in nanoseconds.
struct StreamCall {
  size_t signature = 0;
  double gapNs = 0;
};
using CallStream = std::vector<StreamCall>;

/// What is known of a signature before streams are made of it, in nanoseconds:
/// e, c and C as measured, and Ĉ, ĉ and e as the compiler predicts them.
struct SignatureCosts {
  double eagerNs = 0, compiledNs = 0, compileNs = 0;
  double predictedCompileNs = 0, predictedCompiledNs = 0;
  double predictedEagerNs = 0;

  tiering::ReplaySignature replaySignature() const;

  /// n*; where compiling never pays, the number of eager calls in C.
  double breakEvenCalls() const;
};

/// "constant", "zipf", "drift", "bursts", "adversarial".
std::span<const std::string_view> streamKinds();
/// Whether streams of this kind have the length that is asked for; adversaries
/// choose theirs.
bool hasLength(std::string_view kind);

/// Makes a stream over some signatures. The signature that is called most often
/// is called `length` · n* times, but at least once:
/// - constant: the first signature, always;
/// - zipf: the k-th signature, at random, with a frequency in proportion to
///   1/k;
/// - drift: one signature after another, each blending into the next;
/// - bursts: the signatures take turns, n*/8 calls at a time, and pause before
///   each turn for as long as it takes eagerly;
/// - adversarial: each signature in turn, until the policy runs it compiled
///   for the first time on the virtual clock, and then never again. `length`
///   does not matter.
/// `costs` must not be empty. The same seed makes the same stream.
CallStream makeStream(std::string_view kind,
                      std::span<const SignatureCosts> costs, double length,
                      tiering::ReplayMachine machine,
                      const tiering::PolicyOptions &policy, uint64_t seed);

/// A stream that was recorded: the sizes of the named dims of each signature,
/// in the order of their first calls, and the calls.
struct StreamTrace {
  std::vector<measure::DimSizes> signatures;
  CallStream calls;
};

/// Reads JSON lines `{"dims": {"n": 64}, "gap_ns": 0}`, a call each; `gap_ns`
/// may be left out. Errors (phase "trace") name the line.
Expected<StreamTrace> parseTrace(std::string_view text);
/// The text that parseTrace reads.
std::string printTrace(const StreamTrace &trace);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STREAM_CALLSTREAM_H
