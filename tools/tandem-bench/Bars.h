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

/// Measures every bar and prints a table. True: a bar that is missed is a
/// figure, not a failure.
Expected<bool> runBars(const BarsOptions &options);

/// Speed of fused kernels beside eager, memset and copy.
Status addSpeedBars(const BarsOptions &options, std::vector<Bar> &bars);
/// What a call costs beside its arithmetic.
Status addCallBars(const BarsOptions &options, std::vector<Bar> &bars);

/// A graph of share/tandem/graphs.
Expected<std::unique_ptr<Graph>> loadBarGraph(const std::string &name);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_BARS_H
