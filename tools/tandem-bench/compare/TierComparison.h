//===- TierComparison.h - Where the compiled tier is slower -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_BENCH_COMPARE_TIERCOMPARISON_H
#define TANDEM_TOOLS_TANDEM_BENCH_COMPARE_TIERCOMPARISON_H

#include "common/RunEnvironment.h"

#include "tandem/Support/Error.h"

#include <string>
#include <vector>

namespace tandem::bench {

/// Options of `tandem-bench tiers`.
struct TierComparisonOptions {
  /// Only cases whose name matches this regular expression (ECMAScript) are
  /// run.
  std::string filter;
  /// "SEED:COUNT" runs random graphs in place of single ops.
  std::string random;
  /// The numbers of threads that each case is run on.
  std::vector<int> threads;
  /// The time for both tiers of a case, in seconds.
  double seconds = 0.03;
  std::string json;
  tools::RunEnvironment environment;
};

/// Runs each case on both tiers in alternation and prints the cases in which
/// the compiled tier is slower: its time is over 1.05 times that of eager (the
/// median of paired ratios) and half a microsecond more, in two measurements in
/// a row, the second of which is longer. Returns true where there are no such
/// cases.
Expected<bool> runTierComparison(const TierComparisonOptions &options);

} // namespace tandem::bench

#endif // TANDEM_TOOLS_TANDEM_BENCH_COMPARE_TIERCOMPARISON_H
