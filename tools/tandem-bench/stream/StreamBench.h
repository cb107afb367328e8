//===- StreamBench.h - Policies on streams of calls -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMBENCH_H
#define TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMBENCH_H

#include "stream/StreamRun.h"

#include "common/RunEnvironment.h"

#include "tandem/Measure/Statistics.h"

#include <nlohmann/json.hpp>

namespace tandem::bench {

/// Options of `tandem-bench stream`.
struct StreamOptions {
  std::string file, function = "main", device;
  /// Sizes of named dims, as a sweep's: the signatures.
  std::string vary;
  /// streamKinds() or files of traces; the policies; lengths in n*.
  std::vector<std::string> shapes = {"constant"};
  std::vector<std::string> policies = {"eager", "compile", "first:2", "auto",
                                       "oracle"};
  std::vector<double> lengths = {0.25, 1, 4, 16};
  /// The least number of rounds; more are added, until what runs twice is known
  /// to a third of kMaxDeviation, but not after so many seconds of a stream.
  int rounds = 11;
  double seconds = 60;
  /// The least time of a sample, in seconds: short streams are run again.
  double sampleSeconds = 0.02;
  /// 0 stands for the cores that compile threads leave, but at least one.
  int threads = 0;
  int compileThreads = 1;
  uint64_t seed = 1;
  /// The file that the stream is written to, as a trace.
  std::string writeTrace;
  std::string json;
  tools::RunEnvironment environment;
};

/// A policy's figures on one stream. Times in nanoseconds.
struct PolicyFigures {
  std::string policy;
  /// The time of all calls of the stream, of its first call, and of a call, by
  /// rank.
  measure::Summary total, first, p50, p99;
  /// Total time over that of the best in hindsight.
  double regret = 0;
  /// Total time over that of the better of eager and compile, by rounds.
  double overBetter = 0;
  /// Per run of the stream.
  double compiled = 0, wasted = 0;
};

/// What was measured of one stream.
struct StreamFigures {
  std::string kind;
  /// In n*; 0 where the stream has a length of its own.
  double length = 0;
  size_t calls = 0;
  /// The types of each signature that is called.
  std::vector<std::vector<TensorType>> signatures;
  std::vector<PolicyFigures> policies;
  /// The engine's total time over that of the same policy on the virtual clock,
  /// with the e, c and C of the same rounds; 0 where that is not known.
  double overReplay = 0;
  /// An upper bound of the regret (regretBound); 0 where it does not apply.
  double bound = 0;
  /// The ratio of the totals of one policy that is run twice in each round, and
  /// whether that is too far from 1 for the rest to mean anything.
  double twice = 1;
  /// The standard error of `twice`, and the rounds that it is of.
  double twiceError = 0;
  size_t rounds = 0;
  bool isVoid = false;
};

/// The largest deviation from 1 of `twice`.
inline constexpr double kMaxDeviation = 0.03;

/// Runs every stream under every policy, prints the tables, and writes the
/// lines.
Status runStreams(StreamOptions options);

/// The tables' text, and a summary of all.
std::string formatStream(const StreamFigures &stream);
std::string formatSummary(const std::vector<StreamFigures> &streams);
/// The lines of the result file for one stream, one per policy.
std::vector<nlohmann::ordered_json> toRecords(const StreamOptions &options,
                                              const StreamFigures &stream);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_STREAM_STREAMBENCH_H
