//===- Bars.h - The project's performance bars ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_BARS_H
#define TANDEM_TOOLS_TANDEM_BENCH_BARS_H

#include "CompileCost.h"

#include "common/Environment.h"

#include <string>
#include <vector>

namespace tandem::bench {

struct BarsOptions {
  int threads = 2;
  double seconds = 1;
  std::string json;
  /// Groups to measure; empty: all.
  std::vector<std::string> only;
  tools::Environment environment;
};

/// A figure and the bar that it should meet.
struct Bar {
  std::string what;
  double measured = 0, bar = 0;
  /// Whether the figure is to stay below the bar, or to reach it.
  bool atMost = true;
  /// "x", or "ns" for a time.
  std::string unit;
  /// Spreads of what the figure was made from.
  std::vector<std::pair<std::string, measure::Summary>> from;
  bool passed() const { return atMost ? measured <= bar : measured >= bar; }
};

/// What a contraction is to reach of the host's own limit.
inline constexpr double kShareOfLimit = 0.7;

/// Measures every bar of the groups asked for and prints a table. True: a bar
/// that is missed is a figure, not a failure.
Expected<bool> runBars(const BarsOptions &options);

/// The names of all groups.
std::vector<std::string> barGroups();

using Bars = std::vector<Bar>;

/// axpy8 and chain8 beside copies, on one thread and on all.
Status addElementwiseBars(const BarsOptions &options, Bars &bars);
/// chain8 with Tandem's and with MLIR's own expansions of tanh and exp.
Status addMathBars(const BarsOptions &options, Bars &bars);
/// Light convolutions beside memory and the arithmetic peak.
Status addConvBars(const BarsOptions &options, Bars &bars);
/// Layer norm, softmax and batch statistics of 64 MB beside copies.
Status addNormBars(const BarsOptions &options, Bars &bars);
/// Whole graphs beside eager: time and memory.
Status addGraphBars(const BarsOptions &options, Bars &bars);
/// Whole networks given channels first beside the same given channels last.
Status addNetworkBars(const BarsOptions &options, Bars &bars);
/// The lists of convolutions beside oneDNN.
Status addConvListBars(const BarsOptions &options, Bars &bars);
/// Matrix products beside oneDNN.
Status addMatmulBars(const BarsOptions &options, Bars &bars);
/// What compiling costs, and how it grows.
Status addCompileBars(const BarsOptions &options, Bars &bars);
/// Compiling a graph with large weights, beside copying these.
Status addWeightBars(const BarsOptions &options, Bars &bars);
/// What a call costs beside its arithmetic.
Status addCallBars(const BarsOptions &options, Bars &bars);

/// simplecnn in a program that embeds Tandem beside the same here.
Status addEmbeddingBars(const BarsOptions &options, Bars &bars);

/// A graph of share/tandem/graphs.
Expected<std::unique_ptr<Graph>> loadBarGraph(const std::string &name);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARS_H
