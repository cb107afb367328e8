//===- Bars.h - The project's performance bars ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_BARS_BARS_H
#define TANDEM_TOOLS_TANDEM_BENCH_BARS_BARS_H

#include "sweep/CompileCost.h"

#include "common/RunEnvironment.h"

#include <string>
#include <vector>

namespace tandem::bench {

/// Options of `tandem-bench bars`.
struct BarsOptions {
  int threads = 2;
  double seconds = 1;
  std::string json;
  /// The groups to measure; empty for all.
  std::vector<std::string> only;
  tools::RunEnvironment environment;
};

/// A measured figure and the limit (the bar) that it should meet.
struct Bar {
  std::string what;
  double measured = 0, bar = 0;
  /// Whether the bar is the most that the figure may be, or the least.
  bool atMost = true;
  /// The unit: "x" for a ratio, "ns" for a time.
  std::string unit;
  /// The measurements that the figure was computed from.
  std::vector<std::pair<std::string, measure::Summary>> from;
  bool passed() const { return atMost ? measured <= bar : measured >= bar; }
};

/// The share of the host's limit that a contraction should reach.
inline constexpr double kShareOfLimit = 0.7;

/// Measures every bar of the requested groups and prints a table. Always
/// returns true on success: a bar that is missed is a result, not a failure.
Expected<bool> runBars(const BarsOptions &options);

/// The names of all groups.
std::vector<std::string> barGroups();

using Bars = std::vector<Bar>;

/// Compares axpy8 and chain8 with copies, on one thread and on all.
Status addElementwiseBars(const BarsOptions &options, Bars &bars);
/// Compares chain8 with Tandem's and with MLIR's expansions of tanh and exp.
Status addMathBars(const BarsOptions &options, Bars &bars);
/// Compares light convolutions with memory bandwidth and the arithmetic peak.
Status addConvBars(const BarsOptions &options, Bars &bars);
/// Compares layer norm, softmax and batch statistics of 64 MB with copies.
Status addNormBars(const BarsOptions &options, Bars &bars);
/// Compares a step of Adam that updates its state in place with a copy.
Status addUpdateBars(const BarsOptions &options, Bars &bars);
/// Compares whole graphs with the eager tier, in time and memory.
Status addGraphBars(const BarsOptions &options, Bars &bars);
/// Compares whole networks that are written with channels first and last.
Status addNetworkBars(const BarsOptions &options, Bars &bars);
/// Compares the lists of convolutions with oneDNN.
Status addConvListBars(const BarsOptions &options, Bars &bars);
/// Compares matrix products with oneDNN.
Status addMatmulBars(const BarsOptions &options, Bars &bars);
/// Measures the compile cost, and how it grows with the graph.
Status addCompileBars(const BarsOptions &options, Bars &bars);
/// Compares compiling a graph with large weights with copying the weights.
Status addWeightBars(const BarsOptions &options, Bars &bars);
/// Measures the cost of a call beside its arithmetic.
Status addCallBars(const BarsOptions &options, Bars &bars);

/// Compares simplecnn in a program that embeds Tandem with the same graph in
/// this program.
Status addEmbeddingBars(const BarsOptions &options, Bars &bars);

/// Loads a graph of share/tandem/graphs.
Expected<std::unique_ptr<Graph>> loadBarGraph(const std::string &name);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARS_BARS_H
