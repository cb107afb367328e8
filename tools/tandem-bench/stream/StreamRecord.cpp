//===- StreamRecord.cpp - A stream as it went, for a replay ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/StreamRecord.h"

#include "tandem/Measure/Statistics.h"

#include <algorithm>

namespace tandem::bench {

using tiering::ReplayCall;
using tiering::ReplaySignature;

namespace {

/// The calls of a signature, the first one apart: eagerly it has libraries
/// prepare what they need, compiled it has the signature compiled.
struct CallTimes {
  std::vector<double> eagerNs, compiledNs;
  double firstNs = -1;

  double typicalEagerNs() const {
    return eagerNs.empty() ? std::max(firstNs, 0.0)
                           : measure::summarize(eagerNs).median;
  }
  double typicalCompiledNs() const {
    return measure::summarize(compiledNs).median;
  }
};

std::vector<CallTimes> sortTimes(const CallStream &stream,
                                 const StreamRun &eager,
                                 const StreamRun &compiled, size_t signatures) {
  std::vector<CallTimes> times(signatures);
  for (size_t i = 0; i < stream.size(); ++i) {
    CallTimes &own = times[stream[i].signature];
    if (own.firstNs < 0) {
      own.firstNs = eager.callNs[i];
      continue;
    }
    own.eagerNs.push_back(eager.callNs[i]);
    own.compiledNs.push_back(compiled.callNs[i]);
  }
  return times;
}

} // namespace

RecordedStream recordOf(const CallStream &stream, const StreamRun &eager,
                        const StreamRun &compiled, const StreamRun &automatic) {
  RecordedStream recorded;
  std::vector<CallTimes> times =
      sortTimes(stream, eager, compiled, automatic.signatures.size());
  for (size_t s = 0; s < automatic.signatures.size(); ++s) {
    const SignatureReport &known = automatic.signatures[s];
    const double compileNs = automatic.compileNs[s] > 0 ? automatic.compileNs[s]
                                                        : compiled.compileNs[s];
    // The report's ĉ follows the engine's e already. Both are without what a
    // call takes beside the work that the engine times.
    const double beside =
        known.eager.samples > 0
            ? std::max(0.0, times[s].typicalEagerNs() - known.eager.ns)
            : 0;
    recorded.signatures.push_back({compileNs, known.predictedCompileNs,
                                   known.predictedCompiledNs + beside,
                                   std::nullopt, known.eager.ns + beside});
  }
  for (size_t i = 0; i < stream.size(); ++i) {
    CallTimes &own = times[stream[i].signature];
    ReplayCall call{stream[i].signature, eager.callNs[i], compiled.callNs[i],
                    stream[i].gapNs};
    if (std::exchange(own.firstNs, -1) >= 0) {
      call.eagerNs = own.typicalEagerNs();
      call.compiledNs = own.typicalCompiledNs();
      call.onceNs = std::max(0.0, eager.callNs[i] - call.eagerNs);
    }
    call.spareCores = automatic.spareCores[i];
    recorded.calls.push_back(call);
  }
  return recorded;
}

} // namespace tandem::bench
