//===- Hindsight.h - What was best, once a stream is known ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STREAM_HINDSIGHT_H
#define TANDEM_TOOLS_TANDEM_BENCH_STREAM_HINDSIGHT_H

#include "stream/CallStream.h"

namespace tandem::bench {

/// A stream of calls with the times that were recorded of it.
struct RecordedStream {
  std::vector<tiering::ReplaySignature> signatures;
  std::vector<tiering::ReplayCall> calls;
};

/// A stream in which all calls of a signature take the same.
RecordedStream recordOf(const CallStream &stream,
                        std::span<const SignatureCosts> costs);

/// The time of all calls on the virtual clock, in nanoseconds.
double replayNs(const RecordedStream &stream, tiering::ReplayMachine machine,
                const tiering::PolicyOptions &policy);

/// The best that could have been done: each signature is compiled at its first
/// call, or never.
struct Hindsight {
  /// By signature.
  std::vector<bool> isCompiled;
  /// Whether the first call waits for the compilation.
  bool isBlocking = false;
  /// The time of all calls.
  double ns = 0;
};

/// Finds it on the virtual clock. Exact where the calls wait; where they do
/// not, signatures are left out one by one as long as that makes the stream
/// faster.
Hindsight bestInHindsight(const RecordedStream &stream,
                          tiering::ReplayMachine machine, unsigned threads);

/// An upper bound of the regret that the policy has on this stream if no core
/// is spare (docs/Engine.md): the bound of each signature, weighted with what
/// it costs in hindsight.
double regretBound(const RecordedStream &stream,
                   std::span<const SignatureCosts> costs,
                   tiering::ReplayMachine machine);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STREAM_HINDSIGHT_H
