//===- Replay.h - The policy on a virtual clock ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_POLICY_REPLAY_H
#define TANDEM_RUNTIME_ENGINE_POLICY_REPLAY_H

#include "engine/policy/Policy.h"

#include <optional>
#include <vector>

namespace tandem::tiering {

/// How a caller and the compile threads share a machine, in a replay.
struct ReplayMachine {
  /// The shares of a core that a caller and each compilation get while both
  /// run. Alone, each has a whole one.
  double callerShare = 1, compileShare = 1;
  /// The time between ticks of the system's clock, in nanoseconds. If it is not
  /// 0, the caller and the compilations take turns: the core changes hands only
  /// at ticks. Whoever is short of its share gets the core at a tick; until the
  /// first tick, whoever was woken last has the core.
  double tickNs = 0;
  /// When the first tick is; 0 stands for `tickNs`.
  double firstTickNs = 0;

  /// Compiling has a core of its own.
  static ReplayMachine spareCore() { return {1, 1}; }
  /// One core for both, in equal parts.
  static ReplayMachine sharedCore(double tickNs = 0) {
    return {0.5, 0.5, tickNs};
  }
  /// A call waits for every compilation.
  static ReplayMachine blocking() { return {0, 1}; }
};

/// What compiling a signature costs and is predicted to cost, in nanoseconds.
struct ReplaySignature {
  double compileNs = 0;
  double predictedCompileNs = 0, predictedCompiledNs = 0;
  /// PolicyOptions::compileAtCall of this signature alone, if set.
  std::optional<uint64_t> compileAtCall;
  /// The same time as Record::predictedEagerNs.
  double predictedEagerNs = 0;
};

/// One call of a stream: what it takes eagerly and compiled, and how long the
/// caller does something else before it. Nanoseconds.
struct ReplayCall {
  size_t signature = 0;
  double eagerNs = 0, compiledNs = 0;
  double gapNs = 0;
  /// The additional time of the first eager call, such as that for preparing
  /// libraries, which no later call pays. It is not a part of e.
  double onceNs = 0;
  /// Conditions::spareCores when the call begins. If it is not set, 1 if
  /// compilations take nothing from the caller, otherwise 0.
  std::optional<double> spareCores;
};

/// Compilations of a replay.
struct ReplayCounts {
  uint64_t compiled = 0, cancelled = 0, demoted = 0;
};

/// Runs the policy on a stream of calls of one caller, on a virtual clock and
/// with times that are given: a simulation if they are made up, a replay if
/// they were recorded. It does what an engine does, but certificates take no
/// time and always hold, and nothing is evicted. One call at a time, so that an
/// adversary can look before it chooses the next.
class Replay {
public:
  Replay(ReplayMachine machine, PolicyOptions options,
         std::vector<ReplaySignature> signatures);

  /// Advances the clock by the call's gap and the call; returns the time from
  /// the beginning of the call to its end, waiting included.
  double call(const ReplayCall &call);

  double nowNs() const { return clockNs; }
  /// Time of all calls, without gaps.
  double busyNs() const { return busySumNs; }
  const Record &record(size_t signature) const { return records[signature]; }
  const ReplayCounts &counts() const { return totals; }

private:
  struct Job {
    size_t signature;
    double remainingNs;
  };
  /// The shares of a core that a caller and each compilation have, and for how
  /// long.
  struct Shares {
    double caller, compile, ns;
  };

  Conditions conditions() const;
  Decision decisionFor(size_t signature) const;
  void decideFor(size_t signature);
  void startJobs();
  /// Lets all running jobs work for `wallNs` at `share` of a core each; no job
  /// may end before that.
  void work(double wallNs, double share);
  /// Wall time until the first running job ends, at `share` of a core each.
  double untilFirstEnd(double share) const;
  Shares shares() const;
  void passTicks();
  void idle(double ns);
  void run(double ns);
  void waitForCompiler();

  ReplayMachine machine;
  PolicyOptions options;
  std::vector<ReplaySignature> signatures;
  std::vector<Record> records;
  std::vector<size_t> queue;
  std::vector<Job> running;
  double clockNs = 0, busySumNs = 0;
  double spareCores = 0;
  /// Whose turn it is, where they take turns, until when, and how much the
  /// compilations are short of their share.
  bool isCallersTurn = false;
  double nextTickNs = 0, owedNs = 0;
  ReplayCounts totals;
};

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_POLICY_REPLAY_H
