//===- StreamTrial.cpp - A stream under all policies ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/StreamTrial.h"

#include "common/ProgressLine.h"
#include "stream/StreamRecord.h"

#include "tandem/Runtime/PhaseTimes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace tandem::bench {

using tiering::PolicyOptions;
using tiering::ReplayMachine;

namespace {

/// A stream, and what was measured of it.
struct Trial {
  CallStream stream;
  Hindsight hindsight;
  /// The last is one of the others once more.
  std::vector<StreamPolicy> policies;
  /// By policy and round: the runs that make up a sample.
  std::vector<std::vector<std::vector<StreamRun>>> runs;
  size_t repeats = 1;

  std::optional<size_t> find(StreamPolicy::Kind kind) const {
    auto found = std::ranges::find(policies, kind, &StreamPolicy::kind);
    if (found == policies.end())
      return std::nullopt;
    return found - policies.begin();
  }
  /// The total of a policy's runs in a round, per run.
  double totalNs(size_t policy, size_t round) const {
    double sum = 0;
    for (const StreamRun &run : runs[policy][round])
      sum += run.totalNs;
    return sum / static_cast<double>(repeats);
  }
  measure::Summary ratio(size_t a, size_t b) const {
    std::vector<double> ratios;
    for (size_t round = 0; round < runs[a].size(); ++round)
      ratios.push_back(totalNs(a, round) / totalNs(b, round));
    return measure::summarize(std::move(ratios));
  }
  /// The same of the policy that runs twice.
  measure::Summary twice() const {
    const size_t last = policies.size() - 1;
    const auto first =
        std::ranges::find(policies, policies[last].name(), &StreamPolicy::name);
    return ratio(static_cast<size_t>(first - policies.begin()), last);
  }
};

/// The standard error of a median, if the samples are distributed normally.
double errorOfMedian(const measure::Summary &summary) {
  constexpr double kSpread = 2.563;   // From p10 to p90, in deviations.
  constexpr double kOfMedian = 1.253; // √(π/2), times that of the mean.
  if (summary.samples == 0)
    return 0;
  return kOfMedian * (summary.p90 - summary.p10) / kSpread /
         std::sqrt(static_cast<double>(summary.samples));
}

/// Runs all policies, in a random order, so that none always follows the same
/// one.
Status runRound(const StreamBench &bench, Trial &trial, int round) {
  std::vector<size_t> order(trial.policies.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(
      order.begin(), order.end(),
      std::mt19937_64(bench.options.seed + static_cast<uint64_t>(round + 1)));
  for (size_t p : order) {
    std::vector<StreamRun> runs;
    for (size_t repeat = 0; repeat < trial.repeats; ++repeat) {
      TANDEM_ASSIGN_OR_RETURN(runs.emplace_back(),
                              runStream(bench.subject, trial.policies[p],
                                        trial.stream, trial.hindsight));
    }
    if (round >= 0) // The one before is to warm up.
      trial.runs[p].push_back(std::move(runs));
  }
  return {};
}

/// The mean of what a stream takes if it begins at some times between two ticks
/// of the clock.
double meanReplayNs(const RecordedStream &stream, ReplayMachine machine,
                    const PolicyOptions &policy) {
  constexpr int kTimes = 8;
  double sum = 0;
  for (int i = 0; i < kTimes; ++i) {
    machine.firstTickNs = machine.tickNs * (i + 0.5) / kTimes;
    sum += replayNs(stream, machine, policy);
  }
  return sum / kTimes;
}

/// The ratio of the engine's total to the replay's, the median of the rounds.
double overReplay(const StreamBench &bench, const Trial &trial) {
  using Kind = StreamPolicy::Kind;
  const auto automatic = trial.find(Kind::automatic),
             eager = trial.find(Kind::eager),
             compiled = trial.find(Kind::compile);
  if (!automatic || !eager || !compiled)
    return 0;
  PolicyOptions policy;
  policy.compileThreads = static_cast<unsigned>(bench.options.compileThreads);
  std::vector<double> ratios;
  for (size_t round = 0; round < trial.runs[*eager].size(); ++round) {
    double replayed = 0;
    for (size_t i = 0; i < trial.repeats; ++i)
      replayed +=
          meanReplayNs(recordOf(trial.stream, trial.runs[*eager][round][i],
                                trial.runs[*compiled][round][i],
                                trial.runs[*automatic][round][i]),
                       bench.machine, policy);
    ratios.push_back(trial.totalNs(*automatic, round) *
                     static_cast<double>(trial.repeats) / replayed);
  }
  return measure::summarize(std::move(ratios)).median;
}

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

double quantile(std::vector<double> values, double rank) {
  auto place =
      values.begin() +
      static_cast<ptrdiff_t>(rank * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

PolicyFigures figuresOf(const StreamBench &bench, const Trial &trial,
                        size_t policy) {
  PolicyFigures figures;
  figures.policy = trial.policies[policy].name();
  std::vector<double> totals, firsts, p50s, p99s;
  double runs = 0;
  for (size_t round = 0; round < trial.runs[policy].size(); ++round) {
    totals.push_back(trial.totalNs(policy, round));
    for (const StreamRun &run : trial.runs[policy][round]) {
      firsts.push_back(run.callNs[0]);
      p50s.push_back(quantile(run.callNs, 0.5));
      p99s.push_back(quantile(run.callNs, 0.99));
      figures.compiled += static_cast<double>(run.compiled());
      figures.wasted += static_cast<double>(run.wasted(bench.costs));
      ++runs;
    }
  }
  figures.compiled /= runs;
  figures.wasted /= runs;
  figures.total = measure::summarize(totals);
  figures.first = measure::summarize(firsts);
  figures.p50 = measure::summarize(p50s);
  figures.p99 = measure::summarize(p99s);
  return figures;
}

/// The ratios to what the best and the better of the two simple policies took.
void compare(const Trial &trial, StreamFigures &figures) {
  using Kind = StreamPolicy::Kind;
  double best = std::numeric_limits<double>::infinity();
  std::optional<size_t> better;
  for (Kind kind : {Kind::eager, Kind::compile, Kind::oracle})
    if (const auto p = trial.find(kind)) {
      const double ns = figures.policies[*p].total.median;
      best = std::min(best, ns);
      if (kind != Kind::oracle &&
          (!better || ns < figures.policies[*better].total.median))
        better = p;
    }
  for (size_t p = 0; p < figures.policies.size(); ++p) {
    if (std::isfinite(best))
      figures.policies[p].regret = figures.policies[p].total.median / best;
    if (better)
      figures.policies[p].overBetter = trial.ratio(p, *better).median;
  }
}

StreamFigures summarize(const StreamBench &bench, const Trial &trial) {
  StreamFigures figures;
  const size_t last = trial.policies.size() - 1;
  for (size_t p = 0; p < last; ++p)
    figures.policies.push_back(figuresOf(bench, trial, p));
  compare(trial, figures);
  figures.calls = trial.stream.size();
  std::vector<bool> called(bench.costs.size());
  for (const StreamCall &call : trial.stream)
    called[call.signature] = true;
  for (size_t s = 0; s < called.size(); ++s)
    if (called[s])
      figures.signatures.push_back(bench.subject.types[s]);
  figures.overReplay = overReplay(bench, trial);
  if (!bench.hasSpareCore)
    figures.bound = regretBound(recordOf(trial.stream, bench.costs),
                                bench.costs, bench.machine);
  const measure::Summary twice = trial.twice();
  figures.twice = twice.median;
  figures.twiceError = errorOfMedian(twice);
  figures.rounds = twice.samples;
  figures.isVoid = std::abs(figures.twice - 1) > kMaxDeviation;
  return figures;
}

/// Whether what runs twice is known well enough to be judged: not where it just
/// happens to be near 1.
bool isPrecise(const Trial &trial) {
  return errorOfMedian(trial.twice()) <= kMaxDeviation / 3;
}

/// Short streams are run several times for one sample.
size_t repeatsFor(const StreamBench &bench, const CallStream &stream) {
  double ns = 0;
  for (const StreamCall &call : stream)
    ns += bench.costs[call.signature].eagerNs;
  const double least = bench.options.sampleSeconds * 1e9;
  return static_cast<size_t>(std::clamp(std::ceil(least / ns), 1.0, 1000.0));
}

} // namespace

Expected<StreamFigures> measureStream(const StreamBench &bench,
                                      CallStream stream,
                                      const std::string &what) {
  Trial trial;
  trial.stream = std::move(stream);
  trial.repeats = repeatsFor(bench, trial.stream);
  trial.hindsight =
      bestInHindsight(recordOf(trial.stream, bench.costs), bench.machine,
                      static_cast<unsigned>(bench.options.compileThreads));
  trial.policies = bench.policies;
  const auto automatic = trial.find(StreamPolicy::Kind::automatic);
  trial.policies.push_back(bench.policies[automatic.value_or(0)]);
  trial.runs.resize(trial.policies.size());
  tools::ProgressLine line;
  const Stopwatch watch;
  auto isEnough = [&](int round) {
    return round >= bench.options.rounds &&
           (isPrecise(trial) || watch.ns() > bench.options.seconds * 1e9);
  };
  for (int round = -1; !isEnough(round); ++round) {
    line.show(what + ": round " + std::to_string(round + 1));
    TANDEM_RETURN_IF_ERROR(runRound(bench, trial, round));
  }
  return summarize(bench, trial);
}

} // namespace tandem::bench
